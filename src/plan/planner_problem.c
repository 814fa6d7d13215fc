/* planner_problem.c - see planner.h: what a plan needs about a problem and a single choice. */
#include <math.h>

#include "plan/miniature.h"
#include "plan/planner.h"
#include "plan/trial.h"

/* ---- effort ---- */

int64_t atn_plan_budget(int p)
{
    static const int64_t all = 12800000, least = 120000, many = 480000;
    int64_t budget = least;
    if (p <= ATN_EXACT_RANKS)
        return all / (p > 16 ? p : 16);
    for (int64_t n = ATN_EXACT_RANKS; n < p; n *= 4) /* calls of more ranks take longer, too */
        budget = budget * 5 / 2;
    return budget > many ? budget : many;
}

/* ---- the network as closed forms see it ---- */

int atn_plan_planner_channel(const atn_problem *q, const atn_machine *m)
{
    int worst = 0;
    for (int r = 1; r < q->p; r++)
        worst = atn_model_channel_farther(worst, atn_model_machine_channel_of(m, q->topo, 0, r));
    return worst;
}

atn_alpha_beta atn_plan_planner_network(const atn_problem *q, const atn_machine *m)
{
    const int c = atn_plan_planner_channel(q, m);
    double rate = atn_model_channel_rate(m, c);
    for (int r = 0; !atn_model_channel_inside(c) && q->topo && r < q->p; r++) {
        const double own = atn_model_edge_rate(m, q->topo, 2 * (q->topo->p + q->topo->node_of[r]));
        if (own > 0)
            rate = fmin(rate, own);
    }
    return (atn_alpha_beta){.a = atn_model_channel_message(m, c, 1),
                            .b = 1.0 / rate,
                            .g = atn_model_machine_reduce(m, NULL, NULL, (double)q->bytes, 1)};
}

const atn_model *atn_plan_planner_model(const atn_machine *m, const atn_topo *t, int p)
{
    const atn_problem q = {.p = p, .topo = t};
    if (atn_model_channel_inside(atn_plan_planner_channel(&q, m)))
        return atn_model_find("taulop");
    return atn_model_find(m->ports > 0 ? "ron-a" : "links");
}

/* ---- a single choice ---- */

atn_status atn_plan_planner_time(const atn_choice *choice, const atn_problem *q,
                                 const atn_machine *m, const atn_model *model, int64_t *budget,
                                 double *seconds_p, atn_error *err)
{
    atn_model_trial x;
    atn_trial_probe probe;
    atn_status status = atn_plan_trial_make(choice, q, ATN_FEW_SEGMENTS, budget, &x, &probe, err);
    if (status != ATN_OK)
        return status;
    if (model == NULL)
        model = atn_plan_planner_model(m, q->topo, q->p);
    status = atn_plan_trial_time(&x, m, model, NULL, seconds_p, err);
    atn_plan_trial_free(&x);
    return status;
}

/* ---- long calls ---- */

static int64_t least_rate(const atn_topo *t)
{
    int64_t rate = 0;
    for (int v = 1; t != NULL && v < t->nnodes; v++)
        if (t->nodes[v].rate > 0 && (rate == 0 || t->nodes[v].rate < rate))
            rate = t->nodes[v].rate;
    return rate;
}

bool atn_plan_takes_long(const atn_problem *q, int ms)
{
    const atn_operation_info *op = atn_sched_operation_get(q->op);
    const int blocks =
        atn_max(atn_sched_rank_blocks(q, op->source), atn_sched_rank_blocks(q, op->result));
    const int64_t bytes = least_rate(q->topo) / 8 * ms / 1000;
    return bytes > 0 && blocks > 0 && q->bytes > bytes / blocks;
}
