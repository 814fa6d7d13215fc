/* chain.c - the sequential executor: one step after the other, at most two requests, no
 * allocation.  This is the path of small messages; everything that can be precomputed is in
 * the program. */
#include <string.h>

#include "exec/exec_private.h"
#include "exec/wait.h"

static int send(const atn_run *x, const atn_xop *o, void *data)
{
    const MPI_Datatype type = x->plan->unit.sent_type;
    const int tag = x->tag0 + o->seq;
    MPI_Request request;

    if (!x->x->yield)
        return (o->ssend ? PMPI_Ssend : PMPI_Send)(data, o->count, type, o->peer, tag, x->comm);
    const int code = (o->ssend ? PMPI_Issend : PMPI_Isend)(data, o->count, type, o->peer, tag,
                                                           x->comm, &request);
    return code == MPI_SUCCESS ? atn_exec_wait_all(true, 1, &request) : code;
}

static int receive(const atn_run *x, const atn_xop *o, void *data)
{
    const MPI_Datatype type = x->plan->unit.sent_type;
    const int tag = x->tag0 + o->seq;
    MPI_Request request;

    if (!x->x->yield)
        return PMPI_Recv(data, o->count, type, o->peer, tag, x->comm, MPI_STATUS_IGNORE);
    const int code = PMPI_Irecv(data, o->count, type, o->peer, tag, x->comm, &request);
    return code == MPI_SUCCESS ? atn_exec_wait_all(true, 1, &request) : code;
}

/* Sends o[0] and receives o[1]. */
static inline int exchange(const atn_run *x, const atn_xop *o, void *out, void *in)
{
    const MPI_Datatype type = x->plan->unit.sent_type;
    MPI_Request request[2];

    if (!x->x->yield && !o->ssend)
        return PMPI_Sendrecv(out, o->count, type, o->peer, x->tag0 + o->seq, in, o[1].count, type,
                             o[1].peer, x->tag0 + o[1].seq, x->comm, MPI_STATUS_IGNORE);
    int code =
        PMPI_Irecv(in, o[1].count, type, o[1].peer, x->tag0 + o[1].seq, x->comm, &request[0]);
    if (code == MPI_SUCCESS)
        code = (o->ssend ? PMPI_Issend : PMPI_Isend)(out, o->count, type, o->peer, x->tag0 + o->seq,
                                                     x->comm, &request[1]);
    return code == MPI_SUCCESS ? atn_exec_wait_all(x->x->yield, 2, request) : code;
}

/* Messages in several parts use the pack buffer. */
static int step_in_parts(const atn_run *x, const atn_xop *o)
{
    const atn_xop *in = o->kind == X_EXCHANGE ? o + 1 : o;
    int code = MPI_SUCCESS;

    if (o->kind != X_RECV && o->nparts > 1)
        code = atn_exec_pack_parts(x, o);
    if (code != MPI_SUCCESS)
        return code;
    if (o->kind == X_EXCHANGE)
        code = exchange(x, o, atn_exec_message(x, o), atn_exec_message(x, in));
    else
        code = (o->kind == X_SEND ? send : receive)(x, o, atn_exec_message(x, o));
    if (code == MPI_SUCCESS && in->kind == X_RECV && in->nparts > 1)
        code = atn_exec_unpack_parts(x, in);
    return code;
}

static inline int step(const atn_run *x, const atn_xop *o)
{
    char *const a = x->base[o->space_a] + o->one.a, *const b = x->base[o->space_b] + o->one.b;
    const atn_exec_unit *u = &x->plan->unit;

    switch ((atn_xkind)o->kind) {
    case X_NOTHING:
        return MPI_SUCCESS;
    case X_COPY:
        if (o->nparts > 1 || !u->contiguous)
            return atn_exec_run_local(x, o);
        memcpy(b, a, (size_t)(o->one.units * u->stride));
        return MPI_SUCCESS;
    case X_REDUCE:
        return o->nparts > 1 ? atn_exec_run_local(x, o)
                             : atn_exec_reduce_units(u, a, b, o->one.units);
    case X_EXCHANGE:
        if (o->nparts > 1 || o[1].nparts > 1)
            return step_in_parts(x, o);
        return exchange(x, o, a, x->base[o[1].space_a] + o[1].one.a);
    case X_SEND:
        return o->nparts > 1 ? step_in_parts(x, o) : send(x, o, a);
    case X_RECV:
        return o->nparts > 1 ? step_in_parts(x, o) : receive(x, o, a);
    }
    return MPI_ERR_INTERN;
}

int atn_exec_run_chain(atn_run *x)
{
    const atn_program *g = &x->plan->program;
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
