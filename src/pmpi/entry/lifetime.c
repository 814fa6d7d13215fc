/* lifetime.c - see lifetime.h. */
#include "pmpi/entry/lifetime.h"

#include "exec/execution.h"
#include "exec/host.h"
#include "pmpi/comm/setup.h"
#include "pmpi/entry/topology.h"
#include "pmpi/job/agreement.h"
#include "pmpi/job/identity.h"
#include "pmpi/job/placement.h"
#include "pmpi/nonblocking/held.h"
#include "pmpi/nonblocking/hook.h"
#include "pmpi/nonblocking/imports.h"
#include "pmpi/nonblocking/progress.h"
#include "pmpi/nonblocking/request.h"
#include "pmpi/nonblocking/start.h"
#include "pmpi/nonblocking/thread.h"
#include "pmpi/observe/observe.h"
#include "pmpi/observe/reasons.h"
#include "pmpi/observe/traffic.h"
#include "pmpi/select/choose.h"
#include "pmpi/select/machine_update.h"
#include "pmpi/select/model.h"
#include "pmpi/select/online.h"
#include "pmpi/select/prediction.h"
#include "pmpi/select/results.h"
#include "pmpi/select/staleness.h"
#include "pmpi/select/wisdom_view.h"
#include "topo/topo.h"
#include "tune/drivers/request.h"

/* ---- what selection and observation attach to communicators ---- */

static bool attach(atn_comm *c)
{
    return atn_select_wisdom_view(c->topo, &c->wisdom, &c->place) && atn_select_model_start(c) &&
           atn_select_online_start(c);
}

static void detach(atn_comm *c)
{
    atn_nonblocking_drain(c);
    atn_select_model_stop(c);
    atn_observe_classes_close(c);
    atn_nonblocking_requests_leave(c);
    atn_select_online_stop(c);
    atn_nonblocking_tuning_free(c);
}

/* A blocking call on c, which has to wait for calls that are held. */
static void wake(atn_comm *c, atn_operation op)
{
    atn_nonblocking_held_settle(c);
    if (c->driver != NULL)
        atn_select_online_wake(c, op);
    else
        c->wake = UINT64_MAX;
}

static void release(atn_comm *c)
{
    atn_select_model_free(c->model);
    atn_select_prediction_free(c->prediction);
    c->model = NULL;
    c->prediction = NULL;
    c->hits = NULL;
}

static const atn_comm_hooks hooks = {
    .choose = atn_select_choose,
    .attach = attach,
    .is_urgent = atn_select_online_is_urgent,
    .set_context = atn_select_online_set_context,
    .wake = wake,
    .detach = detach,
    .release = release,
};

/* ---- start and stop ---- */

static void drop_topology(atn_job *job)
{
    atn_topo_free(job->topo);
    job->topo = NULL;
}

static int thread_level(void)
{
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    return level;
}

/* Why there is no progress thread, although it is set; NULL: it can be started. */
static const char *no_thread(const atn_job *job, bool threads)
{
    if (ATN_SIMULATED)
        return "the job is simulated";
    if (!threads)
        return "the program did not get MPI_THREAD_MULTIPLE";
    if (atn_job_checks_spare_cores(job) && !job->spare_core)
        return "ranks have no spare cores (ATTUNE_PROGRESS=always starts one nevertheless)";
    return NULL;
}

static bool start_thread(const atn_job *job, bool threads, bool alone)
{
    if (atn_plan_setting_number(&job->settings, ATN_SET_PROGRESS) == ATN_PROGRESS_CALLS)
        return false;
    const char *const why = no_thread(job, threads);
    const bool refused = why == NULL && !atn_nonblocking_thread_start(alone);
    if (job->verbose > 0 && (refused || (why != NULL && job->r == 0)))
        atn_interpose_print_line("rank %d has no progress thread: %s", job->r,
                                 refused ? "the system does not permit another thread" : why);
    return why == NULL && !refused;
}

/* Local; MPI_COMM_WORLD is set up by an agreement on it.  Returns whether the program uses
 * nonblocking collectives that could be served. */
static bool prepare_starts(atn_job *job)
{
    const int64_t how = atn_plan_setting_number(&job->settings, ATN_SET_NONBLOCKING);
    const bool threads = thread_level() == MPI_THREAD_MULTIPLE;
    const bool used =
        how == ATN_NONBLOCKING_ON || (how == ATN_NONBLOCKING_AUTO && atn_nonblocking_imported());
    if (job->work == 0 || !used)
        return false;
    atn_exec_set_threads(threads);
    atn_nonblocking_requests_start(threads);
    atn_nonblocking_progress_start(threads);
    const bool hooked = atn_nonblocking_hook_start(threads);
    const bool helped = start_thread(job, threads, !hooked);
    job->can_start = hooked || helped;
    return true;
}

/* After the vote of all ranks. */
static void explain_starts(const atn_job *job, bool used)
{
    static const char any[] = "the progress loop of the MPI library cannot be extended";
    static const char threads[] = "with MPI_THREAD_MULTIPLE, this MPI library needs a progress "
                                  "thread (ATTUNE_PROGRESS)";
    if (!used || job->nonblocking || job->verbose == 0 || job->r != 0)
        return;
    atn_interpose_print_line("nonblocking and persistent collectives are native: %s",
                             job->can_start ? "other ranks cannot start them"
                             : thread_level() == MPI_THREAD_MULTIPLE ? threads
                                                                     : any);
}

static void end_starts(atn_job *job)
{
    const atn_starts n = atn_nonblocking_starts();
    if (job->verbose > 0 && job->r == 0 && n.served + n.native > 0)
        atn_interpose_print_line("nonblocking and persistent collectives: %lld starts served, "
                                 "%lld native",
                                 (long long)n.served, (long long)n.native);
    atn_nonblocking_handles_end();
    atn_nonblocking_thread_stop();
    atn_nonblocking_hook_stop();
    atn_exec_progress_end();
}

/* Everything after the agreement happens on all ranks or on none. */
void atn_entry_job_start(void)
{
    atn_job *const job = &atn_job_current;
    bool same_version;
    if (!atn_job_mpi_check(&same_version))
        return;
    if (!atn_job_agree(job, same_version)) {
        atn_job_free();
        return;
    }
    job->active = true;
    job->threads = thread_level() > MPI_THREAD_FUNNELED;
    if (job->verbose > 0 && job->r == 0)
        atn_interpose_print_line("%d ranks on %s, %d rules, wisdom of %d%s", job->p,
                                 atn_job_mpi_name(), atn_plan_rules_count(job->rules),
                                 atn_plan_rules_count(job->wisdom),
                                 job->yield ? ", waits give the processor away" : "");
    atn_real_type_free = atn_pmpi_real.Type_free;
    atn_real_request_free = atn_pmpi_real.Request_free;
    atn_real_cancel = atn_pmpi_real.Cancel;
    atn_exec_complete_by(&(atn_completions){.test = atn_pmpi_real.Test,
                                            .testall = atn_pmpi_real.Testall,
                                            .testsome = atn_pmpi_real.Testsome,
                                            .wait = atn_pmpi_real.Wait,
                                            .waitall = atn_pmpi_real.Waitall,
                                            .waitany = atn_pmpi_real.Waitany,
                                            .waitsome = atn_pmpi_real.Waitsome},
                         job->threads);
    atn_real_comm_create = atn_pmpi_real.Comm_create;
    atn_real_ibcast = atn_pmpi_real.Ibcast;
    atn_nonblocking_timed = atn_nonblocking_note;
    atn_nonblocking_observed = job->report != NULL ? atn_observe_report_started : NULL;
    const bool starts = prepare_starts(job);
    job->has_comms = job->work != 0 && atn_comms_start(&hooks);
    explain_starts(job, starts);
    if (!job->has_comms && (job->work != 0 || !atn_job_topology_agreed(job)))
        drop_topology(job);
    atn_entry_topology_start();
    atn_observe_traffic_start();
    if (!job->has_comms)
        return;
    atn_observe_start();
    atn_pmpi_set_work(job->work);
}

void atn_entry_job_stop(void)
{
    if (!atn_job_current.active)
        return;
    atn_pmpi_set_work(0);
    atn_select_staleness_finish();
    atn_observe_stop();
    if (atn_job_current.has_comms)
        atn_comms_stop();
    end_starts(&atn_job_current);
    if (atn_job_current.has_comms) {
        atn_select_prediction_stop();
        atn_select_results_finish();
    }
    if (atn_job_current.verbose > 0)
        atn_observe_traffic_print();
    atn_select_machine_stop(&atn_job_current);
    atn_entry_topology_stop();
    atn_select_wisdom_views_free();
    atn_job_free();
}
