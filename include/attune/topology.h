/**
 * @file topology.h
 * @brief Topology of the ranks of a communicator, as Attune uses it.
 *
 * Every rank has a depth and, for each level 0 .. depth - 1, a cluster.  Level 0 contains all ranks
 * of the communicator; the following levels are those of the topology: sites, switches, hosts,
 * parts of hosts.  Ranks in one cluster are closer to each other than to other ranks.  Depths may
 * differ between ranks.
 *
 * The topology is available if ATTUNE_TOPOLOGY or `attune run --topology` specifies one.
 * Otherwise, and if the program runs without Attune, the inline functions at the end return
 * "unknown"; they need no library.
 */
#ifndef ATTUNE_TOPOLOGY_H
#define ATTUNE_TOPOLOGY_H

#include <mpi.h>
#include <stddef.h>

#include "attune/version.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef ATTUNE_INSIDE
#define ATTUNE_API __attribute__((visibility("default")))
#else
#define ATTUNE_API __attribute__((weak))
#endif

/** The clusters of all ranks of a communicator. */
typedef struct {
    int ranks;               /**< Number of ranks. */
    int levels;              /**< Largest depth of any rank. */
    const int *depth;        /**< Depth of each rank. */
    const int *cluster;      /**< [rank * levels + level]: numbered by smallest rank; -1: none. */
    const char *const *name; /**< Likewise: "site", "switch", "host" ...; NULL: none. */
} attune_topology;

/**
 * Topology of an intra-communicator.
 *
 * A local call with the same result on all ranks.  Weak: test its address as described in
 * attune/attune.h, or use the inline functions below.
 *
 * @param comm The communicator.
 * @return The topology, valid until the communicator is freed or MPI_Finalize; NULL if unknown.
 */
ATTUNE_API const attune_topology *attune_topology_of(MPI_Comm comm);

/**
 * Key of the communicator attribute that holds the same pointer.
 *
 * MPI_COMM_WORLD has the attribute from MPI_Init on, other communicators after
 * attune_topology_of() was called for them.
 *
 * @return The key; MPI_KEYVAL_INVALID if the topology is unknown.
 */
ATTUNE_API int attune_topology_key(void);

#undef ATTUNE_API

#ifndef ATTUNE_INSIDE

/* ---- with or without Attune ---- */

/**
 * Depth of a rank.
 *
 * @return Number of levels; 0 if unknown.
 */
static inline int attune_depth(MPI_Comm comm, int rank)
{
    const attune_topology *t = attune_topology_of != NULL ? attune_topology_of(comm) : NULL;
    return t != NULL && rank >= 0 && rank < t->ranks ? t->depth[rank] : 0;
}

/**
 * Cluster of a rank at a level.
 *
 * @return Number of the cluster; -1 if unknown or if the rank has no such level.
 */
static inline int attune_cluster(MPI_Comm comm, int rank, int level)
{
    return level >= 0 && level < attune_depth(comm, rank)
               ? attune_topology_of(comm)->cluster[rank * attune_topology_of(comm)->levels + level]
               : -1;
}

/**
 * Name of the clusters of a level at a rank, such as "host".
 *
 * @return The name; NULL if unknown or if the rank has no such level.
 */
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
