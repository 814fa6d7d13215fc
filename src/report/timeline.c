/* timeline.c - runs all ranks in order, without data. */
#include "report/timeline.h"

#include <stdlib.h>

enum { NO_PEER = -1 };

/* A message of a rank, to be looked up by its pair and number, or an exposure. */
typedef struct {
    int32_t peer, receives, seq, op;
} key;

typedef struct {
    key *keys; /* sorted */
    int nkeys;
    int *reads;     /* of an exposure, by operation: reads so far */
    double *latest; /* and the end of the last of them */
    int pc;         /* first operation of the present step */
    bool posted;    /* its messages are waiting */
    double now;
} runner;

typedef struct {
    atn_schedule *const *schedules;
    runner *ranks;
    atn_timeline *t;
} simulation;

static int compare(const void *x, const void *y)
{
    const key *a = x, *b = y;
    if (a->peer != b->peer)
        return a->peer < b->peer ? -1 : 1;
    if (a->receives != b->receives)
        return a->receives < b->receives ? -1 : 1;
    return (a->seq > b->seq) - (a->seq < b->seq);
}

static bool index_messages(const atn_schedule *s, runner *r)
{
    r->keys = malloc(sizeof *r->keys * ((size_t)s->nops + 1));
    for (int i = 0; r->keys && i < s->nops; i++) {
        const atn_op *o = &s->ops[i];
        if (atn_sched_is_message(o))
            r->keys[r->nkeys++] = (key){o->peer, atn_sched_receives(o), o->seq, i};
        else if (o->kind == ATN_OP_EXPOSE)
            r->keys[r->nkeys++] = (key){NO_PEER, false, o->seq, i};
    }
    if (r->keys)
        qsort(r->keys, (size_t)r->nkeys, sizeof *r->keys, compare);
    r->reads = calloc((size_t)s->nops + 1, sizeof *r->reads);
    r->latest = calloc((size_t)s->nops + 1, sizeof *r->latest);
    return r->keys && r->reads && r->latest;
}

static int find(const runner *r, key wanted)
{
    const key *found = bsearch(&wanted, r->keys, (size_t)r->nkeys, sizeof *r->keys, compare);
    return found ? found->op : -1;
}

/* The operation at the other end of a message; -1: it has none. */
static int other_end(const simulation *m, int rank, const atn_op *o)
{
    const runner *r = &m->ranks[o->peer];
    return find(r, (key){rank, !atn_sched_receives(o), o->seq, 0});
}

enum { WAITING = -1 }; /* start of an operation that has not been reached */

/* A message starts when both ends are posted; the later end finds the earlier one there. */
static void post(simulation *m, int rank, int i)
{
    const atn_op *o = &m->schedules[rank]->ops[i];
    atn_interval *mine = &m->t->spans[rank][i];
    mine->start = m->ranks[rank].now;
    const int other = other_end(m, rank, o);
    if (other < 0)
        return;
    atn_interval *theirs = &m->t->spans[o->peer][other];
    if (theirs->start == WAITING)
        return;
    const double start = theirs->start > mine->start ? theirs->start : mine->start;
    *mine = *theirs = (atn_interval){start, start + 1};
    m->t->messages++;
}

/* Whether the step that begins at pc is over; `now` then moves to its end. */
static bool step_done(simulation *m, int rank, int n)
{
    runner *r = &m->ranks[rank];
    double end = r->now;
    for (int i = r->pc; i < r->pc + n; i++) {
        const atn_interval *span = &m->t->spans[rank][i];
        if (span->end == WAITING)
            return false;
        const double done = span->end + atn_report_timeline_reduces(&m->schedules[rank]->ops[i]);
        end = done > end ? done : end;
    }
    r->now = end;
    return true;
}

static void local(simulation *m, int rank, int i)
{
    static const double takes[ATN_OP_KINDS] = {
        [ATN_OP_COPY] = ATN_COPY_TIME, [ATN_OP_REDUCE] = ATN_REDUCE_TIME};
    runner *r = &m->ranks[rank];
    const double end = r->now + takes[m->schedules[rank]->ops[i].kind];
    m->t->spans[rank][i] = (atn_interval){r->now, end};
}

/* A read starts when its exposure exists. */
static void read_blocks(simulation *m, int rank, int i)
{
    const atn_op *o = &m->schedules[rank]->ops[i];
    runner *from = &m->ranks[o->peer];
    const int exposed = find(from, (key){NO_PEER, false, o->seq, 0});
    const double since = exposed < 0 ? WAITING : m->t->spans[o->peer][exposed].start;
    if (since == WAITING)
        return;
    const double start = since > m->ranks[rank].now ? since : m->ranks[rank].now;
    const double done = start + 1 + atn_report_timeline_reduces(o);
    m->t->spans[rank][i] = (atn_interval){start, start + 1};
    from->reads[exposed]++;
    if (from->latest[exposed] < done)
        from->latest[exposed] = done;
    m->t->messages++;
}

static void close_exposure(simulation *m, int rank, int i)
{
    const atn_op *o = &m->schedules[rank]->ops[i];
    runner *r = &m->ranks[rank];
    const int exposed = find(r, (key){NO_PEER, false, o->seq, 0});
    if (exposed < 0 || r->reads[exposed] < o->peer)
        return;
    const double end = r->latest[exposed] > r->now ? r->latest[exposed] : r->now;
    m->t->spans[rank][i] = (atn_interval){r->now, end};
}

static void start(simulation *m, int rank, int i)
{
    const atn_op *o = &m->schedules[rank]->ops[i];
    if (atn_sched_is_message(o))
        post(m, rank, i);
    else if (atn_sched_is_read(o))
        read_blocks(m, rank, i);
    else if (o->kind == ATN_OP_CLOSE)
        close_exposure(m, rank, i);
    else
        local(m, rank, i);
}

/* A message is posted once; what waits for shared memory looks again. */
static bool is_posted(const simulation *m, int rank)
{
    const runner *r = &m->ranks[rank];
    return r->posted && atn_sched_is_message(&m->schedules[rank]->ops[r->pc]);
}

/* Runs a rank until it has to wait; whether it got anywhere. */
static bool advance(simulation *m, int rank)
{
    const atn_schedule *s = m->schedules[rank];
    runner *r = &m->ranks[rank];
    bool moved = false;
    while (r->pc < s->nops) {
        const int n = atn_sched_step_length(s, r->pc);
        const bool posted = is_posted(m, rank);
        for (int i = r->pc; !posted && i < r->pc + n; i++)
            start(m, rank, i);
        moved = moved || !r->posted;
        r->posted = true;
        if (!step_done(m, rank, n))
            break;
        r->pc += n;
        r->posted = false;
        moved = true;
    }
    return moved;
}

static atn_status run(simulation *m, atn_error *err)
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (int r = 0; r < m->t->p; r++)
            moved = advance(m, r) || moved;
    }
    for (int r = 0; r < m->t->p; r++) {
        if (m->ranks[r].pc < m->schedules[r]->nops)
            return atn_fail(err, ATN_FINDING,
                            "%s: rank %d deadlocks at operation %d; 'attune schedule verify' "
                            "reports why",
                            m->schedules[r]->name, r, m->ranks[r].pc);
        if (m->ranks[r].now > m->t->end)
            m->t->end = m->ranks[r].now;
    }
    return ATN_OK;
}

static bool prepare(simulation *m)
{
    bool ok = m->ranks && m->t->spans;
    for (int r = 0; ok && r < m->t->p; r++) {
        const int n = m->schedules[r]->nops;
        atn_interval *spans = malloc(sizeof *spans * ((size_t)n + 1));
        ok = spans && index_messages(m->schedules[r], &m->ranks[r]);
        m->t->spans[r] = spans;
        for (int i = 0; spans && i < n; i++)
            spans[i] = (atn_interval){WAITING, WAITING};
    }
    return ok;
}

atn_status atn_report_timeline_make(atn_schedule *const *schedules, int p, atn_timeline *t_p,
                                    atn_error *err)
{
    atn_timeline t = {.p = p, .spans = calloc((size_t)p, sizeof *t.spans)};
    simulation m = {schedules, calloc((size_t)p, sizeof *m.ranks), &t};
    const atn_status st = prepare(&m) ? run(&m, err) : atn_fail(err, ATN_MEMORY, "out of memory");
    for (int r = 0; m.ranks && r < p; r++) {
        free(m.ranks[r].keys);
        free(m.ranks[r].reads);
        free(m.ranks[r].latest);
    }
    free(m.ranks);
    if (st)
        atn_report_timeline_free(&t);
    else
        *t_p = t;
    return st;
}

void atn_report_timeline_free(atn_timeline *t)
{
    for (int r = 0; t->spans && r < t->p; r++)
        free(t->spans[r]);
    free(t->spans);
    t->spans = NULL;
}
