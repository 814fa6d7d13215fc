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
    return link_successors(d, s) && (!ATN_SIMULATED || link_sends(d, s));
}

void atn_exec_dag_free(atn_dag *d)
{
    free(d->succ);
    free(d->first_succ);
    free(d->next_send);
}

bool atn_exec_dag_run_init(atn_dag_run *g, const atn_dag *d, const atn_schedule *s,
                           atn_requests *requests)
{
    const size_t n = (size_t)s->nops + 1;

    *g = (atn_dag_run){.d = d, .requests = requests, .n = s->nops};
    g->pending = malloc(sizeof *g->pending * n);
    g->heap = malloc(sizeof *g->heap * n);
    g->open = calloc(n, sizeof *g->open);
    g->done = malloc(n);
    return g->pending && g->heap && g->open && g->done;
}

void atn_exec_dag_run_free(atn_dag_run *g)
{
    free(g->pending);
    free(g->heap);
    free(g->open);
    free(g->done);
    free(g->shared);
}

void atn_exec_requests_free(atn_requests *q)
{
    atn_vec_free(&q->requests);
    atn_vec_free(&q->owner);
    atn_vec_free(&q->finished);
}

/* ---- ready operations: a heap, smallest index first ---- */

static void heap_push(atn_dag_run *d, int32_t op)
{
    int i = d->nheap++;

    for (; i > 0 && d->heap[(i - 1) / 2] > op; i = (i - 1) / 2)
        d->heap[i] = d->heap[(i - 1) / 2];
    d->heap[i] = op;
}

static int32_t heap_pop(atn_dag_run *d)
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

static void release(atn_dag_run *g, int op)
{
    if (--g->pending[op] == 0)
        heap_push(g, op);
}

static void complete(atn_dag_run *g, int op)
{
    const atn_dag *const d = g->d;

    g->done[op] = true;
    while (g->frontier < g->n && g->done[g->frontier])
        g->frontier++;
    g->x->x->current = g->frontier;
    for (int k = d->first_succ[op]; k < d->first_succ[op + 1]; k++)
        release(g, d->succ[k]);
    if (d->next_send != NULL && d->next_send[op] >= 0)
        release(g, d->next_send[op]);
}

/* Both or none, so that the arrays stay parallel. */
static bool add_request(atn_dag_run *g, int op, MPI_Request request)
{
    atn_requests *const q = g->requests;
    const atn_request_owner owner = {g, op};

    if (!atn_vec_room((void **)&q->requests.v, &q->requests.cap, q->requests.n + 1,
                      sizeof *q->requests.v) ||
        !atn_push(&q->owner, owner))
        return false;
    q->requests.v[q->requests.n++] = request;
    g->open[op]++;
    g->nopen++;
    return true;
}

static int post(atn_dag_run *g, int op, const atn_xop *o)
{
    const atn_run *x = g->x;
    const atn_exec_unit *u = x->unit;
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
        if (code == MPI_SUCCESS && !add_request(g, op, request))
            code = MPI_ERR_NO_MEM;
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

static int post_shared(atn_dag_run *g, int op, const atn_xop *o, int index)
{
    const bool sends = o->kind == X_SEND;

    if (!atn_vec_room((void **)&g->shared, &g->shared_cap, g->nshared + 1, sizeof *g->shared))
        return MPI_ERR_NO_MEM;
    struct atn_dag_shared *const s = &g->shared[g->nshared++];
    s->op = op;
    s->turn = &g->x->x->shared->peer[index].turn[sends];
    return atn_exec_shared_begin(g->x, o, atn_exec_message(g->x, o), &s->m);
}

static int start_exposure(atn_dag_run *g, int op, const atn_xop *o)
{
    bool done = false;
    const int code = atn_exec_exposure_step(g->x, o, &done);

    if (done)
        complete(g, op);
    if (done || code != MPI_SUCCESS)
        return code;
    if (!atn_vec_room((void **)&g->shared, &g->shared_cap, g->nshared + 1, sizeof *g->shared))
        return MPI_ERR_NO_MEM;
    g->shared[g->nshared++] = (struct atn_dag_shared){.op = op};
    return MPI_SUCCESS;
}

static void reset_turns(const atn_run *x)
{
    const atn_shared *const m = x->shares ? x->x->shared : NULL;
    for (int i = 0; m != NULL && i < m->region.n; i++)
        m->peer[i].turn[0] = m->peer[i].turn[1] = 0;
}

static int start(atn_dag_run *g, int op)
{
    const atn_xop *o = &g->x->program->ops.v[op];
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

static int start_ready(atn_dag_run *g)
{
    int code = MPI_SUCCESS;

    while (g->nheap > 0 && code == MPI_SUCCESS) {
        const int op = g->heap[0];
        if (g->nopen + g->nshared >= WINDOW && op > g->frontier + 1)
            break;
        code = start(g, heap_pop(g));
    }
    return code;
}

static int finish_message(atn_dag_run *g, int op)
{
    const int code = atn_exec_message_done(g->x, &g->x->program->ops.v[op]);

    complete(g, op);
    return code;
}

static int finish_request(atn_request_owner owner)
{
    atn_dag_run *const g = owner.of;

    g->nopen--;
    return --g->open[owner.op] > 0 ? MPI_SUCCESS : finish_message(g, owner.op);
}

/* Removes completed requests. */
static void compact(atn_requests *q)
{
    int n = 0;

    for (int i = 0; i < q->requests.n; i++)
        if (q->owner.v[i].of != NULL) {
            q->requests.v[n] = q->requests.v[i];
            q->owner.v[n++] = q->owner.v[i];
        }
    q->requests.n = q->owner.n = n;
}

static int finish_requests(atn_requests *q, int count)
{
    int code = MPI_SUCCESS;

    if (count == MPI_UNDEFINED)
        return MPI_ERR_INTERN;
    for (int k = 0; k < count && code == MPI_SUCCESS; k++) {
        atn_request_owner *const owner = &q->owner.v[q->finished.v[k]];
        code = finish_request(*owner);
        owner->of = NULL;
    }
    compact(q);
    return code;
}

static bool have_finished(atn_requests *q)
{
    return atn_vec_room((void **)&q->finished.v, &q->finished.cap, q->requests.n + 1,
                        sizeof *q->finished.v);
}

static int wait_requests(const atn_dag_run *g)
{
    atn_requests *const q = g->requests;
    int count = 0;
    const int code =
        atn_exec_wait_some(g->x->x->yield, q->requests.n, q->requests.v, &count, q->finished.v);
    return code == MPI_SUCCESS ? finish_requests(q, count) : code;
}

static int step_one(atn_dag_run *g, struct atn_dag_shared *s, bool *done_p)
{
    const atn_xop *const o = &g->x->program->ops.v[s->op];
    int code = MPI_SUCCESS;

    if (s->turn == NULL)
        return atn_exec_exposure_step(g->x, o, done_p);
    if (*s->turn == o->turn)
        code = atn_exec_shared_step(g->x, o, &s->m, done_p);
    *s->turn += *done_p;
    return code;
}

/* Advances all messages whose turn it is; *any_p: one is complete. */
static int step_shared(atn_dag_run *g, bool *any_p)
{
    int n = 0, code = MPI_SUCCESS;

    for (int i = 0; i < g->nshared; i++) {
        struct atn_dag_shared *const s = &g->shared[i];
        bool done = false;
        if (code == MPI_SUCCESS)
            code = step_one(g, s, &done);
        if (done) {
            complete(g, s->op);
            *any_p = true;
        } else {
            g->shared[n++] = *s;
        }
    }
    g->nshared = n;
    return code;
}

/* Both transports advance until a message is complete. */
static int wait_both(atn_dag_run *g)
{
    atn_requests *const q = g->requests;
    atn_shm_wait w = {.how = &g->x->x->shared->waiting};
    bool any = false;
    int code = MPI_SUCCESS, count;

    while (code == MPI_SUCCESS && !any) {
        code = step_shared(g, &any);
        count = 0;
        if (code == MPI_SUCCESS && q->requests.n > 0)
            code = atn_real_complete.testsome(q->requests.n, q->requests.v, &count, q->finished.v,
                                              MPI_STATUSES_IGNORE);
        if (code == MPI_SUCCESS && count != 0) {
            code = finish_requests(q, count);
            any = true;
        }
        if (!any)
            atn_shm_wait_pause(&w);
    }
    atn_shm_wait_end(&w);
    return code;
}

static int wait_some(atn_dag_run *g)
{
    if (!have_finished(g->requests))
        return MPI_ERR_NO_MEM;
    return g->nshared > 0 ? wait_both(g) : wait_requests(g);
}

void atn_exec_dag_cancel(atn_dag_run *g)
{
    atn_requests *const q = g->requests;

    for (int i = 0; i < q->requests.n; i++) {
        if (q->owner.v[i].of != g)
            continue;
        if (q->requests.v[i] != MPI_REQUEST_NULL) {
            atn_real_cancel(&q->requests.v[i]);
            atn_real_request_free(&q->requests.v[i]);
        }
        q->owner.v[i].of = NULL;
    }
    compact(q);
    for (int i = 0; i < g->nshared; i++)
        atn_exec_shared_drop(&g->shared[i].m);
    g->nshared = g->nopen = 0;
}

/* ---- step by step ---- */

static void count_pending(atn_dag_run *g, const atn_schedule *s)
{
    const int32_t *const next = g->d->next_send;

    for (int i = 0; i < s->nops; i++)
        g->pending[i] = s->ops[i].ndeps;
    for (int i = 0; next != NULL && i < s->nops; i++)
        if (next[i] >= 0)
            g->pending[next[i]]++;
    for (int i = 0; i < s->nops; i++)
        if (g->pending[i] == 0)
            heap_push(g, i);
}

static void reset(atn_dag_run *g, atn_run *x)
{
    g->x = x;
    g->frontier = g->nheap = g->nopen = 0;
    g->code = MPI_SUCCESS;
    memset(g->done, 0, (size_t)g->n);
    memset(g->open, 0, sizeof *g->open * (size_t)g->n);
    reset_turns(x);
    count_pending(g, x->plan->schedule);
}

int atn_exec_dag_begin(atn_dag_run *g, atn_run *x)
{
    reset(g, x);
    return start_ready(g);
}

int atn_exec_dag_advance(atn_dag_run *g)
{
    bool any = false;
    const int code = g->nshared > 0 ? step_shared(g, &any) : MPI_SUCCESS;

    return code == MPI_SUCCESS ? start_ready(g) : code;
}

/* A run that has failed keeps its first error. */
static void finish_tested(atn_request_owner *owner, int code)
{
    atn_dag_run *const g = owner->of;

    if (code == MPI_SUCCESS)
        code = finish_request(*owner);
    else
        g->nopen--;
    owner->of = NULL;
    if (g->code == MPI_SUCCESS)
        g->code = code;
}

/* Without a status for each request it would be unknown which run has failed. */
int atn_exec_requests_test(atn_requests *q)
{
    enum { MOST = 256 };
    MPI_Status status[MOST];
    const int n = have_finished(q) ? q->requests.n : 0;
    int count, total = 0;

    for (int first = 0; first < n; first += MOST) {
        const int some = n - first < MOST ? n - first : MOST;
        const int code =
            atn_real_complete.testsome(some, q->requests.v + first, &count, q->finished.v, status);
        if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {
            q->owner.v[first].of->code = code;
            return total + 1;
        }
        for (int k = 0; k < count; k++)
            finish_tested(&q->owner.v[first + q->finished.v[k]],
                          code == MPI_SUCCESS ? code : status[k].MPI_ERROR);
        total += count > 0 ? count : 0;
    }
    if (total > 0)
        compact(q);
    return total;
}

int atn_exec_run_dag(atn_run *x, atn_dag_run *g)
{
    int code = MPI_SUCCESS;

    reset(g, x);
    while (!atn_exec_dag_is_done(g) && code == MPI_SUCCESS) {
        code = start_ready(g);
        if (code == MPI_SUCCESS && !atn_exec_dag_is_done(g) && g->nopen + g->nshared > 0)
            code = wait_some(g);
    }
    if (code != MPI_SUCCESS)
        atn_exec_dag_cancel(g);
    return code;
}
