/* exchange.h - exchanges of small data between all ranks of a communicator.
 *
 * An MPI library may use a ring for an allgather, or one message from every rank to the root for a
 * gather; at a thousand ranks, that takes longer than everything else in the start of a job.  Here
 * a rank sends ceil(log2 p) messages, or at most two and one to each of its log2 p children. */
#ifndef ATN_EXEC_EXCHANGE_H
#define ATN_EXEC_EXCHANGE_H

#include <mpi.h>
#include <stdint.h>

/* Collective: the blocks of all ranks, `bytes` each, in the order of ranks.  Without allocation.
 * Returns an MPI error code. */
int atn_exec_exchange(const void *own, int bytes, void *all, MPI_Comm comm);

/* Combines the data of all ranks on rank 0, along a binomial tree. */
typedef struct {
    /* What a rank below this one has sent; the data are NULL if there was no memory for them. */
    void (*take)(void *context, const char *data, int64_t bytes);
    /* What this rank sends: its own data and all that it has taken; valid until the next call. */
    const char *(*give)(void *context, int64_t *bytes_p);
    void *context;
} atn_collection;
/* Collective; rank 0 does not give. */
void atn_exec_collect(const atn_collection *x, MPI_Comm comm);

/* Some ranks of a communicator, in an order that all of them share. */
typedef struct {
    MPI_Comm comm;
    int n, own; /* how many there are, and which one this is */
    int (*rank_of)(const void *context, int i);
    const void *context;
} atn_team;
/* The same among them; the first one does not give. */
void atn_exec_team_collect(const atn_collection *x, const atn_team *t);
/* The value of the first one on all. */
void atn_exec_team_spread(int *value, const atn_team *t);

#endif
