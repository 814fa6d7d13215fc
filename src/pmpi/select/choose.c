/* choose.c - see choose.h. */
#include "pmpi/select/choose.h"

#include <pthread.h>

#include "pmpi/select/model.h"

/* A rule that does not apply is reported once, by rank 0 of the communicator. */
static bool is_first_report(int rule)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t reported[16];
    const unsigned at = (unsigned)rule % (64 * sizeof reported / sizeof *reported);
    pthread_mutex_lock(&lock);
    const bool first = (reported[at / 64] & UINT64_C(1) << at % 64) == 0;
    reported[at / 64] |= UINT64_C(1) << at % 64;
    pthread_mutex_unlock(&lock);
    return first;
}

/* Rules of wisdom that do not apply are skipped without a message: no user wrote them. */
static bool choose_by_wisdom(const atn_comm *c, const atn_problem *q, atn_choice *choice_p)
{
    atn_reason reason;
    atn_choice choice;
    atn_plan_rules_choose(c->wisdom, q, 0, &choice, &reason);
    if (reason.rule >= 0)
        *choice_p = choice;
    return reason.rule >= 0;
}

bool atn_select_choose(void *context, const atn_problem *q, atn_choice *choice_p)
{
    atn_comm *const c = context;
    const atn_job *const job = &atn_job_current;
    atn_reason reason;
    char text[512];
    atn_plan_rules_choose(job->rules, q, c->calls, choice_p, &reason);
    bool ruled = reason.rule >= 0 || atn_plan_rules_per_call(job->rules);
    if (!ruled && c->wisdom != NULL)
        ruled = choose_by_wisdom(c, q, choice_p);
    const bool plans = !ruled && atn_plan_rules_plan(job->rules) && (!job->online || q->canonical);
    const bool lasting = plans ? atn_select_model_choose(c, q, choice_p) : job->lasting;
    const bool expected = q->canonical && reason.refused >= 0 && /* a rule not made for it */
                          !atn_plan_rules_at(job->rules, reason.refused)->forced;
    if (c->r == 0 && reason.refused >= 0 && !expected && is_first_report(reason.refused)) {
        atn_plan_reason_print(job->rules, &reason, q, choice_p, text, sizeof text);
        atn_interpose_print_line("%s", text);
    }
    if (c->r == 0 && job->verbose > 1 && lasting == job->lasting) {
        atn_algo_params_print(choice_p->row, &choice_p->params, text, sizeof text);
        atn_interpose_print_line("%s on %d ranks, %lld bytes", text, q->p, (long long)q->bytes);
    }
    return lasting;
}
