/* arguments.h - the macros of calls.def that describe the arguments of a call: they fill an
 * atn_call. */
#ifndef ATN_PMPI_ENTRY_ARGUMENTS_H
#define ATN_PMPI_ENTRY_ARGUMENTS_H

#include "exec/exec.h"

static inline void atn_entry_put(atn_user *u, const void *buf, int64_t count, MPI_Datatype type)
{
    *u = (atn_user){.buf = (void *)buf, .count = count, .type = type};
}
static inline void atn_entry_put_v(atn_user *u, const void *buf, const void *counts,
                                   const void *displs, MPI_Datatype type)
{
    *u = (atn_user){.buf = (void *)buf, .counts = counts, .displs = displs, .type = type};
}
static inline void atn_entry_put_w(atn_user *u, const void *buf, const void *counts,
                                   const void *displs, const MPI_Datatype *types)
{
    *u = (atn_user){.buf = (void *)buf,
                    .counts = counts,
                    .displs = displs,
                    .types = types,
                    .type = MPI_DATATYPE_NULL};
}
#define SIDE(side, buf, n, type) atn_entry_put(&call.side, buf, n, type);
#define SIDE_V(side, buf, counts, displs, type)                                                    \
    atn_entry_put_v(&call.side, buf, counts, displs, type);
#define SIDE_W(side, buf, counts, displs, types)                                                   \
    atn_entry_put_w(&call.side, buf, counts, displs, types);
#define EDGES_IN(buf, n, type)                  SIDE(dst, buf, n, type)
#define EDGES_IN_V(buf, counts, displs, type)   SIDE_V(dst, buf, counts, displs, type)
#define EDGES_IN_W(buf, counts, displs, types)  SIDE_W(dst, buf, counts, displs, types)
#define EDGES_OUT_V(buf, counts, displs, type)  SIDE_V(src, buf, counts, displs, type)
#define EDGES_OUT_W(buf, counts, displs, types) SIDE_W(src, buf, counts, displs, types)
#define IN_PLACE(side, buffer, other)                                                              \
    if ((buffer) == MPI_IN_PLACE) {                                                                \
        call.in_place = true;                                                                      \
        call.side = call.other;                                                                    \
    }

/* An atn_call of an operation, named `call`, to be filled by the row of the operation. */
#define ATN_CALL_OF(id)                                                                            \
    atn_call call = {.op = ATN_##id, .wide = ATN_WIDE, .mpi_op = MPI_OP_NULL};                     \
    call.src = call.dst = (atn_user){.type = MPI_DATATYPE_NULL};

#endif
