/* place.c - see place.h. */
#include "exec/place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topo/inside.h"

enum { NAME_BYTES = 256 };

/* The topology as text on rank 0, NULL with the reason in err when it cannot be read. */
static char *read_text(const char *name, atn_error *err)
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

static bool all_have(const atn_place_mpi *mpi, MPI_Comm comm, bool have)
{
    int all = have;
    return mpi->allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all;
}

/* Rank 0's text on every rank; NULL on all when rank 0 has none or somebody has no room. */
static char *share_text(const atn_place_mpi *mpi, MPI_Comm comm, int r, char *text)
{
    int64_t bytes = text ? (int64_t)strlen(text) + 1 : 0;

    if (mpi->bcast(&bytes, 1, MPI_INT64_T, 0, comm) != MPI_SUCCESS || bytes == 0)
        return NULL;
    if (r != 0)
        text = malloc((size_t)bytes);
    if (!all_have(mpi, comm, text != NULL) ||
        mpi->bcast(text, (int)bytes, MPI_CHAR, 0, comm) != MPI_SUCCESS) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- names ---- */

static bool has_node(const atn_topo *tree, const char *name)
{
    for (int v = 0; v < tree->nnodes; v++)
        if (tree->nodes[v].kind == ATN_TOPO_PART && strcmp(tree->nodes[v].name, name) == 0)
            return true;
    return false;
}

/* The part of its host that this rank is bound to, if the topology has it. */
static void name_part(const atn_topo *tree, const char *host, char name[NAME_BYTES])
{
    char part[ATN_PART_NAME], full[NAME_BYTES + ATN_PART_NAME + 1];
    atn_topo *here = NULL;

    if (!atn_topo_has_kind(tree, ATN_TOPO_PART) ||
        atn_inside_part("this", NULL, part, NULL) != ATN_OK || *part == '\0' ||
        atn_topo_place(tree, &host, 1, &here, NULL) != ATN_OK)
        return;
    snprintf(full, sizeof full, "%s/%s", here->nodes[here->node_of[0]].name, part);
    if (has_node(tree, full) && strlen(full) < NAME_BYTES)
        strcpy(name, full);
    atn_topo_free(here);
}

/* Where each rank is by its own account, NAME_BYTES each: its host, or a part of it. */
static char *share_names(const atn_place_mpi *mpi, MPI_Comm comm, int p, const atn_topo *tree)
{
    char host[NAME_BYTES] = "", own[NAME_BYTES] = "";
    char *names = malloc((size_t)p * NAME_BYTES);

    gethostname(host, sizeof host - 1);
    strcpy(own, host);
    if (tree)
        name_part(tree, host, own);
    if (!all_have(mpi, comm, names != NULL) ||
        mpi->allgather(own, NAME_BYTES, MPI_CHAR, names, NAME_BYTES, MPI_CHAR, comm) !=
            MPI_SUCCESS) {
        free(names);
        return NULL;
    }
    return names;
}

/* Without a tree all hosts are on one switch. */
static atn_status place(const atn_topo *tree, const char *names, int p, atn_topo **topo_p,
                        atn_error *err)
{
    const char **hosts = calloc((size_t)p, sizeof *hosts);

    if (!hosts)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; i < p; i++)
        hosts[i] = names + (size_t)i * NAME_BYTES;
    const atn_status status = tree ? atn_topo_place(tree, hosts, p, topo_p, err)
                                   : atn_topo_from_hosts(hosts, p, topo_p, err);
    free(hosts);
    return status;
}

void atn_place_ranks(const atn_place_mpi *mpi, MPI_Comm comm, const char *name, atn_topo **topo_p,
                     atn_error *err)
{
    atn_topo *tree = NULL, *placed = NULL;
    int p, r;

    *topo_p = NULL;
    PMPI_Comm_size(comm, &p);
    PMPI_Comm_rank(comm, &r);
    char *text = share_text(mpi, comm, r, r == 0 ? read_text(name, err) : NULL);
    if (!text)
        return;
    bool ok = strcmp(text, ATN_TOPO_HOSTS) == 0 ||
              atn_topo_parse_slurm(text, name && r == 0 ? name : "topology", &tree, err) == ATN_OK;
    char *names = share_names(mpi, comm, p, tree);
    ok = ok && names && place(tree, names, p, &placed, err) == ATN_OK;
    if (all_have(mpi, comm, ok))
        *topo_p = placed;
    else
        atn_topo_free(placed);
    atn_topo_free(tree);
    free(text);
    free(names);
}
