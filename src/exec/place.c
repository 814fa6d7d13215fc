/* place.c - see place.h. */
#include "exec/place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 256 };

/* The topology as text on rank 0, NULL with the reason in err when it cannot be read. */
static char *read_text(const char *name, atn_error *err)
{
    atn_topo *topo = NULL;

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

/* Host names of all ranks, NAME_BYTES each. */
static char *share_hosts(const atn_place_mpi *mpi, MPI_Comm comm, int p)
{
    char own[NAME_BYTES] = "";
    char *names = malloc((size_t)p * NAME_BYTES);

    gethostname(own, sizeof own - 1);
    if (!all_have(mpi, comm, names != NULL) ||
        mpi->allgather(own, NAME_BYTES, MPI_CHAR, names, NAME_BYTES, MPI_CHAR, comm) !=
            MPI_SUCCESS) {
        free(names);
        return NULL;
    }
    return names;
}

static atn_status place(const atn_topo *tree, const char *names, int p, atn_topo **topo_p,
                        atn_error *err)
{
    const char **hosts = calloc((size_t)p, sizeof *hosts);

    if (!hosts)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; i < p; i++)
        hosts[i] = names + (size_t)i * NAME_BYTES;
    const atn_status status = atn_topo_place(tree, hosts, p, topo_p, err);
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
    char *names = share_hosts(mpi, comm, p);
    bool ok = names &&
              atn_topo_parse_slurm(text, name && r == 0 ? name : "topology", &tree, err) == ATN_OK;
    ok = ok && place(tree, names, p, &placed, err) == ATN_OK;
    if (all_have(mpi, comm, ok))
        *topo_p = placed;
    else
        atn_topo_free(placed);
    atn_topo_free(tree);
    free(text);
    free(names);
}
