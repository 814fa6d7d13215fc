/* tune_trace.c - the irregular calls of a recorded job, as patterns. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tuning/tune.h"
#include "sched/operation.h"
#include "trace/trace.h"

/* Operations whose sizes are recorded; nonblocking calls have the same. */
static const struct {
    atn_trace_op op;
    atn_operation is;
} kinds[] = {
    {ATN_TRACE_ALLTOALLV, ATN_ALLTOALLV},   {ATN_TRACE_IALLTOALLV, ATN_ALLTOALLV},
    {ATN_TRACE_ALLTOALLW, ATN_ALLTOALLW},   {ATN_TRACE_IALLTOALLW, ATN_ALLTOALLW},
    {ATN_TRACE_ALLGATHERV, ATN_ALLGATHERV}, {ATN_TRACE_IALLGATHERV, ATN_ALLGATHERV},
};
enum { KINDS = sizeof kinds / sizeof *kinds, MOST_CALLS = 1024 };

static int kind_of(const atn_trace_event *e)
{
    for (int i = 0; i < KINDS; i++)
        if (e->op == kinds[i].op && e->depth == 0 && e->comm == 0)
            return i;
    return -1;
}

/* The calls of a rank, by the index of their events. */
typedef ATN_VEC(int) event_list;

/* A distinct call: of rank 0, and how often it is made. */
typedef struct {
    int number;
    int64_t times;
} distinct;

typedef struct {
    const atn_trace *t;
    event_list *calls; /* of each rank */
    ATN_VEC(distinct) list;
} collection;

static const atn_trace_event *event_of(const collection *x, int r, int call)
{
    return &x->t->ranks[r].events.v[x->calls[r].v[call]];
}

static const atn_trace_row *row_of(const collection *x, int r, int call)
{
    const int row = event_of(x, r, call)->row;
    return row >= 0 ? &x->t->ranks[r].rows.v[row] : NULL;
}

/* Ranks of which the rows are needed. */
static int rows_of(const collection *x, int call)
{
    return kinds[kind_of(event_of(x, 0, call))].is == ATN_ALLGATHERV ? 1 : x->t->p;
}

static atn_status find_calls(collection *x, atn_error *err)
{
    for (int r = 0; r < x->t->p; r++)
        for (int i = 0; i < x->t->ranks[r].events.n; i++)
            if (kind_of(&x->t->ranks[r].events.v[i]) >= 0 && !atn_push(&x->calls[r], i))
                return atn_fail(err, ATN_MEMORY, "out of memory");
    for (int r = 1; r < x->t->p; r++)
        if (x->calls[r].n != x->calls[0].n)
            return atn_fail(err, ATN_INPUT,
                            "%s: rank %d has %d irregular collective calls, rank 0 has %d",
                            x->t->where, r, x->calls[r].n, x->calls[0].n);
    if (x->calls[0].n > 0)
        return ATN_OK;
    return atn_fail(err, ATN_INPUT,
                    "%s: no alltoallv, alltoallw or allgatherv on MPI_COMM_WORLD is recorded",
                    x->t->where);
}

static bool are_equal(const atn_trace_row *a, const atn_trace_row *b)
{
    return a == b ||
           (a->n == b->n && memcmp(a->bytes, b->bytes, (size_t)a->n * sizeof *a->bytes) == 0);
}

static bool same_call(const collection *x, int a, int b)
{
    bool same = kinds[kind_of(event_of(x, 0, a))].is == kinds[kind_of(event_of(x, 0, b))].is;
    for (int r = 0; r < rows_of(x, a) && same; r++)
        same = are_equal(row_of(x, r, a), row_of(x, r, b));
    return same;
}

/* Traces of older versions, and of many different calls, lack sizes. */
static atn_status check_rows(const collection *x, int call, atn_error *err)
{
    for (int r = 0; r < rows_of(x, call); r++) {
        const atn_trace_row *row = row_of(x, r, call);
        if (row == NULL || row->n != x->t->p)
            return atn_fail(err, ATN_INPUT,
                            "%s: the sizes of irregular call %d are not recorded on rank %d; "
                            "record the job with this version, or fewer different calls",
                            x->t->where, call + 1, r);
    }
    return ATN_OK;
}

/* An equal call is usually near. */
static atn_status count_call(collection *x, int call, atn_error *err)
{
    int k = x->list.n - 1;
    while (k >= 0 && !same_call(x, x->list.v[k].number, call))
        k--;
    if (k >= 0) {
        x->list.v[k].times++;
        return ATN_OK;
    }
    if (x->list.n == MOST_CALLS)
        return atn_fail(err, ATN_INPUT, "%s: more than %d different irregular calls", x->t->where,
                        MOST_CALLS);
    return atn_push(&x->list, (distinct){call, 1}) ? ATN_OK
                                                   : atn_fail(err, ATN_MEMORY, "out of memory");
}

static void print_call(FILE *f, const collection *x, const distinct *call)
{
    const atn_operation op = kinds[kind_of(event_of(x, 0, call->number))].is;
    fprintf(f, "call %s x%" PRId64 "\n", atn_sched_operation_get(op)->name, call->times);
    for (int r = 0; r < rows_of(x, call->number); r++) {
        const atn_trace_row *row = row_of(x, r, call->number);
        for (int i = 0; i < row->n; i++)
            fprintf(f, "%s%" PRId64, i > 0 ? " " : "", row->bytes[i]);
        fputc('\n', f);
    }
}

static atn_status collect(collection *x, atn_error *err)
{
    atn_status status = find_calls(x, err);
    for (int i = 0; i < (x->calls[0].n) && status == ATN_OK; i++) {
        status = check_rows(x, i, err);
        status = status == ATN_OK ? count_call(x, i, err) : status;
    }
    return status;
}

static char *print_all(const collection *x)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = atn_open_text(&text, &bytes);
    if (f == NULL)
        return NULL;
    fprintf(f, "attune-pattern 1\nranks %d\n", x->t->p);
    for (int i = 0; i < x->list.n; i++)
        print_call(f, x, &x->list.v[i]);
    fclose(f);
    return text;
}

atn_status atn_cli_tune_trace(const char *folder, char **text_p, char **program_p, atn_error *err)
{
    collection x = {.t = NULL};
    atn_trace *t = NULL;
    atn_status status = atn_trace_read(folder, ATN_TRACE_WHOLE, &t, err);
    if (status != ATN_OK)
        return status;
    x.t = t;
    x.calls = calloc((size_t)t->p, sizeof *x.calls);
    status = x.calls != NULL ? collect(&x, err) : atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK) {
        *text_p = print_all(&x);
        *program_p = strdup(t->ranks[0].program != NULL ? t->ranks[0].program : "");
        if (*text_p == NULL || *program_p == NULL)
            status = atn_fail(err, ATN_MEMORY, "out of memory");
    }
    for (int r = 0; r < t->p && x.calls != NULL; r++)
        atn_vec_free(&x.calls[r]);
    free(x.calls);
    atn_vec_free(&x.list);
    atn_trace_free(t);
    return status;
}
