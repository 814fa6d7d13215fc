/* serve.c - see serve.h. */
#include "pmpi/select/serve.h"

#include "exec/execution.h"
#include "pmpi/comm/neighbours.h"
#include "pmpi/comm/private.h"
#include "pmpi/job/reproducible.h"
#include "pmpi/select/advice.h"
#include "pmpi/select/candidates.h"
#include "pmpi/select/online.h"
#include "pmpi/select/prediction.h"
#include "pmpi/select/problem.h"

bool atn_select_run(atn_comm *c, atn_plan *plan, const atn_call *call, int *code_p)
{
    if (!atn_comm_private_ready(c))
        return false;
    const int code = atn_exec_run(c->exec, plan, call, c->private_comm);
    if (code == ATN_DECLINED)
        return false;
    *code_p = atn_comm_raise(c, code);
    return true;
}

/* The call cache may hold plans that were evicted for this one. */
static void drop_evicted(atn_comm *c)
{
    const unsigned evictions = atn_exec_evictions(c->exec);
    if (c->evictions != evictions)
        atn_comm_calls_clear(c);
    c->evictions = evictions;
}

/* A plan, or NULL with MPI_SUCCESS if the native routine executes the call.  Reproducible
 * reductions are not tuned: rules, wisdom or the model choose among algorithms with the same bits.
 */
static atn_plan *pick_plan(atn_comm *c, const atn_call *call, atn_turn *turn, int *code_p)
{
    turn->of = NULL;
    if (atn_sched_on_neighbours(call->op) && !atn_comm_neighbours_ready(c, call->op))
        return NULL;
    if (!atn_exec_call_canonical(c->exec, call))
        return atn_select_online_plan(c, call, turn, code_p);
    atn_plan *const plan = atn_exec_plan(c->exec, call, code_p);
    if (plan == NULL && *code_p == MPI_SUCCESS && !atn_exec_settled(c->exec))
        atn_job_not_reproducible(ATN_LOST_ARGUMENTS, c->user);
    return plan;
}

/* A rank that cannot follow the choice of the others returns an error. */
atn_plan *atn_select_plan(atn_comm *c, const atn_call *call, atn_turn *turn, int *code_p)
{
    c->call = call;
    c->failed = MPI_SUCCESS;
    atn_plan *plan = pick_plan(c, call, turn, code_p);
    c->call = NULL;
    if (c->failed != MPI_SUCCESS) {
        *code_p = c->failed;
        plan = NULL;
    }
    drop_evicted(c);
    return plan;
}

/* A reduction that rounds keeps the algorithm of its first call, which was native if the
 * communicator was not set up. */
static bool must_stay(const atn_comm *c, const atn_call *call)
{
    return atn_job_current.stable && (c->before & 1u << call->op) != 0 &&
           atn_select_call_is_inexact(call);
}

/* Shorter calls are not tuned: the look-up of their class would cost a notable part of them. */
static const int64_t tuned_bytes = 8 << 10;

/* Starts cannot wait, as some algorithms do before their first message. */
static void check_started(const atn_comm *c, const atn_problem *q, atn_choice *choice)
{
    atn_exec_keep_canonical(q, choice);
    if (choice->row == NULL || choice->row->algo->build == NULL ||
        !atn_exec_can_start(c->exec, choice))
        choice->row = atn_algo_catalog_native(q->op);
}

/* Most wisdom is measured in blocking calls.  Short ones that are started are faster than native
 * ones where all messages use shared memory; elsewhere that has not been shown
 * (bench/nonblocking). */
static bool has_wisdom(const atn_comm *c, const atn_problem *q)
{
    return c->wisdom != NULL && q->bytes >= (q->shared == ATN_SHARED_ALL ? 1 : tuned_bytes);
}

static void choose_by_wisdom(const atn_comm *c, const atn_problem *q, atn_choice *choice_p)
{
    atn_reason reason = {.rule = -1};
    if (has_wisdom(c, q))
        atn_plan_rules_choose(c->wisdom, q, 0, choice_p, &reason);
    if (reason.rule < 0)
        choice_p->row = atn_algo_catalog_native(q->op);
}

atn_why atn_select_started_problem(atn_comm *c, const atn_call *call, atn_problem *q_p)
{
    if (atn_sched_on_neighbours(call->op) && !atn_comm_neighbours_known(c, call->op))
        return ATN_WHY_TYPE;
    if (atn_exec_call_aliased(call))
        return ATN_WHY_ALIASED;
    const bool typed = (atn_sched_operation_get(call->op)->flags & ATN_TYPED) != 0;
    return atn_exec_call_problem(c->exec, call, q_p) ? ATN_WHY_SERVED
           : typed                                   ? ATN_WHY_OPERATOR
                                                     : ATN_WHY_TYPE;
}

/* Whether the class of the call is tuned online; depends on data that ranks share. */
static bool is_tuned(const atn_comm *c, const atn_call *call, const atn_problem *q)
{
    return c->driver != NULL && (atn_job_current.tunable & 1u << call->op) != 0 &&
           !atn_sched_on_neighbours(call->op) && q->bytes >= tuned_bytes && !q->canonical &&
           !atn_select_is_star();
}

/* Why the native routine serves a call for which there is no rule. */
static atn_why why_untuned(const atn_comm *c, const atn_problem *q)
{
    if (has_wisdom(c, q))
        return ATN_WHY_WISDOM;
    return q->bytes < 0             ? ATN_WHY_UNSHARED
           : q->bytes < tuned_bytes ? ATN_WHY_SHORT
           : atn_job_current.online ? ATN_WHY_NOTHING
                                    : ATN_WHY_NO_RULE;
}

bool atn_select_started_for_good(atn_comm *c, const atn_call *call, const atn_problem *q,
                                 atn_choice *choice_p, atn_why *why_p)
{
    const atn_rules *const rules = atn_job_current.rules;
    atn_reason reason = {.rule = -1};
    *choice_p = (atn_choice){.row = atn_algo_catalog_native(q->op)};
    *why_p = ATN_WHY_ROUNDING;
    if (must_stay(c, call))
        return true;
    atn_plan_rules_choose(rules, q, c->started, choice_p, &reason);
    const bool ruled = reason.rule >= 0 || atn_plan_rules_per_call(rules);
    if (!ruled && is_tuned(c, call, q))
        return false;
    *why_p = ruled ? ATN_WHY_RULE : why_untuned(c, q);
    if (!ruled)
        choose_by_wisdom(c, q, choice_p);
    check_started(c, q, choice_p);
    return true;
}

void atn_select_started_first(const atn_comm *c, const atn_subject *s, atn_choice *choice_p)
{
    const atn_rule *const own = atn_select_advice_owned(c, s);
    *choice_p = (atn_choice){.row = atn_algo_catalog_native(s->q.op)};
    if (own != NULL && atn_plan_choice_refuses(&own->use, &s->q) == NULL)
        *choice_p = own->use;
    else
        choose_by_wisdom(c, &s->q, choice_p);
    check_started(c, &s->q, choice_p);
}

atn_subject atn_select_started_subject(const atn_call *call, const atn_problem *q)
{
    const bool inexact = atn_select_call_is_inexact(call);
    return (atn_subject){.q = atn_select_problem_shared(q),
                         .started = true,
                         .inexact = inexact,
                         .stable = inexact && atn_job_current.stable};
}

atn_plan *atn_select_started_plan(atn_comm *c, const atn_call *call, const atn_problem *q,
                                  const atn_choice *choice, int *code_p)
{
    *code_p = MPI_SUCCESS;
    if (choice->row->algo->build == NULL || !atn_exec_can_start(c->exec, choice))
        return NULL;
    atn_plan *const plan = atn_exec_plan_as(c->exec, call, q, choice, code_p);
    drop_evicted(c);
    return plan;
}

void atn_select_started_remember(atn_comm *c, const atn_call *call, const atn_problem *q,
                                 atn_plan *plan)
{
    if (plan != NULL && !atn_plan_rules_per_call(atn_job_current.rules))
        atn_exec_start_remember(c->exec, call, q, plan);
}

bool atn_select_serve(atn_comm *c, const atn_call *call, atn_turn *turn, int *code_p)
{
    int code = MPI_SUCCESS;
    atn_plan *const plan = atn_select_plan(c, call, turn, &code);
    if (plan != NULL)
        return atn_select_run(c, plan, call, code_p);
    *code_p = atn_comm_raise(c, code);
    return code != MPI_SUCCESS;
}

void atn_select_remember(atn_comm *c, const atn_call *call, atn_call_key k, bool served, bool whole)
{
    atn_plan *const plan = served && whole ? atn_exec_repeatable(c->exec, call) : NULL;
    const bool tuned = c->driver != NULL && (atn_job_current.tunable & 1u << call->op) != 0;
    const atn_cached_call *entry = NULL;
    c->always.left = INT64_MAX;
    if (!tuned && k.count >= 0 && /* else the executor did not decide */
        (served ? plan != NULL : atn_job_current.lasting && atn_exec_settled(c->exec)))
        entry = atn_comm_call_put(c, call, &k, plan, &c->always);
    if (c->prediction != NULL)
        atn_select_prediction_add(c, call, entry);
}
