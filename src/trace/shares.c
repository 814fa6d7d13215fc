/* shares.c - see shares.h. */
#include "trace/shares.h"

#include <stdlib.h>

int atn_trace_size_class(int64_t bytes)
{
    int k = 0;
    for (; bytes > 0; bytes >>= 1)
        k++;
    return k;
}

void atn_trace_shares_free(atn_trace_shares *s) { atn_vec_free(&s->v); }

static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int by_key(const void *x, const void *y)
{
    const atn_trace_call *const a = *(const atn_trace_call *const *)x;
    const atn_trace_call *const b = *(const atn_trace_call *const *)y;
    const int op = compare((int64_t)a->op, (int64_t)b->op), comm = compare(a->comm, b->comm);
    return op != 0     ? op
           : comm != 0 ? comm
                       : compare(atn_trace_size_class(a->bytes), atn_trace_size_class(b->bytes));
}

static int by_seconds(const void *x, const void *y)
{
    const atn_trace_share *const a = x, *const b = y;
    if (a->seconds > b->seconds || a->seconds < b->seconds)
        return a->seconds > b->seconds ? -1 : 1;
    return compare((int64_t)a->op, (int64_t)b->op);
}

static bool continues(const atn_trace_shares *s, const atn_trace_call *c)
{
    const atn_trace_share *const last = s->v.n > 0 ? &s->v.v[s->v.n - 1] : NULL;
    return last != NULL && last->op == c->op && last->comm == c->comm &&
           last->size_class == atn_trace_size_class(c->bytes);
}

static bool add_call(atn_trace_shares *s, const atn_trace_call *c)
{
    const atn_trace_share fresh = {.op = c->op,
                                   .comm = c->comm,
                                   .p = c->p,
                                   .size_class = atn_trace_size_class(c->bytes),
                                   .least = c->bytes,
                                   .most = c->bytes};
    if (!continues(s, c) && !atn_push(&s->v, fresh))
        return false;
    atn_trace_share *const share = &s->v.v[s->v.n - 1];
    share->least = c->bytes < share->least ? c->bytes : share->least;
    share->most = c->bytes > share->most ? c->bytes : share->most;
    share->calls++;
    share->bytes += ((double)c->bytes - share->bytes) / (double)share->calls;
    share->seconds += c->elapsed_s * c->p;
    share->waited_s += c->waited_s;
    s->seconds += c->elapsed_s * c->p;
    s->waited_s += c->waited_s;
    return true;
}

atn_status atn_trace_shares_make(const atn_trace_arrivals *a, atn_trace_shares *s_p, atn_error *err)
{
    const int n = a->calls.n;
    const atn_trace_call **const order = malloc(((size_t)n + 1) * sizeof *order);
    atn_trace_shares s = {.v = {0}};
    bool ok = order != NULL;
    for (int i = 0; i < n && ok; i++)
        order[i] = &a->calls.v[i];
    if (ok && n > 0)
        qsort(order, (size_t)n, sizeof *order, by_key);
    for (int i = 0; i < n && ok; i++)
        ok = add_call(&s, order[i]);
    free(order);
    if (!ok) {
        atn_trace_shares_free(&s);
        return atn_fail(err, ATN_MEMORY, "out of memory");
    }
    if (s.v.n > 0)
        qsort(s.v.v, (size_t)s.v.n, sizeof *s.v.v, by_seconds);
    *s_p = s;
    return ATN_OK;
}
