/* place.h - rank mapping of a communicator: one rank reads the topology, all get the same text and
 * the same host names, so all derive the same placed topology or none. */
#ifndef ATN_EXEC_PLACE_H
#define ATN_EXEC_PLACE_H

#include <mpi.h>

#include "sched/operation.h"
#include "topo/topo.h"

/* The real routines (the preload library interposes the public names). */
typedef struct atn_place_mpi {
    int (*bcast)(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm);
    int (*allreduce)(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm);
} atn_place_mpi;

/* `name` (rank 0's; others pass anything): a file, a synthetic string, or ATN_TOPO_HOSTS.  A rank
 * is placed by its host name, and on the part of the host that it is bound to, if the topology has
 * parts.  On every rank either *topo_p is set, or it is NULL; then `err` holds the reason on rank
 * 0. */
void atn_exec_place_ranks(const atn_place_mpi *mpi, MPI_Comm comm, const char *name,
                          atn_topo **topo_p, atn_error *err);

/* Whether all ranks have something; collective. */
bool atn_exec_all_have(const atn_place_mpi *mpi, MPI_Comm comm, bool have);

/* ---- the single steps, for callers that combine the exchange with others ---- */

/* The location of a rank, determined by the rank; one exchange of locations serves both the
 * topology and oversubscribed.h. */
typedef struct atn_location {
    char host[72];      /* the kernel's limit is 64 */
    int32_t part;       /* node of the topology that the rank is bound to; -1: none */
    int32_t processors; /* of its kernel */
    uint64_t kernel;    /* ranks with the same kernel share its processors */
    uint64_t memory;    /* ranks with the same kernel and this should share memory; 0: none */
    uint64_t word;      /* the caller's */
} atn_location;

/* The topology as text, NULL with the reason in err when it cannot be read. */
char *atn_exec_place_text(const char *name, atn_error *err);
/* Reads such a text; the tree is NULL if only hosts are requested. */
atn_status atn_exec_place_tree(const char *text, const char *origin, atn_topo **tree_p,
                               atn_error *err);
void atn_exec_location_own(const atn_topo *tree, atn_location *location_p);
/* The ranks that should be able to read each other's memory; proven when it is mapped.  Without
 * memory none, which callers must agree on. */
atn_sharing atn_exec_locations_sharing(const atn_location *locations, int p);
/* The number of hosts; 0: no memory. */
int atn_exec_locations_hosts(const atn_location *locations, int p);
/* Without a tree all hosts are on one switch. */
atn_status atn_exec_place_locations(const atn_topo *tree, const atn_location *locations, int p,
                                    atn_topo **topo_p, atn_error *err);
/* The locations of all ranks; NULL on all if any rank is out of memory. */
atn_location *atn_exec_locations_share(const atn_place_mpi *mpi, MPI_Comm comm,
                                       const atn_topo *tree);

#endif
