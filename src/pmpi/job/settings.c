/* settings.c - see settings.h. */
#include "pmpi/job/settings.h"

#include <string.h>

#include "pmpi/job/reproducible.h"
#include "pmpi/job/wisdom.h"
#include "tune/tuner.h"

bool atn_job_enabled(void) { return atn_plan_setting_own(ATN_SET_ON) != 0; }

static const uint32_t all_operations = (1u << ATN_OPERATIONS) - 1;

static bool is_online(const atn_job *job)
{
    return atn_plan_select_learns(atn_plan_setting_text(&job->settings, ATN_SET_SELECT));
}

/* The agreements of tuning would synchronise ranks that are no neighbours. */
static uint32_t neighbour_operations(void)
{
    uint32_t operations = 0;
    for (int op = 0; op < ATN_OPERATIONS; op++)
        if (atn_sched_on_neighbours((atn_operation)op))
            operations |= 1u << op;
    return operations;
}

static uint32_t operations_with_work(const atn_job *job)
{
    return (job->observed ? all_operations : 0) |
           (is_online(job) ? all_operations & ~neighbour_operations() : 0) |
           atn_plan_rules_operations(job->rules) | atn_job_wisdom_operations(job->wisdom) |
           atn_job_reproducible_operations();
}

static void apply_general(atn_job *job)
{
    const atn_settings *const s = &job->settings;
    job->first = (int)atn_plan_setting_number(s, ATN_SET_FIRST);
    job->check = atn_plan_setting_number(s, ATN_SET_CHECK) != 0;
    job->reproducible = atn_plan_setting_number(s, ATN_SET_REPRODUCIBLE) != 0;
    job->watchdog = (int)atn_plan_setting_number(s, ATN_SET_WATCHDOG);
    job->verbose = (int)atn_plan_setting_number(s, ATN_SET_VERBOSE);
    job->report = atn_plan_setting_report(s);
    job->record = atn_plan_setting_given(s, ATN_SET_RECORD);
    job->predicts = atn_plan_setting_number(s, ATN_SET_FORESEE) != 0;
    job->observed = job->check || job->watchdog > 0 || job->report != NULL || job->record != NULL;
    job->forced = atn_plan_rules_forced(job->rules) | atn_job_reproducible_operations();
    job->lasting = !atn_plan_rules_per_call(job->rules);
    job->work = operations_with_work(job);
    job->yield = job->work != 0 && atn_plan_setting_number(s, ATN_SET_YIELD) == ATN_YIELD_ALWAYS;
    job->oversubscribed = job->yield;
    job->transport = "MPI";
    job->shared = atn_plan_setting_number(s, ATN_SET_TRANSPORT) != ATN_TRANSPORT_MPI;
}

static const struct {
    const char *select;
    atn_tune_mode mode;
} procedures[] = {
    {"online", ATN_TUNE_RACE}, {"star", ATN_TUNE_ALL}, {"star-grouped", ATN_TUNE_GROUPED}};

static void apply_online(atn_job *job)
{
    const char *const select = atn_plan_setting_text(&job->settings, ATN_SET_SELECT);
    job->online = is_online(job);
    for (size_t i = 0; i < sizeof procedures / sizeof *procedures; i++)
        if (strcmp(procedures[i].select, select) == 0)
            job->procedure = procedures[i].mode;
    job->tunable = job->online ? all_operations & ~neighbour_operations() : 0;
    for (int i = 0; i < atn_plan_rules_count(job->rules); i++)
        job->tunable &= ~(1u << atn_plan_rules_at(job->rules, i)->op);
    job->stable = atn_plan_setting_number(&job->settings, ATN_SET_FP) == ATN_FP_STABLE;
    job->by_history =
        atn_plan_setting_number(&job->settings, ATN_SET_CONTEXTS) == ATN_CONTEXTS_AUTO;
    job->explain = atn_plan_setting_number(&job->settings, ATN_SET_EXPLAIN) != 0;
    job->budget = (int)atn_plan_setting_number(&job->settings, ATN_SET_BUDGET);
    if (job->online)
        atn_clock_start();
}

void atn_job_settings_apply(atn_job *job)
{
    apply_general(job);
    apply_online(job);
}
