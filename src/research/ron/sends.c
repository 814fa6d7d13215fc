/* sends.c - see sends.h. */
#include "research/ron/sends.h"

static bool add_rank(const atn_trace_rank *rank, int r, atn_ron_sends *to)
{
    double compute_ns = 0;
    int64_t last = 0;

    for (int i = 0; i < rank->events.n; i++) {
        const atn_trace_event *e = &rank->events.v[i];
        if (e->depth > 0)
            continue;
        if (!atn_trace_is_part(e)) {
            const double gap = (double)(e->enter - last) - rank->around_ns;
            compute_ns += gap > 0 ? gap : 0;
            last = e->exit > last ? e->exit : last;
        }
        if (atn_trace_class_of(e) != ATN_TRACE_IS_SEND || e->partner < 0)
            continue;
        const atn_ron_send s = {.rank = r,
                                .partner = e->partner,
                                .offer = ATN_RON_NO_OFFER,
                                .compute = compute_ns * 1e-9,
                                .bytes = e->bytes,
                                .site = e->site + 1};
        if (!atn_push(to, s))
            return false;
        compute_ns = 0;
    }
    return true;
}

atn_status atn_ron_sends_trace(const atn_trace *t, atn_ron_sends *to, atn_error *err)
{
    for (int r = 0; r < t->p; r++)
        if (!add_rank(&t->ranks[r], r, to))
            return atn_fail(err, ATN_MEMORY, "out of memory");
    return ATN_OK;
}
