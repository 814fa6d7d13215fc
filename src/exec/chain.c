/* chain.c - the sequential executor: one step after the other, at most two requests, no
 * allocation.  This is the path of small messages; everything that can be precomputed is in
 * the program. */
#include <string.h>

#include "exec/exec_private.h"
#include "exec/exposure.h"
#include "exec/shared.h"
#include "exec/wait.h"

/* ---- shared memory ---- */

static inline bool is_small(const atn_run *x, const atn_xop *o)
{
    const atn_exec_unit *const u = x->unit;
    return u->contiguous && !o->ssend && o->one.units * u->stride <= ATN_SHM_SMALL;
}

static inline int send_small(const atn_run *x, const atn_xop *o, atn_shared_peer *peer,
                             const char *data)
{
    const uint32_t bytes = (uint32_t)(o->one.units * x->unit->stride);
    atn_shm_wait w = {.how = &x->x->shared->waiting};

    while (atn_shm_send_small(&peer->out, data, bytes) == ATN_SHM_BUSY)
        atn_shm_wait_pause(&w);
    atn_shm_wait_end(&w);
    return MPI_SUCCESS;
}

/* The message is used where it is.  `flag`: of its slot. */
static inline int take_small(const atn_run *x, const atn_xop *o, atn_shared_peer *peer, char *data,
                             uint64_t flag)
{
    const uint32_t bytes = (uint32_t)(o->one.units * x->unit->stride);
    const char *const message = atn_shm_next_slot(&peer->in)->data;
    int code = MPI_SUCCESS;

    if ((flag & ATN_SHM_BYTES) != bytes)
        return MPI_ERR_TRUNCATE;
    if (o->kind == X_RECV)
        atn_shm_copy_small(data, message, bytes);
    else
        code = atn_exec_combine(x, o, message, 0, bytes);
    atn_shm_consume(&peer->in, ATN_SHM_SLOTS, flag & ATN_SHM_ACK);
    return o->nparts > 1 && o->kind == X_RECV ? atn_exec_unpack_parts(x, o) : code;
}

static inline int receive_small(const atn_run *x, const atn_xop *o, atn_shared_peer *peer,
                                char *data)
{
    atn_shm_wait w = {.how = &x->x->shared->waiting};
    uint64_t flag;

    while ((flag = atn_shm_arrived(&peer->in)) == 0)
        atn_shm_wait_pause(&w);
    atn_shm_wait_end(&w);
    return take_small(x, o, peer, data, flag);
}

/* One or two messages of which some use shared memory; the others are MPI requests. */
typedef struct {
    atn_shared_message shared[2];
    MPI_Request request[2];
    bool done[2];
} mixed;

static int begin_mixed(const atn_run *x, const atn_xop *o, char *data, mixed *m, int i)
{
    const MPI_Datatype type = x->unit->sent_type;
    const int tag = x->tag0 + o->seq;

    m->request[i] = MPI_REQUEST_NULL;
    if (atn_exec_shared_index(x->x->shared, o->peer) >= 0)
        return atn_exec_shared_begin(x, o, data, &m->shared[i]);
    if (atn_exec_receives(o))
        return PMPI_Irecv(data, o->count, type, o->peer, tag, x->comm, &m->request[i]);
    return (o->ssend ? PMPI_Issend : PMPI_Isend)(data, o->count, type, o->peer, tag, x->comm,
                                                 &m->request[i]);
}

static int step_mixed(const atn_run *x, const atn_xop *o, mixed *m, int i)
{
    int done = 0, code;

    if (m->done[i])
        return MPI_SUCCESS;
    if (m->shared[i].end != NULL)
        return atn_exec_shared_step(x, o, &m->shared[i], &m->done[i]);
    code = atn_real_complete.test(&m->request[i], &done, MPI_STATUS_IGNORE);
    m->done[i] = done;
    return done && code == MPI_SUCCESS ? atn_exec_message_done(x, o) : code;
}

static int run_mixed(const atn_run *x, const atn_xop *o, int n, char *const *data)
{
    atn_shm_wait w = {.how = &x->x->shared->waiting};
    mixed m = {.done = {false, n < 2}};
    int code = MPI_SUCCESS;

    for (int i = n - 1; i >= 0 && code == MPI_SUCCESS; i--)
        code = begin_mixed(x, &o[i], data[i], &m, i);
    while (code == MPI_SUCCESS) {
        code = step_mixed(x, o, &m, 0);
        if (code == MPI_SUCCESS)
            code = step_mixed(x, o + 1, &m, 1);
        if (m.done[0] && m.done[1])
            break;
        atn_shm_wait_pause(&w);
    }
    atn_shm_wait_end(&w);
    for (int i = 0; i < n; i++)
        atn_exec_shared_drop(&m.shared[i]);
    return code;
}

static int run_shared(const atn_run *x, const atn_xop *o, char *data, int index)
{
    atn_shared_peer *const peer = &x->x->shared->peer[index];

    if (!is_small(x, o))
        return run_mixed(x, o, 1, &data);
    return o->kind == X_SEND ? send_small(x, o, peer, data) : receive_small(x, o, peer, data);
}

static inline int exchange_shared(const atn_run *x, const atn_xop *o, char *out, char *in, int to,
                                  int from)
{
    atn_shared_peer *const peers = x->x->shared->peer;

    if (to >= 0 && from >= 0 && is_small(x, o) && is_small(x, o + 1)) {
        send_small(x, o, &peers[to], out);
        return receive_small(x, o + 1, &peers[from], in);
    }
    return run_mixed(x, o, 2, (char *const[]){out, in});
}

/* ---- MPI ---- */

static inline int arrived(const atn_run *x, const atn_xop *o, int code)
{
    const bool plain = o->kind == X_RECV && o->nparts <= 1;
    return plain || code != MPI_SUCCESS ? code : atn_exec_message_done(x, o);
}

static int send(const atn_run *x, const atn_xop *o, void *data)
{
    const MPI_Datatype type = x->unit->sent_type;
    const int tag = x->tag0 + o->seq;
    const int index = atn_exec_shared_index(x->x->shared, o->peer);
    MPI_Request request;

    if (index >= 0)
        return run_shared(x, o, data, index);
    if (!x->x->yield)
        return (o->ssend ? PMPI_Ssend : PMPI_Send)(data, o->count, type, o->peer, tag, x->comm);
    const int code = (o->ssend ? PMPI_Issend : PMPI_Isend)(data, o->count, type, o->peer, tag,
                                                           x->comm, &request);
    return code == MPI_SUCCESS ? atn_exec_wait_all(true, 1, &request) : code;
}

static int receive(const atn_run *x, const atn_xop *o, void *data)
{
    const MPI_Datatype type = x->unit->sent_type;
    const int tag = x->tag0 + o->seq;
    const int index = atn_exec_shared_index(x->x->shared, o->peer);
    MPI_Request request;

    if (index >= 0)
        return run_shared(x, o, data, index);
    if (!x->x->yield)
        return arrived(x, o,
                       PMPI_Recv(data, o->count, type, o->peer, tag, x->comm, MPI_STATUS_IGNORE));
    const int code = PMPI_Irecv(data, o->count, type, o->peer, tag, x->comm, &request);
    return code == MPI_SUCCESS ? arrived(x, o, atn_exec_wait_all(true, 1, &request)) : code;
}

/* Sends o[0] and receives o[1]. */
static inline int exchange(const atn_run *x, const atn_xop *o, void *out, void *in)
{
    const MPI_Datatype type = x->unit->sent_type;
    const int to = atn_exec_shared_index(x->x->shared, o->peer);
    const int from = atn_exec_shared_index(x->x->shared, o[1].peer);
    MPI_Request request[2];

    if (to >= 0 || from >= 0)
        return exchange_shared(x, o, out, in, to, from);
    if (!x->x->yield && !o->ssend)
        return arrived(x, o + 1,
                       PMPI_Sendrecv(out, o->count, type, o->peer, x->tag0 + o->seq, in, o[1].count,
                                     type, o[1].peer, x->tag0 + o[1].seq, x->comm,
                                     MPI_STATUS_IGNORE));
    int code =
        PMPI_Irecv(in, o[1].count, type, o[1].peer, x->tag0 + o[1].seq, x->comm, &request[0]);
    if (code == MPI_SUCCESS)
        code = (o->ssend ? PMPI_Issend : PMPI_Isend)(out, o->count, type, o->peer, x->tag0 + o->seq,
                                                     x->comm, &request[1]);
    return code == MPI_SUCCESS ? arrived(x, o + 1, atn_exec_wait_all(x->x->yield, 2, request))
                               : code;
}

/* Messages in several parts use the pack buffer. */
static int step_in_parts(const atn_run *x, const atn_xop *o)
{
    int code = MPI_SUCCESS;

    if (!atn_exec_receives(o) && o->nparts > 1)
        code = atn_exec_pack_parts(x, o);
    if (code != MPI_SUCCESS)
        return code;
    if (o->kind == X_EXCHANGE)
        return exchange(x, o, atn_exec_message(x, o), atn_exec_message(x, o + 1));
    return (o->kind == X_SEND ? send : receive)(x, o, atn_exec_message(x, o));
}

static inline int step(const atn_run *x, const atn_xop *o)
{
    char *const a = x->base[o->space_a] + o->one.a, *const b = x->base[o->space_b] + o->one.b;
    const atn_exec_unit *u = x->unit;

    switch ((atn_xkind)o->kind) {
    case X_NOTHING:
        return MPI_SUCCESS;
    case X_COPY:
        if (o->nparts > 1 || !u->contiguous)
            return atn_exec_run_local(x, o);
        memcpy(b, a, (size_t)(o->one.units * u->stride));
        return MPI_SUCCESS;
    case X_REDUCE:
        return o->nparts > 1
                   ? atn_exec_run_local(x, o)
                   : atn_exec_reduce_units(u, a, x->base[o->space_c] + o->one.c, b, o->one.units);
    case X_EXCHANGE:
        if (o->nparts > 1 || o[1].nparts > 1)
            return step_in_parts(x, o);
        return exchange(x, o, a, x->base[o[1].space_a] + o[1].one.a);
    case X_EXPOSE:
    case X_READ:
    case X_READ_REDUCE:
    case X_CLOSE:
        return atn_exec_exposure_run(x, o);
    case X_SEND:
        return o->nparts > 1 ? step_in_parts(x, o) : send(x, o, a);
    case X_RECV:
    case X_RECV_REDUCE:
        return o->nparts > 1 ? step_in_parts(x, o) : receive(x, o, a);
    }
    return MPI_ERR_INTERN;
}

int atn_exec_run_chain(atn_run *x)
{
    const atn_program *g = x->program;
    const int n = g->ops.n;
    int code = MPI_SUCCESS;

    for (int i = 0; i < n && code == MPI_SUCCESS; i++) {
        const atn_xop *o = &g->ops.v[i];
        x->x->current = i;
        code = step(x, o);
        i += o->kind == X_EXCHANGE;
    }
    return code;
}

/* ---- step by step ---- */

static bool is_short(const atn_exec *x, const atn_exec_unit *u, const atn_xop *o)
{
    if (o->kind == X_NOTHING || o->kind == X_COPY || o->kind == X_REDUCE)
        return true;
    return !atn_exec_is_exposure(o) && u->contiguous && !o->ssend &&
           atn_exec_shared_index(x->shared, o->peer) >= 0 &&
           o->one.units * u->stride <= ATN_SHM_SMALL;
}

bool atn_exec_chain_is_short(const atn_exec *x, const atn_plan *plan)
{
    const atn_program *const g = &plan->program;

    if (!g->chain || x->shared == NULL || atn_exec_is_varying(&plan->q))
        return false;
    for (int i = 0; i < g->ops.n; i++)
        if (!is_short(x, &plan->unit, &g->ops.v[i]))
            return false;
    return true;
}

static inline int try_send(const atn_run *x, const atn_xop *o, bool *done_p)
{
    atn_shared_peer *const peer = &x->x->shared->peer[x->x->shared->index[o->peer]];
    const int code = o->nparts > 1 ? atn_exec_pack_parts(x, o) : MPI_SUCCESS;

    *done_p = code == MPI_SUCCESS &&
              atn_shm_send_small(&peer->out, atn_exec_message(x, o),
                                 (uint32_t)(o->one.units * x->unit->stride)) == ATN_SHM_DONE;
    return code;
}

static inline int try_receive(const atn_run *x, const atn_xop *o, int polls, bool *done_p)
{
    atn_shared_peer *const peer = &x->x->shared->peer[x->x->shared->index[o->peer]];
    uint64_t flag = atn_shm_arrived(&peer->in);

    for (; flag == 0 && polls > 1; polls--)
        flag = atn_shm_arrived(&peer->in);
    *done_p = flag != 0;
    return flag != 0 ? take_small(x, o, peer, atn_exec_message(x, o), flag) : MPI_SUCCESS;
}

/* An exchange sends; its receive is the next operation. */
int atn_exec_chain_advance(const atn_run *x, int *at_p, int polls)
{
    const atn_program *const g = x->program;
    int code = MPI_SUCCESS;
    bool done = true;

    for (int i = *at_p; i < g->ops.n && code == MPI_SUCCESS; *at_p = ++i) {
        const atn_xop *const o = &g->ops.v[i];
        if (atn_exec_receives(o))
            code = try_receive(x, o, polls, &done);
        else if (o->kind == X_SEND || o->kind == X_EXCHANGE)
            code = try_send(x, o, &done);
        else
            code = step(x, o);
        if (!done)
            break;
    }
    return code;
}
