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

#endif
