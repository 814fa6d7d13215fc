/* native.c - see native.h.
 *
 * calls.def names equal arguments alike, so one list of variables serves all routines. */
#include "pmpi/nonblocking/native.h"

#include "pmpi/real.h"

typedef int (*native_fn)(const atn_call *call, MPI_Comm comm, MPI_Request *request);

#define MAYBE __attribute__((unused))

/* Arguments that MPI ignores on this rank are null in the call. */
#define ARGUMENTS                                                                                  \
    const bool scatters = call->op == ATN_SCATTER || call->op == ATN_SCATTERV;                     \
    const atn_user *const src = &call->src, *const dst = &call->dst;                               \
    const atn_user *const one MAYBE = call->op == ATN_BCAST ? dst : src;                           \
    const bool no_source MAYBE = call->in_place && !scatters;                                      \
    const void *const sendbuf MAYBE = no_source ? MPI_IN_PLACE : src->buf;                         \
    void *const recvbuf MAYBE = call->in_place && scatters ? MPI_IN_PLACE : dst->buf;              \
    void *const buf MAYBE = dst->buf;                                                              \
    const ATN_N sendcount MAYBE = (ATN_N)src->count, recvcount MAYBE = (ATN_N)dst->count,          \
                          count MAYBE = (ATN_N)one->count;                                         \
    const MPI_Datatype sendtype MAYBE = src->type, recvtype MAYBE = dst->type,                     \
                                type MAYBE = one->type;                                            \
    const MPI_Datatype *const sendtypes MAYBE = src->types, *const recvtypes MAYBE = dst->types;   \
    const void *const sendcounts MAYBE = src->counts, *const recvcounts MAYBE = dst->counts;       \
    const void *const sdispls MAYBE = src->displs, *const rdispls MAYBE = dst->displs;             \
    const void *const displs MAYBE = scatters ? sdispls : rdispls;                                 \
    const MPI_Op op MAYBE = call->mpi_op;                                                          \
    const int root MAYBE = call->root;

#define ATN_CALL(name, id, formals, actuals, ...)                                                  \
    static int native_##name(const atn_call *call, MPI_Comm comm, MPI_Request *request)            \
    {                                                                                              \
        ARGUMENTS                                                                                  \
        return atn_pmpi_real.ATN_NONBLOCKING_##name ATN_I_ACTUALS(actuals);                        \
    }
#include "interpose/calls.def"

/* The second index: large counts. */
static const native_fn routines[ATN_OPERATIONS][2] = {
#define ATN_CALL(name, id, formals, actuals, ...) [ATN_##id][ATN_WIDE] = native_##name,
#include "interpose/calls.def"
};

int atn_nonblocking_native(const atn_call *call, MPI_Comm comm, MPI_Request *request)
{
    return routines[call->op][call->wide](call, comm, request);
}
