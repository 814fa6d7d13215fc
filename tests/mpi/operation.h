/* operation.h - one collective call in any form: blocking, nonblocking, persistent, with counts of
 * type MPI_Count.  Each rank computes the whole content of its receive buffer, with the gaps
 * between blocks, holes of the datatype and guards around it, before the call. */
#ifndef TEST_OPERATION_H
#define TEST_OPERATION_H

#include "harness.h"

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

/* Open MPI 4 has the persistent collectives of MPI 4 under the names of an extension. */
#if defined(OPEN_MPI) && defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define T_INIT(name) MPIX_##name##_init
#elif MPI_VERSION >= 4
#define T_INIT(name) MPI_##name##_init
#endif

/* Every collective; those of neighbourhoods are the last ones. */
enum {
    T_BARRIER,
    T_BCAST,
    T_GATHER,
    T_GATHERV,
    T_SCATTER,
    T_SCATTERV,
    T_ALLGATHER,
    T_ALLGATHERV,
    T_ALLTOALL,
    T_ALLTOALLV,
    T_ALLTOALLW,
    T_REDUCE,
    T_ALLREDUCE,
    T_REDUCE_SCATTER,
    T_REDUCE_SCATTER_BLOCK,
    T_SCAN,
    T_EXSCAN,
    T_WITHOUT_TOPOLOGY,
    T_NEIGHBOR_ALLGATHER = T_WITHOUT_TOPOLOGY,
    T_NEIGHBOR_ALLGATHERV,
    T_NEIGHBOR_ALLTOALL,
    T_NEIGHBOR_ALLTOALLV,
    T_NEIGHBOR_ALLTOALLW,
    T_KINDS
};

typedef enum {
    T_BLOCKING,
    T_NONBLOCKING,
    T_PERSISTENT,
    T_NONBLOCKING_LARGE, /* with counts of type MPI_Count */
    T_PERSISTENT_LARGE,
    T_FORMS
} t_form;

bool t_form_exists(t_form form); /* in this MPI */
bool t_form_persists(t_form form);
const char *t_form_name(t_form form);

/* Operators of reductions; the first two are those of MPI. */
enum { T_SUM, T_MAX, T_USER_SUM, T_USER_ORDERED, T_OPERATORS };

typedef struct {
    int kind;
    int elements;  /* of a block; blocks of vector operations have 0 to 2 times as many */
    int root;      /* ignored by operations without one */
    int reduction; /* one of the operators above */
    bool in_place; /* ignored where MPI does not permit it */
    bool holes;    /* elements with holes; reductions then need an operator of the user */
} t_shape;

typedef struct t_operation t_operation;

/* Whether Attune serves calls of a kind on a communicator: with TEST_SERVED, all that it can. */
bool t_kind_served(int kind, MPI_Comm comm);
/* Whether persistent requests of a kind can be started several times with other contents.  MPICH
 * itself copies some blocks in the initialization, or continues where the last start ended. */
bool t_kind_persists(int kind, bool served);

/* A shape from a seed, valid for a communicator of p ranks. */
t_shape t_shape_random(int kind, uint64_t seed, int p, int most_elements);
/* Buffers and arguments, the same shape and seed on all ranks of comm. */
t_operation *t_operation_new(const t_shape *shape, MPI_Comm comm, uint64_t seed);
/* The call.  `request` is ignored by the blocking form; persistent ones are made, not started. */
int t_operation_call(t_operation *o, t_form form, MPI_Request *request);
/* Other contents, for the next start of a persistent request. */
void t_operation_refill(t_operation *o, uint64_t seed);
bool t_operation_served(const t_operation *o); /* see t_kind_served */
/* Frees the datatype and the operator, which MPI permits once the call was made. */
void t_operation_free_handles(t_operation *o);
/* The number of wrong ints after completion, in both buffers. */
long t_operation_wrong(const t_operation *o);
/* A hash of the receive buffer without what MPI leaves undefined. */
uint64_t t_operation_hash(const t_operation *o);
/* The number of wrong ints; frees the operation. */
long t_operation_end(t_operation *o);
const char *t_operation_text(t_operation *o); /* for messages */

#endif
