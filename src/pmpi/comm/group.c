/* group.c - see group.h. */
#include "pmpi/comm/group.h"

#include <stdlib.h>

#include "interpose/job.h"
#include "pmpi/comm/trees.h"

int *atn_comm_world_ranks(MPI_Comm comm)
{
    MPI_Group group;
    int n;
    PMPI_Comm_group(comm, &group);
    int *const ranks = atn_interpose_group_world_ranks(group, &n);
    PMPI_Group_free(&group);
    return ranks;
}

/* Translated in portions on the stack: a lack of memory on one rank must not decide. */
static bool group_within(MPI_Group group, int p, MPI_Group world)
{
    enum { PORTION = 64 };
    int inner[PORTION], outer[PORTION];
    for (int at = 0; at < p; at += PORTION) {
        const int n = atn_min(PORTION, p - at);
        for (int i = 0; i < n; i++)
            inner[i] = at + i;
        PMPI_Group_translate_ranks(group, n, inner, world, outer);
        for (int i = 0; i < n; i++)
            if (outer[i] == MPI_UNDEFINED)
                return false;
    }
    return true;
}

bool atn_comm_within_world(const atn_comm *c)
{
    MPI_Group world, group;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Comm_group(c->user, &group);
    const bool within = group_within(group, c->p, world);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    return within;
}

bool atn_comm_place(atn_comm *c)
{
    if (atn_job_current.topo == NULL || c->exec == NULL)
        return true;
    int *const ranks = atn_comm_world_ranks(c->user);
    if (ranks != NULL)
        c->topo = atn_comm_tree_take(atn_job_current.topo, ranks, c->p);
    free(ranks);
    atn_exec_set_topo(c->exec, c->topo);
    return c->topo != NULL;
}
