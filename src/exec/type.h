/* type.h - properties of datatypes and operators for the executor.
 *
 * Callers cache results together with atn_exec_handles_epoch(): handles are reused after a free,
 * so a result for a derived type or user operator is valid only while the epoch is unchanged. */
#ifndef ATN_EXEC_TYPE_H
#define ATN_EXEC_TYPE_H

#include <mpi.h>

#include "base/base.h"
#include "kernel/kernel.h"

typedef struct {
    int64_t size; /* packed bytes of one element */
    int64_t extent, true_lb, true_extent;
    bool contiguous; /* an array of it is size * count raw bytes in order */
    bool named;      /* predefined: the handle is never reused */
} atn_type;

/* False when the handle is not a usable datatype. */
bool atn_exec_type_query(MPI_Datatype type, atn_type *type_p);

typedef struct {
    bool commutes;
    bool named;
    bool orderless; /* every order of operands gives the same bits */
} atn_operator;

/* False if this pair of operator and type must be left to the native routine: it is not certain to
 * be valid, or elements overlap.  Depends only on data that all ranks share. */
bool atn_exec_operator_query(MPI_Op op, MPI_Datatype type, const atn_type *info,
                             atn_operator *op_p);

/* The kernel that combines elements of `stride` bytes; NULL: none. */
atn_kernel atn_exec_kernel_of(MPI_Op op, MPI_Datatype type, int64_t stride);

uint64_t atn_exec_handles_epoch(void);

#endif
