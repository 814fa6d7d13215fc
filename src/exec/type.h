/* type.h - what the executor needs to know of a datatype or an operator.
 *
 * Answers are cached by the caller together with atn_handles_epoch(): handles are reused after a
 * free, so an answer about a derived type or user operator holds only while the epoch stands. */
#ifndef ATN_TYPE_H
#define ATN_TYPE_H

#include <mpi.h>

#include "base/base.h"
#include "kernel/kernel.h"

typedef struct {
    int64_t size; /* packed bytes of one element */
    int64_t extent, true_lb, true_extent;
    bool contiguous; /* an array of it is size * count raw bytes in order */
    bool named;      /* predefined: the handle never changes its meaning */
} atn_type;

/* False when the handle is not a usable datatype. */
bool atn_type_query(MPI_Datatype type, atn_type *type_p);

typedef struct {
    bool commutes;
    bool named;
    bool orderless; /* every order of operands gives the same bits */
} atn_operator;

/* False when Attune must leave this pair of operator and type to the native routine: the pair is
 * not known to be valid, or elements overlap.  Depends on nothing that ranks do not share. */
bool atn_operator_query(MPI_Op op, MPI_Datatype type, const atn_type *info, atn_operator *op_p);

/* The kernel that combines elements of `stride` bytes; NULL: there is none. */
atn_kernel atn_kernel_of(MPI_Op op, MPI_Datatype type, int64_t stride);

uint64_t atn_handles_epoch(void);

#endif
