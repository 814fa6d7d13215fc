/* probe.c - see probe.h.
 *
 * The send buffer is read in place, and the receive buffer, which the call itself will
 * overwrite, takes the result.  Only a call with MPI_IN_PLACE needs memory for both.  Datatypes
 * are predefined, because operators are. */
#include "pmpi/select/probe.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

typedef struct {
    atn_call call;
    int *counts; /* reduce_scatter */
    void *room;
} trial;

static int64_t count_at(const atn_call *call, int i)
{
    const void *const counts = call->src.counts;
    return call->wide ? (int64_t)((const MPI_Count *)counts)[i] : ((const int *)counts)[i];
}

/* Number of elements that a rank contributes. */
static int64_t elements(const atn_comm *c, const atn_call *call)
{
    int64_t n = 0;
    if (call->op == ATN_REDUCE_SCATTER_BLOCK)
        return call->src.count * c->p;
    if (call->op != ATN_REDUCE_SCATTER)
        return call->src.count;
    for (int i = 0; i < c->p; i++)
        n += count_at(call, i);
    return n;
}

static bool copy_in_place(const atn_comm *c, trial *t)
{
    MPI_Aint lb, extent;
    PMPI_Type_get_extent(t->call.src.type, &lb, &extent);
    const size_t bytes = (size_t)(elements(c, &t->call) * extent);
    char *const room = malloc(2 * bytes + 1);
    if (room == NULL)
        return false;
    memcpy(room, t->call.dst.buf, bytes);
    t->call.src.buf = t->room = room;
    t->call.dst.buf = room + bytes;
    t->call.in_place = false;
    return true;
}

/* The native routine takes counts of type int, whichever variant the program called. */
static bool narrow_counts(const atn_comm *c, trial *t)
{
    if (t->call.op != ATN_REDUCE_SCATTER)
        return true;
    t->counts = malloc((size_t)c->p * sizeof *t->counts);
    for (int i = 0; i < c->p && t->counts != NULL; i++)
        t->counts[i] = (int)count_at(&t->call, i);
    return t->counts != NULL;
}

static int run_native(const atn_comm *c, const trial *t)
{
    const atn_call *const call = &t->call;
    const void *const src = call->src.buf;
    void *const dst = call->dst.buf;
    const MPI_Datatype type = call->src.type;
    const int n = (int)call->src.count;
    switch (call->op) {
    case ATN_REDUCE:
        return atn_pmpi_real.Reduce(src, dst, n, type, call->mpi_op, call->root, c->user);
    case ATN_ALLREDUCE:
        return atn_pmpi_real.Allreduce(src, dst, n, type, call->mpi_op, c->user);
    case ATN_REDUCE_SCATTER:
        return atn_pmpi_real.Reduce_scatter(src, dst, t->counts, type, call->mpi_op, c->user);
    case ATN_REDUCE_SCATTER_BLOCK:
        return atn_pmpi_real.Reduce_scatter_block(src, dst, n, type, call->mpi_op, c->user);
    case ATN_SCAN:
        return atn_pmpi_real.Scan(src, dst, n, type, call->mpi_op, c->user);
    default:
        return atn_pmpi_real.Exscan(src, dst, n, type, call->mpi_op, c->user);
    }
}

static int run_timed(atn_comm *c, const trial *t, const atn_problem *q, const atn_turn *turn)
{
    int code;
    atn_problem moved = *q;
    moved.in_place = false;
    atn_plan *const plan = atn_exec_plan_as(c->exec, &t->call, &moved, turn->shadow, &code);
    if (code != MPI_SUCCESS)
        return code;
    const int64_t start = atn_ticks();
    code = plan != NULL ? atn_exec_run(c->exec, plan, &t->call, c->private_comm) : run_native(c, t);
    atn_tune_driver_note(turn, atn_ticks() - start);
    return code;
}

int atn_select_probe(atn_comm *c, const atn_call *call, const atn_problem *q, const atn_turn *turn)
{
    trial t = {.call = *call};
    const bool ready = (!call->in_place || copy_in_place(c, &t)) && narrow_counts(c, &t);
    const int code = ready ? run_timed(c, &t, q, turn) : MPI_ERR_NO_MEM;
    free(t.room);
    free(t.counts);
    return code;
}
