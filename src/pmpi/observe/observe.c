/* observe.c - see observe.h. */
#include "pmpi/observe/observe.h"

#include "pmpi/comm/list.h"
#include "pmpi/comm/private.h"
#include "pmpi/job/reproducible.h"
#include "pmpi/observe/check.h"
#include "pmpi/observe/reasons.h"
#include "pmpi/observe/record.h"
#include "pmpi/observe/report.h"
#include "pmpi/observe/watchdog.h"
#include "pmpi/select/model.h"
#include "pmpi/select/online.h"
#include "pmpi/select/prediction.h"
#include "pmpi/select/serve.h"

/* ---- calls ---- */

/* The time for selection, planning and probes is not part of the call (budget.h), whatever
 * executes it. */
static void start_clock(atn_observed_call *o)
{
    if (atn_job_current.report != NULL)
        o->start = atn_job_seconds();
}

static bool serve_observed(atn_observed_call *o, int *code_p)
{
    atn_comm *const c = o->c;
    int code = MPI_SUCCESS;
    if (c->stage != ATN_COMM_SERVED)
        return false;
    atn_plan *const plan = atn_select_plan(c, o->call, &o->turn, &code);
    if (plan == NULL) {
        *code_p = atn_comm_raise(c, code);
        return code != MPI_SUCCESS;
    }
    o->choice = *atn_exec_plan_choice(plan);
    atomic_store(&c->row, o->choice.row);
    const bool ready = atn_comm_private_ready(c);
    start_clock(o);
    if (ready && atn_select_run(c, plan, o->call, code_p))
        return true;
    o->choice.row = atn_algo_catalog_native(o->call->op);
    o->declined = true;
    return false;
}

bool atn_observe_begin(atn_observed_call *o, atn_comm *c, const atn_call *call, int *code_p)
{
    *o = (atn_observed_call){
        .c = c, .call = call, .choice = {.row = atn_algo_catalog_native(call->op)}};
    atn_comm_beat_begin(c, call->op, call->root);
    if (atn_job_current.check && c->stage == ATN_COMM_SERVED &&
        !atn_observe_check(c, call, code_p)) {
        atn_comm_beat_end(c);
        atn_comm_raise(c, *code_p);
        return true;
    }
    if (atn_job_current.record != NULL)
        atn_observe_record_add(c, call);
    if (!serve_observed(o, code_p)) {
        start_clock(o);
        return false;
    }
    *code_p = atn_observe_end(o, *code_p);
    return true;
}

int atn_observe_end(atn_observed_call *o, int code)
{
    const double seconds = atn_job_current.report != NULL ? atn_job_seconds() - o->start : 0;
    const int done = atn_select_online_done(o->c, &o->turn, code);
    if (atn_job_current.report != NULL)
        atn_observe_report_call(o, code, seconds);
    code = atn_select_end(o->c, done);
    atn_comm_beat_end(o->c);
    if (o->c->prediction != NULL)
        atn_select_prediction_add(o->c, o->call, NULL);
    return code;
}

double atn_observe_stateless_begin(void)
{
    return atn_job_current.report != NULL ? atn_job_seconds() : 0;
}

void atn_observe_stateless_end(MPI_Comm comm, atn_operation op, double start)
{
    int inter = 0, own = 0, others = 0;
    if (atn_job_current.report == NULL || comm == MPI_COMM_NULL ||
        PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || !inter)
        return;
    const double seconds = atn_job_seconds() - start;
    PMPI_Comm_size(comm, &own);
    PMPI_Comm_remote_size(comm, &others);
    const atn_problem q = {.op = op, .p = own + others, .bytes = -1};
    const atn_choice choice = {.row = atn_algo_catalog_native(op)};
    const atn_job_reason reason = {.why = ATN_WHY_INTER};
    atn_observe_report_add(&q, ATN_FORM_BLOCKING, &choice, &reason, NULL, seconds, 0);
}

void atn_observe_nonblocking(MPI_Comm comm, bool reported)
{
    const atn_job *const job = &atn_job_current;
    if (!job->active || (!job->reproducible && job->report == NULL))
        return;
    if (!reported)
        atn_observe_report_nonblocking();
    atn_job_not_reproducible(ATN_LOST_NONBLOCKING, comm);
}

/* ---- start and stop ---- */

void atn_observe_start(void)
{
    atn_observe_report_start();
    if (atn_job_current.watchdog > 0)
        atn_observe_watchdog_start(atn_job_current.watchdog);
}

void atn_observe_stop(void)
{
    if (atn_job_current.watchdog > 0)
        atn_observe_watchdog_stop();
    if (atn_job_current.report != NULL) {
        atn_comm_list_visit(atn_observe_classes_close);
        atn_observe_report_print();
    }
    if (atn_job_current.record != NULL)
        atn_observe_record_write(atn_job_current.record);
}
