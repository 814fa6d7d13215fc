/* chain.c - the straight-line executor: one step after the other, at most two requests, no
 * allocation.  This is the path of small messages; everything that can be computed before is in
 * the program. */
#include "exec/exec_private.h"
#include "exec/wait.h"

static inline int wire_count(const atn_run *x, const atn_xop *o)
{
    return (int)(o->one.units * x->plan->unit.wire_each);
}

static int send(const atn_run *x, const atn_xop *o, void *data)
{
    const MPI_Datatype type = x->plan->unit.wire;
    const int tag = x->tag0 + o->seq;
    MPI_Request request;

    if (o->ssend)
        return PMPI_Ssend(data, wire_count(x, o), type, o->peer, tag, x->comm);
    if (!x->x->yield)
        return PMPI_Send(data, wire_count(x, o), type, o->peer, tag, x->comm);
    const int code = PMPI_Isend(data, wire_count(x, o), type, o->peer, tag, x->comm, &request);
    return code == MPI_SUCCESS ? atn_wait_all(true, 1, &request) : code;
}

static int receive(const atn_run *x, const atn_xop *o, void *data)
{
    const MPI_Datatype type = x->plan->unit.wire;
    const int tag = x->tag0 + o->seq;
    MPI_Request request;

    if (!x->x->yield)
        return PMPI_Recv(data, wire_count(x, o), type, o->peer, tag, x->comm, MPI_STATUS_IGNORE);
    const int code = PMPI_Irecv(data, wire_count(x, o), type, o->peer, tag, x->comm, &request);
    return code == MPI_SUCCESS ? atn_wait_all(true, 1, &request) : code;
}

/* o[0] is sent, o[1] received. */
static int exchange(const atn_run *x, const atn_xop *o, void *out, void *in)
{
    const MPI_Datatype type = x->plan->unit.wire;
    MPI_Request request[2];

    if (!x->x->yield && !o->ssend)
        return PMPI_Sendrecv(out, wire_count(x, o), type, o->peer, x->tag0 + o->seq, in,
                             wire_count(x, o + 1), type, o[1].peer, x->tag0 + o[1].seq, x->comm,
                             MPI_STATUS_IGNORE);
    int code = PMPI_Irecv(in, wire_count(x, o + 1), type, o[1].peer, x->tag0 + o[1].seq, x->comm,
                          &request[0]);
    if (code == MPI_SUCCESS)
        code = (o->ssend ? PMPI_Issend : PMPI_Isend)(out, wire_count(x, o), type, o->peer,
                                                     x->tag0 + o->seq, x->comm, &request[1]);
    return code == MPI_SUCCESS ? atn_wait_all(x->x->yield, 2, request) : code;
}

static int step(const atn_run *x, const atn_xop *o)
{
    int code = MPI_SUCCESS;

    switch ((atn_xkind)o->kind) {
    case X_NOTHING:
        return MPI_SUCCESS;
    case X_COPY:
    case X_REDUCE:
        return atn_run_local(x, o);
    case X_SEND:
        if (o->nparts > 1)
            code = atn_gather_wire(x, o);
        return code == MPI_SUCCESS ? send(x, o, atn_message(x, o)) : code;
    case X_RECV:
        code = receive(x, o, atn_message(x, o));
        return code == MPI_SUCCESS && o->nparts > 1 ? atn_scatter_wire(x, o) : code;
    case X_EXCHANGE:
        if (o->nparts > 1)
            code = atn_gather_wire(x, o);
        if (code == MPI_SUCCESS)
            code = exchange(x, o, atn_message(x, o), atn_message(x, o + 1));
        return code == MPI_SUCCESS && o[1].nparts > 1 ? atn_scatter_wire(x, o + 1) : code;
    }
    return MPI_ERR_INTERN;
}

int atn_run_chain(atn_run *x)
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
