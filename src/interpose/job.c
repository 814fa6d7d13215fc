/* job.c - see job.h. */
#include "interpose/job.h"

#include <stdlib.h>
#include <string.h>

bool atn_interpose_mpi_is_ours(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    PMPI_Get_library_version(text, &length);
#ifdef ATN_MPI_OPENMPI
    return strstr(text, "Open MPI") != NULL;
#else
    return strstr(text, "Open MPI") == NULL;
#endif
}

MPI_Comm atn_interpose_private_world(int (*create)(MPI_Comm, MPI_Group, MPI_Comm *))
{
    MPI_Group group;
    MPI_Comm comm;
    PMPI_Comm_group(MPI_COMM_WORLD, &group);
    create(MPI_COMM_WORLD, group, &comm);
    PMPI_Group_free(&group);
    return comm;
}

int *atn_interpose_group_world_ranks(MPI_Group group, int *n_p)
{
    MPI_Group world;
    int n;
    PMPI_Group_size(group, &n);
    int *const ranks = malloc(2 * ((size_t)n + 1) * sizeof *ranks);
    *n_p = n;
    if (ranks == NULL)
        return NULL;
    int *const own = ranks + n;
    for (int i = 0; i < n; i++)
        own[i] = i;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, n, own, world, ranks);
    PMPI_Group_free(&world);
    return ranks;
}
