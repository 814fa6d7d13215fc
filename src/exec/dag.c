/* dag.c - the general executor: an operation starts when its dependencies are complete.
 *
 * Ready operations are started in program order.  At most WINDOW requests are open, except that the
 * first incomplete operation and its neighbour may always start: the verifier proved that executing
 * one step at a time never deadlocks, so neither does this. */
#include <stdlib.h>
#include <string.h>

#include "exec/exec_private.h"
#include "exec/exposure.h"
#include "exec/host.h"
#include "exec/shared.h"
#include "exec/wait.h"

enum { WINDOW = 256 };
static const int64_t chunk_bytes = (int64_t)1 << 30; /* MPI counts are ints */

/* ---- dependencies ---- */

static bool link_successors(atn_dag *d, const atn_schedule *s)
{
    d->first_succ = calloc((size_t)s->nops + 2, sizeof *d->first_succ);
    d->succ = malloc(sizeof *d->succ * ((size_t)s->ndeps + 1));
    if (!d->first_succ || !d->succ)
        return false;
    for (int k = 0; k < s->ndeps; k++)
        d->first_succ[s->deps[k] + 2]++;
    for (int i = 0; i < s->nops; i++)
        d->first_succ[i + 2] += d->first_succ[i + 1];
    for (int i = 0; i < s->nops; i++)
        for (int k = 0; k < s->ops[i].ndeps; k++)
            d->succ[d->first_succ[s->deps[s->ops[i].dep + k] + 1]++] = i;
    return true;
}

/* In a simulation, sends to one rank follow each other (host.h).  A send waits only for an earlier
 * operation, so this cannot deadlock either. */
static bool link_sends(atn_dag *d, const atn_schedule *s)
{
    int32_t *const last = malloc(sizeof *last * (size_t)s->q.p);

    d->next_send = malloc(sizeof *d->next_send * ((size_t)s->nops + 1));
    if (!last || !d->next_send) {
        free(last);
        return false;
    }
    memset(last, -1, sizeof *last * (size_t)s->q.p);
    for (int i = 0; i < s->nops; i++) {
        d->next_send[i] = -1;
        if (s->ops[i].kind != ATN_OP_SEND)
            continue;
        if (last[s->ops[i].peer] >= 0)
            d->next_send[last[s->ops[i].peer]] = i;
        last[s->ops[i].peer] = i;
    }
    free(last);
    return true;
}

bool atn_exec_dag_init(atn_dag *d, const atn_schedule *s)
{
    const size_t n = (size_t)s->nops + 1;

    d->pending = malloc(sizeof *d->pending * n);
    d->heap = malloc(sizeof *d->heap * n);
    d->open = calloc(n, sizeof *d->open);
    d->done = malloc(n);
    return link_successors(d, s) && (!ATN_SIMULATED || link_sends(d, s)) && d->pending && d->heap &&
           d->open && d->done;
}

void atn_exec_dag_free(atn_dag *d)
{
    free(d->succ);
    free(d->first_succ);
    free(d->next_send);
    free(d->pending);
    free(d->heap);
    free(d->open);
    free(d->done);
    atn_vec_free(&d->requests);
    atn_vec_free(&d->owner);
    atn_vec_free(&d->finished);
    free(d->shared);
}

/* ---- ready operations: a heap, smallest index first ---- */

static void heap_push(atn_dag *d, int32_t op)
{
    int i = d->nheap++;

    for (; i > 0 && d->heap[(i - 1) / 2] > op; i = (i - 1) / 2)
        d->heap[i] = d->heap[(i - 1) / 2];
    d->heap[i] = op;
}

static int32_t heap_pop(atn_dag *d)
{
    const int32_t top = d->heap[0], last = d->heap[--d->nheap];
    int i = 0;

    for (int c = 1; c < d->nheap; c = 2 * i + 1) {
        if (c + 1 < d->nheap && d->heap[c + 1] < d->heap[c])
            c++;
        if (d->heap[c] >= last)
            break;
        d->heap[i] = d->heap[c];
        i = c;
    }
    d->heap[i] = last;
    return top;
}

/* ---- execution ---- */

typedef struct {
    atn_run *x;
    atn_dag *d;
    int n, frontier; /* frontier: first operation not complete */
} progress;

static void release(atn_dag *d, int op)
{
    if (--d->pending[op] == 0)
        heap_push(d, op);
}

static void complete(progress *g, int op)
{
    atn_dag *d = g->d;

    d->done[op] = true;
    while (g->frontier < g->n && d->done[g->frontier])
        g->frontier++;
    g->x->x->current = g->frontier;
    for (int k = d->first_succ[op]; k < d->first_succ[op + 1]; k++)
        release(d, d->succ[k]);
    if (d->next_send != NULL && d->next_send[op] >= 0)
        release(d, d->next_send[op]);
}

static int post(progress *g, int op, const atn_xop *o)
{
    const atn_run *x = g->x;
    const atn_exec_unit *u = &x->plan->unit;
    const int64_t each = u->contiguous ? chunk_bytes / u->stride : chunk_bytes / 64;
    char *data = atn_exec_message(x, o);
    int64_t left = o->one.units;
    int code = MPI_SUCCESS;

    do { /* depends only on the size, as on the other side; same tag: in order */
        const int64_t units = left < each ? left : each;
        const int count = (int)(units * u->sent_each);
        MPI_Request request = MPI_REQUEST_NULL;
        if (atn_exec_receives(o))
            code =
                PMPI_Irecv(data, count, u->sent_type, o->peer, x->tag0 + o->seq, x->comm, &request);
        else
            code = (o->ssend ? PMPI_Issend : PMPI_Isend)(data, count, u->sent_type, o->peer,
                                                         x->tag0 + o->seq, x->comm, &request);
        if (code == MPI_SUCCESS &&
            (!atn_push(&g->d->requests, request) || !atn_push(&g->d->owner, op)))
            code = MPI_ERR_NO_MEM;
        g->d->open[op]++;
        data += units * u->stride;
        left -= units;
    } while (left > 0 && code == MPI_SUCCESS);
    return code;
}

/* ---- messages through shared memory ---- */

/* The messages of a channel are transferred in program order, as on the other side; one that is
 * ready earlier waits for its turn.  The first incomplete operation always has its turn. */
struct atn_dag_shared {
    atn_shared_message m;
    int32_t op, *turn; /* turn NULL: an exposure, a read or a close */
};

static int post_shared(progress *g, int op, const atn_xop *o, int index)
{
    atn_dag *const d = g->d;
    const bool sends = o->kind == X_SEND;

    if (!atn_vec_room((void **)&d->shared, &d->shared_cap, d->nshared + 1, sizeof *d->shared))
        return MPI_ERR_NO_MEM;
    struct atn_dag_shared *const s = &d->shared[d->nshared++];
    s->op = op;
    s->turn = &g->x->x->shared->peer[index].turn[sends];
    return atn_exec_shared_begin(g->x, o, atn_exec_message(g->x, o), &s->m);
}

static int start_exposure(progress *g, int op, const atn_xop *o)
{
    atn_dag *const d = g->d;
    bool done = false;
    const int code = atn_exec_exposure_step(g->x, o, &done);

    if (done)
        complete(g, op);
    if (done || code != MPI_SUCCESS)
        return code;
    if (!atn_vec_room((void **)&d->shared, &d->shared_cap, d->nshared + 1, sizeof *d->shared))
        return MPI_ERR_NO_MEM;
    d->shared[d->nshared++] = (struct atn_dag_shared){.op = op};
    return MPI_SUCCESS;
}

static void reset_turns(const atn_run *x)
{
    const atn_shared *const m = x->x->shared;
    for (int i = 0; m != NULL && i < m->region.n; i++)
        m->peer[i].turn[0] = m->peer[i].turn[1] = 0;
}

static int start(progress *g, int op)
{
    const atn_xop *o = &g->x->plan->program.ops.v[op];
    int code = MPI_SUCCESS;

    if (o->kind == X_SEND || atn_exec_receives(o)) {
        if (o->kind == X_SEND && o->nparts > 1)
            code = atn_exec_pack_parts(g->x, o);
        const int index = atn_exec_shared_index(g->x->x->shared, o->peer);
        if (code == MPI_SUCCESS)
            code = index >= 0 ? post_shared(g, op, o, index) : post(g, op, o);
        return code;
    }
    if (atn_exec_is_exposure(o))
        return start_exposure(g, op, o);
    if (o->kind != X_NOTHING)
        code = atn_exec_run_local(g->x, o);
    complete(g, op);
    return code;
}

static int start_ready(progress *g)
{
    int code = MPI_SUCCESS;

    while (g->d->nheap > 0 && code == MPI_SUCCESS) {
        const int op = g->d->heap[0];
        if (g->d->requests.n + g->d->nshared >= WINDOW && op > g->frontier + 1)
            break;
        code = start(g, heap_pop(g->d));
    }
    return code;
}

static int finish_message(progress *g, int op)
{
    const int code = atn_exec_message_done(g->x, &g->x->plan->program.ops.v[op]);

    complete(g, op);
    return code;
}

static int finish_request(progress *g, int i)
{
    const int op = g->d->owner.v[i];
    return --g->d->open[op] > 0 ? MPI_SUCCESS : finish_message(g, op);
}

/* Removes completed requests. */
static void compact(atn_dag *d)
{
    int n = 0;

    for (int i = 0; i < d->requests.n; i++)
        if (d->owner.v[i] >= 0) {
            d->requests.v[n] = d->requests.v[i];
            d->owner.v[n++] = d->owner.v[i];
        }
    d->requests.n = d->owner.n = n;
}

static int finish_requests(progress *g, int count)
{
    atn_dag *d = g->d;
    int code = MPI_SUCCESS;

    if (count == MPI_UNDEFINED)
        return MPI_ERR_INTERN;
    for (int k = 0; k < count && code == MPI_SUCCESS; k++) {
        code = finish_request(g, d->finished.v[k]);
        d->owner.v[d->finished.v[k]] = -1;
    }
    compact(d);
    return code;
}

static int wait_requests(progress *g)
{
    atn_dag *d = g->d;
    int count = 0;
    const int code =
        atn_exec_wait_some(g->x->x->yield, d->requests.n, d->requests.v, &count, d->finished.v);
    return code == MPI_SUCCESS ? finish_requests(g, count) : code;
}

static int step_one(progress *g, struct atn_dag_shared *s, bool *done_p)
{
    const atn_xop *const o = &g->x->plan->program.ops.v[s->op];
    int code = MPI_SUCCESS;

    if (s->turn == NULL)
        return atn_exec_exposure_step(g->x, o, done_p);
    if (*s->turn == o->turn)
        code = atn_exec_shared_step(g->x, o, &s->m, done_p);
    *s->turn += *done_p;
    return code;
}

/* Advances all messages whose turn it is; *any_p: one is complete. */
static int step_shared(progress *g, bool *any_p)
{
    atn_dag *d = g->d;
    int n = 0, code = MPI_SUCCESS;

    for (int i = 0; i < d->nshared; i++) {
        struct atn_dag_shared *const s = &d->shared[i];
        bool done = false;
        if (code == MPI_SUCCESS)
            code = step_one(g, s, &done);
        if (done) {
            complete(g, s->op);
            *any_p = true;
        } else {
            d->shared[n++] = *s;
        }
    }
    d->nshared = n;
    return code;
}

/* Both transports advance until a message is complete. */
static int wait_both(progress *g)
{
    atn_dag *d = g->d;
    atn_shm_wait w = {.how = &g->x->x->shared->waiting};
    bool any = false;
    int code = MPI_SUCCESS, count;

    while (code == MPI_SUCCESS && !any) {
        code = step_shared(g, &any);
        count = 0;
        if (code == MPI_SUCCESS && d->requests.n > 0)
            code = PMPI_Testsome(d->requests.n, d->requests.v, &count, d->finished.v,
                                 MPI_STATUSES_IGNORE);
        if (code == MPI_SUCCESS && count != 0) {
            code = finish_requests(g, count);
            any = true;
        }
        if (!any)
            atn_shm_wait_pause(&w);
    }
    atn_shm_wait_end(&w);
    return code;
}

static int wait_some(progress *g)
{
    atn_dag *d = g->d;

    if (!atn_vec_room((void **)&d->finished.v, &d->finished.cap, d->requests.n + 1,
                      sizeof *d->finished.v))
        return MPI_ERR_NO_MEM;
    return d->nshared > 0 ? wait_both(g) : wait_requests(g);
}

/* After an error no pending request may write to the user's buffers. */
static void cancel_all(atn_dag *d)
{
    for (int i = 0; i < d->requests.n; i++)
        if (d->requests.v[i] != MPI_REQUEST_NULL) {
            PMPI_Cancel(&d->requests.v[i]);
            PMPI_Request_free(&d->requests.v[i]);
        }
    d->requests.n = d->owner.n = 0;
    for (int i = 0; i < d->nshared; i++)
        atn_exec_shared_drop(&d->shared[i].m);
    d->nshared = 0;
}

static void count_pending(atn_dag *d, const atn_schedule *s)
{
    for (int i = 0; i < s->nops; i++)
        d->pending[i] = s->ops[i].ndeps;
    for (int i = 0; d->next_send != NULL && i < s->nops; i++)
        if (d->next_send[i] >= 0)
            d->pending[d->next_send[i]]++;
    for (int i = 0; i < s->nops; i++)
        if (d->pending[i] == 0)
            heap_push(d, i);
}

int atn_exec_run_dag(atn_run *x, atn_dag *d)
{
    const atn_schedule *s = x->plan->schedule;
    progress g = {.x = x, .d = d, .n = s->nops};
    int code = MPI_SUCCESS;

    memset(d->done, 0, (size_t)s->nops);
    memset(d->open, 0, sizeof *d->open * (size_t)s->nops);
    d->nheap = 0;
    reset_turns(x);
    count_pending(d, s);
    while (g.frontier < g.n && code == MPI_SUCCESS) {
        code = start_ready(&g);
        if (code == MPI_SUCCESS && g.frontier < g.n && d->requests.n + d->nshared > 0)
            code = wait_some(&g);
    }
    if (code != MPI_SUCCESS)
        cancel_all(d);
    return code;
}
