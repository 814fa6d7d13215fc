/* place.c - see place.h. */
#include "exec/place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/exchange.h"
#include "exec/host.h"
#include "topo/inside.h"

/* ---- text ---- */

char *atn_exec_place_text(const char *name, atn_error *err)
{
    atn_topo *topo = NULL;

    if (strcmp(name, ATN_TOPO_HOSTS) == 0)
        return strdup(name);
    if (atn_topo_load(name, &topo, err) != ATN_OK)
        return NULL;
    char *text = atn_topo_print(topo);
    atn_topo_free(topo);
    if (!text)
        atn_fail(err, ATN_MEMORY, "out of memory");
    return text;
}

atn_status atn_exec_place_tree(const char *text, const char *origin, atn_topo **tree_p,
                               atn_error *err)
{
    *tree_p = NULL;
    return strcmp(text, ATN_TOPO_HOSTS) == 0 ? ATN_OK
                                             : atn_topo_parse_slurm(text, origin, tree_p, err);
}

bool atn_exec_all_have(const atn_place_mpi *mpi, MPI_Comm comm, bool have)
{
    int all = have;
    return mpi->allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all;
}

/* Rank 0's text on every rank; NULL on all if rank 0 has none or any rank is out of memory. */
static char *share_text(const atn_place_mpi *mpi, MPI_Comm comm, int r, char *text)
{
    int64_t bytes = text ? (int64_t)strlen(text) + 1 : 0;

    if (mpi->bcast(&bytes, 1, MPI_INT64_T, 0, comm) != MPI_SUCCESS || bytes == 0)
        return NULL;
    if (r != 0)
        text = malloc((size_t)bytes);
    if (!atn_exec_all_have(mpi, comm, text != NULL) ||
        mpi->bcast(text, (int)bytes, MPI_CHAR, 0, comm) != MPI_SUCCESS) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- locations ---- */

static int find_part(const atn_topo *tree, const char *name)
{
    for (int v = 0; v < tree->nnodes; v++)
        if (tree->nodes[v].kind == ATN_TOPO_PART && strcmp(tree->nodes[v].name, name) == 0)
            return v;
    return -1;
}

/* The part of its host that this rank is bound to, if the topology has it. */
static int own_part(const atn_topo *tree, const char *host)
{
    char part[ATN_PART_NAME], full[512];
    atn_topo *here = NULL;

    if (!atn_topo_has_kind(tree, ATN_TOPO_PART) ||
        atn_topo_inside_part("this", NULL, part, NULL) != ATN_OK || *part == '\0' ||
        atn_topo_place(tree, &host, 1, &here, NULL) != ATN_OK)
        return -1;
    snprintf(full, sizeof full, "%s/%s", here->nodes[here->node_of[0]].name, part);
    atn_topo_free(here);
    return find_part(tree, full);
}

void atn_exec_location_own(const atn_topo *tree, atn_location *location_p)
{
    *location_p = (atn_location){.part = -1,
                                 .kernel = atn_exec_host_kernel(),
                                 .memory = atn_exec_host_memory(),
                                 .processors = (int32_t)sysconf(_SC_NPROCESSORS_ONLN)};
    atn_exec_host_name(location_p->host, sizeof location_p->host);
    if (tree && !ATN_SIMULATED)
        location_p->part = own_part(tree, location_p->host);
}

typedef struct {
    uint64_t kernel, memory;
} domain;

static int by_kernel(const void *a, const void *b)
{
    const domain *const x = a, *const y = b;
    return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

/* The ranks of a host follow each other. */
static atn_sharing sharing_of(const domain *sorted, int p)
{
    for (int i = 0; i < p; i++) {
        const bool differs = i > 0 && sorted[i].kernel == sorted[i - 1].kernel &&
                             sorted[i].memory != sorted[i - 1].memory;
        if (sorted[i].memory == 0 || differs)
            return ATN_SHARED_NONE;
    }
    return sorted[0].kernel == sorted[p - 1].kernel ? ATN_SHARED_ALL : ATN_SHARED_HOSTS;
}

/* By kernel; NULL: no memory. */
static domain *sort_domains(const atn_location *locations, int p)
{
    domain *const list = malloc((size_t)p * sizeof *list);
    if (list == NULL)
        return NULL;
    for (int i = 0; i < p; i++)
        list[i] = (domain){locations[i].kernel, locations[i].memory};
    qsort(list, (size_t)p, sizeof *list, by_kernel);
    return list;
}

atn_sharing atn_exec_locations_sharing(const atn_location *locations, int p)
{
    domain *const list = sort_domains(locations, p);
    const atn_sharing found = list != NULL ? sharing_of(list, p) : ATN_SHARED_NONE;
    free(list);
    return found;
}

int atn_exec_locations_hosts(const atn_location *locations, int p)
{
    domain *const list = sort_domains(locations, p);
    int hosts = 0;
    for (int i = 0; list != NULL && i < p; i++)
        hosts += i == 0 || list[i].kernel != list[i - 1].kernel;
    free(list);
    return hosts;
}

atn_location *atn_exec_locations_share(const atn_place_mpi *mpi, MPI_Comm comm,
                                       const atn_topo *tree)
{
    atn_location own;
    int p;

    PMPI_Comm_size(comm, &p);
    atn_location *locations = malloc((size_t)p * sizeof *locations);
    if (!atn_exec_all_have(mpi, comm, locations != NULL)) {
        free(locations);
        return NULL;
    }
    atn_exec_location_own(tree, &own);
    if (atn_exec_exchange(&own, (int)sizeof own, locations, comm) != MPI_SUCCESS) {
        free(locations);
        return NULL;
    }
    return locations;
}

/* ---- placing ---- */

atn_status atn_exec_place_locations(const atn_topo *tree, const atn_location *locations, int p,
                                    atn_topo **topo_p, atn_error *err)
{
    const char **hosts = calloc((size_t)p, sizeof *hosts);

    if (!hosts)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; i < p; i++)
        hosts[i] = tree && locations[i].part >= 0 ? tree->nodes[locations[i].part].name
                                                  : locations[i].host;
    const atn_status status = tree ? atn_topo_place(tree, hosts, p, topo_p, err)
                                   : atn_topo_from_hosts(hosts, p, topo_p, err);
    free(hosts);
    return status;
}

void atn_exec_place_ranks(const atn_place_mpi *mpi, MPI_Comm comm, const char *name,
                          atn_topo **topo_p, atn_error *err)
{
    atn_topo *tree = NULL, *placed = NULL;
    int p, r;

    *topo_p = NULL;
    PMPI_Comm_size(comm, &p);
    PMPI_Comm_rank(comm, &r);
    char *text = share_text(mpi, comm, r, r == 0 ? atn_exec_place_text(name, err) : NULL);
    if (!text)
        return;
    bool ok = atn_exec_place_tree(text, name && r == 0 ? name : "topology", &tree, err) == ATN_OK;
    atn_location *locations = atn_exec_locations_share(mpi, comm, tree);
    ok = ok && locations && atn_exec_place_locations(tree, locations, p, &placed, err) == ATN_OK;
    if (atn_exec_all_have(mpi, comm, ok))
        *topo_p = placed;
    else
        atn_topo_free(placed);
    atn_topo_free(tree);
    free(text);
    free(locations);
}
