/* where.c - where ranks are: placed once for the job, cut down for each communicator. */
#include <stdlib.h>

#include "exec/oversubscribed.h"
#include "pmpi/comm.h"

const char *atn_topology_of(const atn_job *job)
{
    const char *const given = atn_setting_given(&job->settings, ATN_SET_TOPOLOGY);
    const bool needed = job->learns || atn_rules_count(job->wisdom) > 0;
    return given != NULL ? given : needed ? ATN_TOPO_HOSTS : NULL;
}

bool atn_asks_for_crowds(const atn_job *job)
{
    return job->work != 0 && atn_setting_number(&job->settings, ATN_SET_YIELD) == ATN_YIELD_AUTO;
}

/* All ranks hear the same, and so come to the same result. */
static bool all_say(const atn_seat *seats, int p, uint64_t word)
{
    for (int i = 0; i < p; i++)
        if (seats[i].word != word)
            return false;
    return word != 0;
}

bool atn_job_meet(atn_job *job, const char *topology, uint64_t word, atn_seat *seats)
{
    atn_error err = {0};
    atn_topo *tree = NULL;
    atn_seat own;
    const bool read =
        *topology == '\0' || atn_place_tree(topology, atn_topology_of(job), &tree, &err) == ATN_OK;

    atn_seat_own(tree, &own);
    own.word = word;
    const bool alike = atn_real.Allgather(&own, sizeof own, MPI_BYTE, seats, sizeof own, MPI_BYTE,
                                          MPI_COMM_WORLD) == MPI_SUCCESS &&
                       all_say(seats, job->p, word);
    if (alike && *topology != '\0' && read)
        atn_place_seats(tree, seats, job->p, &job->topo, &err);
    if (alike && *topology != '\0' && job->topo == NULL && job->r == 0)
        atn_say("%s; no topology is used", err.text);
    if (alike && atn_asks_for_crowds(job))
        job->yield = atn_seats_oversubscribed(seats, MPI_COMM_WORLD);
    atn_topo_free(tree);
    return alike;
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
