/* predict_trace.c - reads the messages of a recorded job. */
#include <stdlib.h>
#include <string.h>

#include "cli/prediction/predict.h"
#include "trace/trace.h"

static bool is_hint(const atn_trace_event *e)
{
    return e->op == ATN_TRACE_PRE_SEND || e->op == ATN_TRACE_PRE_RECV;
}

/* Or a hint about one.  The receive inside a sendrecv or isendrecv is posted before its message can
 * arrive. */
static bool is_message(const atn_trace_event *e, atn_direction *side_p)
{
    const atn_trace_class class = atn_trace_class_of(e);
    const bool sends = class == ATN_TRACE_IS_SEND || e->op == ATN_TRACE_PRE_SEND;
    *side_p = sends ? ATN_SENDS : ATN_RECEIVES;
    if (is_hint(e))
        return true;
    return e->depth == 0 && e->partner != ATN_TRACE_NULL && e->op != ATN_TRACE_SENDRECV_RECEIVE &&
           e->op != ATN_TRACE_ISENDRECV_RECEIVE &&
           (class == ATN_TRACE_IS_SEND || class == ATN_TRACE_IS_RECV);
}

static int partner_of(const atn_trace_event *e)
{
    if (e->flags & ATN_TRACE_ANY_SOURCE_POSTED || e->partner == ATN_TRACE_ANY)
        return ATN_ANY_PARTNER;
    return e->partner >= 0 ? e->partner : ATN_FOREIGN_PARTNER;
}

static bool add_rank(const atn_trace_rank *rank, atn_message_list *list)
{
    for (int i = 0; list && i < rank->events.n; i++) {
        const atn_trace_event *e = &rank->events.v[i];
        atn_message x = {.hint = is_hint(e),
                         .partner = partner_of(e),
                         .tag = e->flags & ATN_TRACE_ANY_TAG_POSTED ? ATN_TRACE_ANY_TAG : e->tag,
                         .comm = e->comm,
                         .type = e->type,
                         .bytes = e->bytes,
                         .buffer = (int64_t)e->buffer,
                         .site = e->site};
        if (is_message(e, &x.side) && !atn_push(list, x))
            return false;
    }
    return list != NULL;
}

static bool has_messages(const atn_messages *m)
{
    for (int r = 0; r < m->ranks.n; r++)
        if (m->ranks.v[r].n > 0)
            return true;
    return false;
}

atn_status atn_cli_predict_trace_read(const char *folder, bool partial, atn_messages *m_p,
                                      atn_error *err)
{
    atn_trace *t;
    atn_messages m = {0};
    atn_status st = atn_trace_read(folder, partial ? ATN_TRACE_PARTIAL : ATN_TRACE_WHOLE, &t, err);
    if (st)
        return st;
    for (int i = 0; i < t->problems.n; i++)
        fprintf(stderr, "attune: note: %s\n", t->problems.v[i].text);
    for (int r = 0; r < t->p && !st; r++)
        if (!add_rank(&t->ranks[r], atn_replay_messages_of(&m, r)))
            st = atn_fail(err, ATN_MEMORY, "%s: out of memory", folder);
    atn_trace_free(t);
    if (!st && !has_messages(&m))
        st = atn_fail(err, ATN_INPUT, "%s: contains no messages", folder);
    if (st)
        atn_replay_messages_free(&m);
    else
        *m_p = m;
    return st;
}
