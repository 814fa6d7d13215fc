/* trial.c - see trial.h. */
#include "plan/trial.h"

#include <math.h>
#include <stdlib.h>

#include "algo/derived.h"
#include "sched/optimise.h"

/* ---- schedules of all ranks ---- */

static int64_t steps_of(int64_t ops, int ranks)
{
    return ops * ATN_STEPS_OP + (int64_t)ranks * ATN_STEPS_RANK;
}

static atn_status build_rank(const atn_choice *c, const atn_problem *q, int r, atn_trial_part *x,
                             int64_t *budget, atn_error *err)
{
    atn_problem mine = *q;
    if (x->s[r])
        return ATN_OK;
    mine.r = r;
    mine.in_place = false;
    const atn_status status = atn_algo_build_unchecked(c->row, &mine, &c->params, &x->s[r], err);
    if (status == ATN_OK && q->shared != ATN_SHARED_NONE)
        atn_sched_optimise(x->s[r]); /* shared memory gains by receives that reduce */
    *budget -= steps_of(status == ATN_OK ? x->s[r]->nops : 0, 1);
    if (status == ATN_OK && *budget < 0)
        return atn_fail(err, ATN_NOT_APPLICABLE, "too large to be looked at");
    return status;
}

/* Or reads from one rank only. */
static bool has_one_receiver(const atn_schedule *s)
{
    int to = -1;
    for (int i = 0; i < s->nops; i++) {
        if (s->ops[i].kind != ATN_OP_SEND && !atn_sched_is_read(&s->ops[i]))
            continue;
        if (to >= 0 && s->ops[i].peer != to)
            return false;
        to = s->ops[i].peer;
    }
    return true;
}

static atn_status build(const atn_choice *c, const atn_problem *q, int64_t *budget,
                        atn_trial_part *x, atn_trial_probe *probe_p, atn_error *err)
{
    const int middle = q->p / 2;
    atn_status status = build_rank(c, q, middle, x, budget, err);
    if (x->s[middle])
        *probe_p = (atn_trial_probe){.ops = x->s[middle]->nops,
                                     .segments = q->segments,
                                     .ring = has_one_receiver(x->s[middle])};
    if (status == ATN_OK && atn_plan_trial_steps(probe_p, q->segments, q->segments, q->p) > *budget)
        return atn_fail(err, ATN_NOT_APPLICABLE, "too large to be looked at");
    for (int r = 0; r < q->p && status == ATN_OK; r++)
        status = build_rank(c, q, r, x, budget, err);
    return status;
}

int64_t atn_plan_trial_steps(const atn_trial_probe *like, int segments, int few, int p)
{
    const int64_t all = segments > few ? few + few / 2 : segments;
    return steps_of((int64_t)like->ops * p * all / atn_max(like->segments, 1), p);
}

static void free_part(atn_trial_part *x)
{
    atn_model_op_graph_free(&x->g);
    for (int r = 0; x->s && r < x->p; r++)
        atn_sched_schedule_free(x->s[r]);
    free(x->s);
}

static atn_status make_part(atn_model_trial *x, const atn_choice *c, const atn_problem *q,
                            int segments, int64_t bytes, int64_t *budget, atn_trial_probe *probe_p,
                            atn_error *err)
{
    atn_trial_part *const part = &x->part[x->nparts++];
    atn_problem cut = *q;
    cut.segments = segments;
    *part = (atn_trial_part){.p = q->p, .s = calloc((size_t)q->p, sizeof *part->s)};
    if (part->s == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_status status = build(c, &cut, budget, part, probe_p, err);
    if (status == ATN_OK)
        status = atn_model_op_graph_make(part->s, q->p, &part->g, err);
    if (status == ATN_OK)
        atn_model_op_graph_size(&part->g, bytes);
    return status;
}

/* ---- the trial ---- */

static atn_status make_parts(atn_model_trial *x, const atn_choice *c, const atn_problem *q,
                             int64_t *budget, atn_trial_probe *probe_p, atn_error *err)
{
    const int half = x->few / 2;
    const int64_t piece = q->bytes / atn_max(x->segments, 1);
    const bool whole = x->segments <= x->few || piece == 0;
    const int first = whole ? x->segments : x->few;
    atn_status status =
        make_part(x, c, q, first, whole ? q->bytes : piece * first, budget, probe_p, err);
    if (status == ATN_OK && !whole)
        status = make_part(x, c, q, half, piece * half, budget, probe_p, err);
    return status;
}

atn_status atn_plan_trial_make(const atn_choice *choice, const atn_problem *q, int few,
                               int64_t *budget, atn_model_trial *x, atn_trial_probe *probe_p,
                               atn_error *err)
{
    const atn_row *const row = choice->row;
    atn_problem whole = *q;
    *probe_p = (atn_trial_probe){.ops = 0};
    *x = (atn_model_trial){
        .topo = q->topo, .few = few, .segments = atn_algo_segments(row, q, &choice->params)};
    whole.segments = x->segments;
    atn_algo_derived_open(q->topo);
    const char *const why =
        row->algo->build ? atn_algo_refuses(row, &whole, &choice->params) : "it has no schedule";
    const atn_status status =
        why ? atn_fail(err, ATN_NOT_APPLICABLE, "%s is not applicable: %s", row->name, why)
            : make_parts(x, choice, q, budget, probe_p, err);
    atn_algo_derived_close();
    if (status != ATN_OK)
        atn_plan_trial_free(x);
    return status;
}

void atn_plan_trial_free(atn_model_trial *x)
{
    for (int i = 0; i < x->nparts; i++)
        free_part(&x->part[i]);
    x->nparts = 0;
}

uint64_t atn_plan_trial_hash(const atn_model_trial *x)
{
    const atn_trial_part *const part = &x->part[0];
    uint64_t hash = x->nparts > 1 ? (uint64_t)x->segments : 0; /* else all of them are in it */
    for (int r = 0; r < part->p; r++) {
        const uint64_t one = atn_sched_schedule_hash(part->s[r]);
        hash = atn_hash(&one, sizeof one, hash);
    }
    return hash != 0 ? hash : 1;
}

atn_status atn_plan_trial_time(const atn_model_trial *x, const atn_machine *m,
                               const atn_model *model, atn_model_bounds *bounds, double *seconds_p,
                               atn_error *err)
{
    const int more = x->segments - x->few, half = x->few / 2;
    double time[ATN_TRIAL_PARTS] = {0};
    atn_status status = ATN_OK;
    for (int i = 0; i < x->nparts && status == ATN_OK && !(bounds && bounds->stopped); i++) {
        const atn_model_case c = {.g = &x->part[i].g, .m = m, .t = x->topo, .bounds = bounds};
        status = model->evaluate(&c, &time[i], err);
    }
    if (status != ATN_OK)
        return status;
    *seconds_p = time[0];
    if (x->nparts == 2 && !(bounds && bounds->stopped))
        *seconds_p += fmax(0.0, time[0] - time[1]) / half * more;
    return ATN_OK;
}
