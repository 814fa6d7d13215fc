/* placement.c - see placement.h. */
#include "pmpi/job/placement.h"

#include "exec/exchange.h"
#include "exec/oversubscribed.h"

const char *atn_job_topology_name(const atn_job *job)
{
    const char *const given = atn_plan_setting_given(&job->settings, ATN_SET_TOPOLOGY);
    const bool needed = job->online || job->calibrated || atn_plan_rules_count(job->wisdom) > 0;
    return given != NULL ? given : needed ? ATN_TOPO_HOSTS : NULL;
}

bool atn_job_checks_oversubscription(const atn_job *job)
{
    return job->work != 0 &&
           atn_plan_setting_number(&job->settings, ATN_SET_YIELD) == ATN_YIELD_AUTO;
}

bool atn_job_checks_spare_cores(const atn_job *job)
{
    return job->work != 0 &&
           atn_plan_setting_number(&job->settings, ATN_SET_PROGRESS) == ATN_PROGRESS_THREAD;
}

/* All ranks hold the same locations, so all get the same result. */
static bool words_equal(const atn_location *locations, int p, uint64_t word)
{
    for (int i = 0; i < p; i++)
        if (locations[i].word != word)
            return false;
    return word != 0;
}

static void set_sharing(atn_job *job, const atn_location *locations)
{
    static const char *const names[] = {
        [ATN_SHARED_NONE] = "MPI, and shared memory where hosts permit it",
        [ATN_SHARED_HOSTS] = "shared memory inside hosts, MPI between them",
        [ATN_SHARED_ALL] = "shared memory"};
    job->sharing = atn_exec_locations_sharing(locations, job->p);
    job->transport = names[job->sharing];
}

bool atn_job_place_ranks(atn_job *job, const char *topology, uint64_t word, atn_location *locations)
{
    atn_error err = {0};
    atn_topo *tree = NULL;
    atn_location own;
    const bool read = *topology == '\0' || atn_exec_place_tree(topology, atn_job_topology_name(job),
                                                               &tree, &err) == ATN_OK;

    atn_exec_location_own(tree, &own);
    own.word = word;
    const bool alike =
        atn_exec_exchange(&own, (int)sizeof own, locations, MPI_COMM_WORLD) == MPI_SUCCESS &&
        words_equal(locations, job->p, word);
    if (alike && *topology != '\0' && read)
        atn_exec_place_locations(tree, locations, job->p, &job->topo, &err);
    if (alike && *topology != '\0' && job->topo == NULL && job->r == 0)
        atn_interpose_print_line("%s; no topology is used", err.text);
    if (alike && job->shared)
        set_sharing(job, locations);
    if (alike && job->report != NULL)
        job->hosts = atn_exec_locations_hosts(locations, job->p);
    if (alike && atn_job_checks_oversubscription(job))
        job->oversubscribed = atn_exec_locations_oversubscribed(locations, MPI_COMM_WORLD, 1);
    if (alike && atn_job_checks_spare_cores(job))
        job->spare_core = !atn_exec_locations_oversubscribed(locations, MPI_COMM_WORLD, 2);
    job->yield = job->yield || (job->oversubscribed && !atn_exec_library_yields());
    atn_topo_free(tree);
    return alike;
}
