/* where.c - where ranks are: placed once for the job, cut down for each communicator. */
#include <stdlib.h>

#include "exec/place.h"
#include "pmpi/comm.h"

/* Wisdom is filed by where ranks are: which of them share a host is the least that is needed. */
static const char *topology_of(const atn_job *job)
{
    const char *const given = atn_setting_given(&job->settings, ATN_SET_TOPOLOGY);
    const bool needed = job->learns || atn_rules_count(job->wisdom) > 0;
    return given != NULL ? given : needed ? ATN_TOPO_HOSTS : NULL;
}

void atn_job_place(atn_job *job)
{
    const char *const name = topology_of(job);
    const atn_place_mpi mpi = {atn_real.Bcast, atn_real.Allgather, atn_real.Allreduce};
    atn_error err = {0};

    if (name == NULL)
        return;
    atn_place_ranks(&mpi, MPI_COMM_WORLD, name, &job->topo, &err);
    if (job->topo == NULL && job->r == 0)
        atn_say("%s; no topology is used", err.text);
}

int *atn_world_ranks(MPI_Comm comm, int p)
{
    int *const ranks = malloc(2 * (size_t)p * sizeof *ranks), *const own = ranks + p;
    MPI_Group world, group;

    if (ranks == NULL)
        return NULL;
    for (int i = 0; i < p; i++)
        own[i] = i;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Comm_group(comm, &group);
    PMPI_Group_translate_ranks(group, p, own, world, ranks);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    return ranks;
}

bool atn_comm_place(atn_comm *c)
{
    if (atn_the_job.topo == NULL || c->exec == NULL)
        return true;
    int *const ranks = atn_world_ranks(c->user, c->p);
    if (ranks != NULL)
        c->topo = atn_topo_sub(atn_the_job.topo, ranks, c->p);
    free(ranks);
    atn_exec_set_topo(c->exec, c->topo);
    return c->topo != NULL;
}
