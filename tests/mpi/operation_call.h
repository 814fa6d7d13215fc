/* operation_call.h - the calls of operation.c: every collective in every form. */
#ifndef TEST_OPERATION_CALL_H
#define TEST_OPERATION_CALL_H

#include "operation.h"

/* The blocks of one buffer.  Displacements are in elements; peers are ranks, or MPI_PROC_NULL. */
typedef struct {
    int blocks, elements; /* elements: behind the last block */
    int *peers, *counts, *displs, *byte_displs;
    MPI_Count *large_counts;
    MPI_Aint *large_displs, *large_byte_displs;
    MPI_Datatype *types;
} t_layout;

typedef struct {
    const void *send;
    void *receive;
    int count; /* of the single send block, or of every block */
    const t_layout *from, *to;
    MPI_Datatype type;
    MPI_Op op;
    int root;
    MPI_Comm comm;
} t_arguments;

int t_call(int kind, const t_arguments *a, t_form form, MPI_Request *request);

#endif
