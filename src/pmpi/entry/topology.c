/* topology.c - the topology as programs see it (include/attune/topology.h): an attribute of the
 * communicator, whose key programs may also query. */
#include "pmpi/entry/topology.h"

#include <mpi.h>

#define ATTUNE_INSIDE
#include "attune/topology.h"

#include <pthread.h>
#include <stdlib.h>

#include "pmpi/comm/group.h"
#include "pmpi/comm/trees.h"

/* The value of the attribute; it begins with the part that programs see. */
typedef struct {
    attune_topology seen;
    atn_topo *topo; /* holds the names */
    int *numbers;
    const char **names;
} placement;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* making attributes */
static int key = MPI_KEYVAL_INVALID;

static void free_placement(placement *k)
{
    if (k == NULL)
        return;
    atn_comm_tree_give(k->topo);
    free(k->numbers);
    free(k->names);
    free(k);
}

static int attribute_deleted(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)extra;
    free_placement(value);
    return MPI_SUCCESS;
}

/* Takes ownership of the topology; NULL: no memory. */
static placement *make_placement(atn_topo *topo)
{
    placement *const k = calloc(1, sizeof *k);
    if (k == NULL || topo == NULL) {
        atn_comm_tree_give(topo);
        free(k);
        return NULL;
    }
    const size_t p = (size_t)topo->p, levels = (size_t)atn_topo_depth(topo) + 1;
    k->topo = topo;
    k->numbers = malloc(p * (levels + 1) * sizeof *k->numbers);
    k->names = malloc(p * levels * sizeof *k->names);
    if (k->numbers == NULL || k->names == NULL ||
        !atn_topo_descents(topo, (int)levels, k->numbers, k->numbers + p, k->names)) {
        free_placement(k);
        return NULL;
    }
    k->seen = (attune_topology){.ranks = topo->p,
                                .levels = (int)levels,
                                .depth = k->numbers,
                                .cluster = k->numbers + p,
                                .name = k->names};
    return k;
}

/* For communicators whose processes all belong to this job. */
static placement *attach_placement(MPI_Comm comm)
{
    int between = 1, p = 0;
    if (PMPI_Comm_test_inter(comm, &between) != MPI_SUCCESS || between)
        return NULL;
    PMPI_Comm_size(comm, &p);
    int *const ranks = atn_comm_world_ranks(comm);
    bool within = ranks != NULL;
    for (int i = 0; i < p && within; i++)
        within = ranks[i] != MPI_UNDEFINED;
    placement *k =
        within ? make_placement(atn_comm_tree_take(atn_job_current.topo, ranks, p)) : NULL;
    free(ranks);
    if (k != NULL && PMPI_Comm_set_attr(comm, key, k) != MPI_SUCCESS) {
        free_placement(k);
        k = NULL;
    }
    return k;
}

const attune_topology *attune_topology_of(MPI_Comm comm)
{
    void *value = NULL;
    int found = 0;
    if (key == MPI_KEYVAL_INVALID || comm == MPI_COMM_NULL)
        return NULL;
    pthread_mutex_lock(&lock);
    if (PMPI_Comm_get_attr(comm, key, &value, &found) != MPI_SUCCESS || !found)
        value = attach_placement(comm);
    pthread_mutex_unlock(&lock);
    return value;
}

int attune_topology_key(void) { return key; }

void atn_entry_topology_start(void)
{
    if (atn_job_current.topo != NULL &&
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, attribute_deleted, &key, NULL) ==
            MPI_SUCCESS)
        attune_topology_of(MPI_COMM_WORLD);
}

void atn_entry_topology_stop(void)
{
    void *value;
    int found = 0;
    if (key == MPI_KEYVAL_INVALID)
        return;
    if (PMPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &found) == MPI_SUCCESS && found)
        PMPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    PMPI_Comm_free_keyval(&key);
}
