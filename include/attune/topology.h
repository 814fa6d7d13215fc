/* topology.h - for programs that want to know where their ranks are, as Attune does.
 *
 * Every rank has a depth and, for each level 0 .. depth - 1, a cluster.  Level 0 joins all ranks of
 * the communicator; below come, as the topology has them, sites, switches, hosts, parts of hosts.
 * Ranks of one cluster are nearer to each other than to others.  Depths may differ.
 *
 * Attune knows this when ATTUNE_TOPOLOGY (or attune run --topology) names a topology.  Without it,
 * and when the program runs without Attune, nothing is known: the functions at the bottom, which
 * need no library, then say so. */
#ifndef ATTUNE_TOPOLOGY_H
#define ATTUNE_TOPOLOGY_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef ATTUNE_INSIDE
#define ATTUNE_API __attribute__((visibility("default")))
#else
#define ATTUNE_API __attribute__((weak))
#endif

typedef struct {
    int ranks;               /* of the communicator */
    int levels;              /* of the deepest rank */
    const int *depth;        /* of each rank */
    const int *cluster;      /* [rank * levels + level]: 0, 1 ... by smallest rank; -1: none */
    const char *const *name; /* likewise: "site", "switch", "host" ...; NULL: none */
} attune_topology;

/* Where the ranks of an intra-communicator are; NULL: not known.  A local call, the same on all
 * ranks; what it returns lives as long as the communicator and until MPI_Finalize.
 * Weak: ask whether it is there (attune.h), or use the functions below. */
ATTUNE_API const attune_topology *attune_topology_of(MPI_Comm comm);

/* The key of the communicator attribute that holds the same pointer: on MPI_COMM_WORLD from
 * MPI_Init on, on others once attune_topology_of was called.  MPI_KEYVAL_INVALID: nothing known. */
ATTUNE_API int attune_topology_key(void);

#undef ATTUNE_API

#ifndef ATTUNE_INSIDE

/* ---- with or without Attune ---- */

/* Levels of a rank; 0: not known. */
static inline int attune_depth(MPI_Comm comm, int rank)
{
    const attune_topology *t = attune_topology_of != NULL ? attune_topology_of(comm) : NULL;
    return t != NULL && rank >= 0 && rank < t->ranks ? t->depth[rank] : 0;
}

/* The cluster of a level that a rank is in; -1: not known, or it has no such level. */
static inline int attune_cluster(MPI_Comm comm, int rank, int level)
{
    return level >= 0 && level < attune_depth(comm, rank)
               ? attune_topology_of(comm)->cluster[rank * attune_topology_of(comm)->levels + level]
               : -1;
}

/* What the clusters of a level are called where that rank is; NULL: as above. */
static inline const char *attune_level_name(MPI_Comm comm, int rank, int level)
{
    return level >= 0 && level < attune_depth(comm, rank)
               ? attune_topology_of(comm)->name[rank * attune_topology_of(comm)->levels + level]
               : NULL;
}

#endif

#ifdef __cplusplus
}
#endif
#endif
