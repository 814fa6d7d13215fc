/* life.c - from MPI_Init to MPI_Finalize. */
#include <stdarg.h>

#include "pmpi/comm.h"
#include "pmpi/foresight.h"
#include "pmpi/learned.h"
#include "pmpi/watch.h"
#include "pmpi/wise.h"
#include "topo/topo.h"

atn_job atn_the_job;

void atn_say(const char *format, ...)
{
    char text[ATN_ERROR_ROOM + 256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "attune: %s\n", text); /* one write, so lines of ranks do not mix */
}

static void free_job(void)
{
    atn_topo_free(atn_the_job.topo);
    atn_machine_free(atn_the_job.machine);
    atn_rules_free(atn_the_job.rules);
    atn_rules_free(atn_the_job.wisdom);
    atn_settings_free(&atn_the_job.settings);
    atn_the_job = (atn_job){0};
}

static void drop_topology(atn_job *job)
{
    atn_topo_free(job->topo);
    job->topo = NULL;
}

static bool others_may_call(void)
{
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    return level > MPI_THREAD_FUNNELED;
}

/* Everything that follows the vote happens on all ranks or on none. */
void atn_job_start(void)
{
    atn_job *const job = &atn_the_job;
    bool same_version;
    if (!atn_mpi_fits(&same_version))
        return;
    if (!atn_job_vote(job, same_version)) {
        free_job();
        return;
    }
    job->active = true;
    job->threads = others_may_call();
    if (job->verbose > 0 && job->r == 0)
        atn_say("%d ranks on %s, %d rules, wisdom of %d%s", job->p, atn_mpi_built_for(),
                atn_rules_count(job->rules), atn_rules_count(job->wisdom),
                job->yield ? ", waits give the processor away" : "");
    atn_real_type_free = atn_real.Type_free;
    job->keeps = job->work != 0 && atn_comms_start();
    if (!job->keeps && (job->work != 0 || !atn_job_agrees(job)))
        drop_topology(job);
    atn_topology_start();
    if (!job->keeps)
        return;
    atn_watch_start();
    atn_set_work(job->work);
}

void atn_job_stop(void)
{
    if (!atn_the_job.active)
        return;
    atn_set_work(0);
    atn_watch_stop();
    if (atn_the_job.keeps) {
        atn_comms_stop();
        atn_foresight_stop();
        atn_learned_finish();
    }
    atn_refined_stop(&atn_the_job);
    atn_topology_stop();
    atn_wise_stop();
    free_job();
}
