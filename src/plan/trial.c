/* trial.c - see trial.h. */
#include "plan/trial.h"

#include <math.h>
#include <stdlib.h>

#include "algo/derived.h"
#include "algo/levels.h"
#include "sched/optimise.h"

/* Periods of rounds that stand for those of a run, and fewer; segments, where rounds are cut. */
enum { PERIODS = 4, FEWER_PERIODS = 2, CUT_SEGMENTS = 2 };

/* ---- schedules of all ranks ---- */

static int64_t steps_of(int64_t ops, int ranks)
{
    return ops * ATN_STEPS_OP + (int64_t)ranks * ATN_STEPS_RANK;
}

/* Operations of one range, as many as cost as much to build. */
static int size_of(const atn_schedule *s) { return (s->nops + s->nranges + 1) / 2; }

static atn_status build_rounds(const atn_choice *c, const atn_problem *q, const atn_round_window *w,
                               atn_schedule **s, atn_error *err)
{
    return w->end > 0 ? atn_algo_build_rounds(c->row, q, &c->params, *w, s, err)
                      : atn_algo_build_unchecked(c->row, q, &c->params, s, err);
}

static atn_status build_rank(const atn_choice *c, const atn_problem *q, int r, atn_trial_part *x,
                             int64_t *budget, atn_error *err)
{
    atn_problem mine = *q;
    if (x->s[r])
        return ATN_OK;
    mine.r = r;
    mine.in_place = false;
    const atn_status status = build_rounds(c, &mine, &x->rounds, &x->s[r], err);
    if (status == ATN_OK && q->shared != ATN_SHARED_NONE)
        atn_sched_optimise(x->s[r]); /* shared memory gains by receives that reduce */
    *budget -= steps_of(status == ATN_OK ? size_of(x->s[r]) : 0, 1);
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

atn_trial_probe atn_plan_trial_probe(const atn_schedule *s)
{
    return (atn_trial_probe){
        .ops = size_of(s), .segments = s->q.segments, .ring = has_one_receiver(s)};
}

static atn_status build(const atn_choice *c, const atn_problem *q, int64_t *budget,
                        atn_trial_part *x, atn_trial_probe *probe_p, atn_error *err)
{
    const int middle = q->p / 2;
    atn_status status = build_rank(c, q, middle, x, budget, err);
    if (x->s[middle])
        *probe_p = atn_plan_trial_probe(x->s[middle]);
    if (status == ATN_OK && atn_plan_trial_steps(probe_p, q->segments, q->segments, q->p) > *budget)
        return atn_fail(err, ATN_NOT_APPLICABLE, "too large to be looked at");
    for (int r = 0; r < q->p && status == ATN_OK; r++)
        status = build_rank(c, q, r, x, budget, err);
    return status;
}

int64_t atn_plan_trial_steps(const atn_trial_probe *like, int segments, int few, int p)
{
    const int fewer = like->cut ? atn_min(few, CUT_SEGMENTS) : few;
    const int64_t all = segments <= fewer ? segments : like->cut ? fewer : few + few / 2;
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
    part->p = q->p;
    part->s = calloc((size_t)q->p, sizeof *part->s);
    if (part->s == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_status status = build(c, &cut, budget, part, probe_p, err);
    if (status == ATN_OK)
        status = atn_model_op_graph_make(part->s, q->p, &part->g, err);
    if (status == ATN_OK)
        atn_model_op_graph_size(&part->g, bytes);
    return status;
}

/* ---- few rounds ---- */

/* Of the schedule of a middle rank with one segment; *runs_p 0: there are none. */
static atn_status find_runs(const atn_model_trial *x, const atn_choice *c, const atn_problem *q,
                            int64_t *budget, atn_round_run runs[ATN_REPEAT_RUNS], int *runs_p,
                            atn_error *err)
{
    atn_problem one = *q;
    atn_schedule *s = NULL;
    one.segments = 1;
    one.r = q->p / 2;
    *runs_p = 0;
    if (!x->brief || q->p <= ATN_REPEAT_LEAST || (x->segments > 1 && c->row->algo->segments_inside))
        return ATN_OK;
    const atn_status status = atn_algo_build_unchecked(c->row, &one, &c->params, &s, err);
    if (status == ATN_OK) {
        *budget -= steps_of(size_of(s), 1);
        *runs_p = atn_plan_repeats_find(c, s, runs);
    }
    atn_sched_schedule_free(s);
    return status;
}

/* Each round beyond the window takes as long as those in the second half of it. */
static atn_status make_window(atn_model_trial *x, const atn_choice *c, const atn_problem *q,
                              const atn_round_run *run, int periods, int64_t *budget,
                              atn_trial_probe *probe_p, atn_error *err)
{
    const double all = (double)(run->end - run->first) / run->period;
    const double more = (all - PERIODS) / (PERIODS - FEWER_PERIODS);
    const bool whole = periods == PERIODS;
    x->part[x->nparts] =
        (atn_trial_part){.rounds = {run->first, run->first + periods * run->period},
                         .weight = whole ? 1 + more : -more,
                         .load = whole ? all / PERIODS : 0};
    const int64_t piece = q->bytes / atn_max(x->segments, 1);
    const int ops = probe_p->ops;
    const atn_status status = make_part(
        x, c, q, x->few, x->few == x->segments ? q->bytes : piece * x->few, budget, probe_p, err);
    probe_p->ops += ops;
    return status;
}

static atn_status make_rounds(atn_model_trial *x, const atn_choice *c, const atn_problem *q,
                              const atn_round_run *runs, int n, int64_t *budget,
                              atn_trial_probe *probe_p, atn_error *err)
{
    atn_status status = ATN_OK;
    x->cut = true;
    x->few = atn_min(x->segments, atn_min(x->few, CUT_SEGMENTS));
    for (int i = 0; i < n && status == ATN_OK; i++) {
        status = make_window(x, c, q, &runs[i], PERIODS, budget, probe_p, err);
        if (status == ATN_OK)
            status = make_window(x, c, q, &runs[i], FEWER_PERIODS, budget, probe_p, err);
    }
    probe_p->cut = true;
    return status;
}

/* ---- the trial ---- */

static atn_status make_segments(atn_model_trial *x, const atn_choice *c, const atn_problem *q,
                                int64_t *budget, atn_trial_probe *probe_p, atn_error *err)
{
    const int half = x->few / 2;
    const int64_t piece = q->bytes / atn_max(x->segments, 1);
    const bool whole = x->segments <= x->few || piece == 0;
    const int first = whole ? x->segments : x->few;
    atn_status status =
        make_part(x, c, q, first, whole ? q->bytes : piece * first, budget, probe_p, err);
    if (status == ATN_OK && !whole && half > 0)
        status = make_part(x, c, q, half, piece * half, budget, probe_p, err);
    return status;
}

static atn_status make_parts(atn_model_trial *x, const atn_choice *c, const atn_problem *q,
                             int64_t *budget, atn_trial_probe *probe_p, atn_error *err)
{
    atn_round_run runs[ATN_REPEAT_RUNS];
    int n = 0;
    const atn_status status = find_runs(x, c, q, budget, runs, &n, err);
    if (status != ATN_OK)
        return status;
    return n > 0 ? make_rounds(x, c, q, runs, n, budget, probe_p, err)
                 : make_segments(x, c, q, budget, probe_p, err);
}

static atn_status make(const atn_choice *choice, const atn_problem *q, int64_t *budget,
                       atn_model_trial *x, atn_trial_probe *probe_p, atn_error *err)
{
    const atn_row *const row = choice->row;
    atn_problem whole = *q;
    *probe_p = (atn_trial_probe){.ops = 0};
    x->topo = q->topo;
    x->segments = whole.segments = atn_algo_segments(row, q, &choice->params);
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

atn_status atn_plan_trial_make(const atn_choice *choice, const atn_problem *q, int few,
                               int64_t *budget, atn_model_trial *x, atn_trial_probe *probe_p,
                               atn_error *err)
{
    *x = (atn_model_trial){.few = few};
    return make(choice, q, budget, x, probe_p, err);
}

atn_status atn_plan_trial_make_brief(const atn_choice *choice, const atn_problem *q, int few,
                                     int64_t *budget, atn_model_trial *x, atn_trial_probe *probe_p,
                                     atn_error *err)
{
    *x = (atn_model_trial){.few = few, .brief = true};
    return make(choice, q, budget, x, probe_p, err);
}

/* Where ranks wait for operands, or for leaders, a second segment shows how long. */
atn_status atn_plan_trial_make_stream(const atn_choice *choice, const atn_problem *q,
                                      int64_t *budget, atn_model_trial *x, atn_trial_probe *probe_p,
                                      atn_error *err)
{
    const bool waits = (atn_sched_operation_get(q->op)->flags & ATN_TYPED) != 0 ||
                       atn_algo_level_is_row(choice->row->algo);
    *x = (atn_model_trial){.few = waits ? 2 : 1, .stream = true, .brief = true};
    return make(choice, q, budget, x, probe_p, err);
}

void atn_plan_trial_resize(atn_model_trial *x, const atn_choice *choice, const atn_problem *q)
{
    x->segments = atn_algo_segments(choice->row, q, &choice->params);
    const int64_t piece = q->bytes / atn_max(x->segments, 1);
    for (int i = 0; i < x->nparts; i++)
        atn_model_op_graph_size(&x->part[i].g, piece * (i > 0 && !x->cut ? x->few / 2 : x->few));
}

void atn_plan_trial_free(atn_model_trial *x)
{
    for (int i = 0; i < x->nparts; i++)
        free_part(&x->part[i]);
    x->nparts = 0;
}

uint64_t atn_plan_trial_hash(const atn_model_trial *x)
{
    uint64_t hash = x->nparts > 1 ? (uint64_t)x->segments : 0; /* else all of them are in it */
    for (int i = 0; i < (x->cut ? x->nparts : 1); i++) {
        const atn_trial_part *const part = &x->part[i];
        hash = x->cut ? atn_hash(&part->weight, sizeof part->weight, hash) : hash;
        for (int r = 0; r < part->p; r++) {
            const uint64_t one = atn_sched_schedule_hash(part->s[r]);
            hash = atn_hash(&one, sizeof one, hash);
        }
    }
    return hash != 0 ? hash : 1;
}

static bool load_of(const atn_model_trial *x, const atn_machine *m, int part, double *seconds_p)
{
    const atn_model_case c = {.g = &x->part[part].g, .m = m, .t = x->topo};
    return atn_model_links_load(&c, seconds_p);
}

/* All rounds, of as many segments as were looked at; and what each further segment takes. */
static double time_of_rounds(const atn_model_trial *x, const atn_machine *m, const double *time)
{
    double all = 0, each = 0, load = 0;
    for (int i = 0; i < x->nparts; i++) {
        all += x->part[i].weight * time[i];
        if (x->segments > x->few && x->part[i].load > 0 && load_of(x, m, i, &load))
            each += x->part[i].load * load / x->few;
    }
    return all + each * (x->segments - x->few);
}

/* What each further segment takes. */
static double time_of_more(const atn_model_trial *x, const atn_machine *m, const double *time)
{
    const int half = x->few / 2;
    double each = x->nparts == 2 ? fmax(0.0, time[0] - time[1]) / half : 0, load = 0;
    if (x->stream && load_of(x, m, 0, &load))
        each = fmax(each, load / x->few);
    return each;
}

atn_status atn_plan_trial_time(const atn_model_trial *x, const atn_machine *m,
                               const atn_model *model, atn_model_bounds *bounds, double *seconds_p,
                               atn_error *err)
{
    double time[ATN_TRIAL_PARTS] = {0};
    atn_status status = ATN_OK;
    for (int i = 0; i < x->nparts && status == ATN_OK && !(bounds && bounds->stopped); i++) {
        const atn_model_case c = {.g = &x->part[i].g, .m = m, .t = x->topo, .bounds = bounds};
        status = model->evaluate(&c, &time[i], err);
    }
    if (status != ATN_OK)
        return status;
    *seconds_p = x->cut ? time_of_rounds(x, m, time) : time[0];
    if (!x->cut && x->segments > x->few && !(bounds && bounds->stopped))
        *seconds_p += time_of_more(x, m, time) * (x->segments - x->few);
    return ATN_OK;
}
