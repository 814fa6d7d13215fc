/* place.h - where the ranks of a communicator are: one rank reads the topology, all get the same
 * text and the same host names, so all derive the same placed topology or none. */
#ifndef ATN_PLACE_H
#define ATN_PLACE_H

#include <mpi.h>

#include "topo/topo.h"

/* The MPI library's own routines (the preload library interposes the public names). */
typedef struct {
    int (*bcast)(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm);
    int (*allgather)(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
    int (*allreduce)(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm);
} atn_place_mpi;

/* `name` (rank 0's; others pass anything): a file, a synthetic string, or ATN_TOPO_HOSTS.  A rank
 * is where its host's name says, and on the part of it that it is bound to, if the topology has
 * parts.  On every rank either *topo_p is set, or it is NULL; then `err` holds the reason on rank
 * 0. */
void atn_place_ranks(const atn_place_mpi *mpi, MPI_Comm comm, const char *name, atn_topo **topo_p,
                     atn_error *err);

/* ---- the steps of it, for who has other things to tell at the same time ---- */

/* Where a rank is by its own account: all that others need to know, so that one exchange serves
 * both for the topology and for crowd.h. */
typedef struct atn_seat {
    char host[72];      /* the kernel's limit is 64 */
    int32_t part;       /* node of the topology that it is bound to; -1: none */
    int32_t processors; /* of the kernel that it runs on */
    uint64_t kernel;    /* ranks that share one share its processors */
    uint64_t word;      /* the caller's */
} atn_seat;

/* The topology as text, NULL with the reason in err when it cannot be read. */
char *atn_place_text(const char *name, atn_error *err);
/* Reads such a text; the tree is NULL when hosts are all that is asked for. */
atn_status atn_place_tree(const char *text, const char *origin, atn_topo **tree_p, atn_error *err);
void atn_seat_own(const atn_topo *tree, atn_seat *seat_p);
/* Without a tree all hosts are on one switch. */
atn_status atn_place_seats(const atn_topo *tree, const atn_seat *seats, int p, atn_topo **topo_p,
                           atn_error *err);
/* Those of all ranks; NULL on all when somebody has no room. */
atn_seat *atn_seats_share(const atn_place_mpi *mpi, MPI_Comm comm, const atn_topo *tree);

#endif
