/* planner.c - see planner.h. */
#include "plan/planner.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/expr.h"
#include "plan/candidates.h"
#include "plan/form.h"
#include "plan/miniature.h"
#include "plan/trial.h"
#include "plan/twins.h"

enum { TRIES = 2, SEVERE = 6 };

/* ---- contention as closed forms see it ---- */

/* How many messages may share a link if the order of ranks ignores the topology: as many as there
 * are hosts below it, in links of the hosts. */
static double contention_of(const atn_problem *q, const atn_machine *m, const atn_alpha_beta *net)
{
    const atn_topo *t = q->topo;
    int *below = t ? malloc(sizeof *below * (size_t)t->nnodes) : NULL;
    double most = 1;
    if (below)
        atn_topo_below(t, below);
    for (int v = 1; below && v < t->nnodes; v++) {
        const double rate = atn_model_edge_rate(m, t, 2 * (t->p + v));
        const int meet = atn_min(below[v], t->p - below[v]);
        if (rate > 0)
            most = fmax(most, meet / (rate * net->b));
    }
    free(below);
    return most;
}

/* ---- ranking ---- */

/* What comes next; after the last there is nothing left to look at. */
typedef enum { LIST, FORMS, LOOK, DONE } stage;

struct atn_planning {
    atn_problem q;
    const atn_machine *m;
    const atn_model *model;
    int64_t whole, budget; /* steps: to begin with, left */
    stage next;
    int at;    /* of the candidates in the order of what they promise */
    int tries; /* of those that differ in the segment only */
    atn_alpha_beta net;
    double contention;
    atn_ranking r;
    bool reduced; /* schedules are evaluated on the miniature */
    atn_miniature mini;
    atn_form_facts all, few; /* of the problem, of the miniature */
    atn_trial_probe *probe;  /* of each prospect */
    double best, scale;      /* least time found; least of times over forms, at most 1 */
    atn_status status;
};
typedef struct atn_planning planner;

/* If all ranks send to all, no order helps. */
static bool along_the_wires(const atn_choice *c)
{
    return (atn_algo_params_get(c->row, &c->params, "order", 0) > 0 &&
            c->row->algo->klass != ATN_DIRECT) ||
           (c->row->algo->needs & ATN_NEEDS_TOPOLOGY) != 0;
}

/* Forms assume one port; k ports make no schedule faster than k times. */
static void spread_over_ports(planner *p)
{
    if (p->model->circuits && p->m->ports > 1) {
        p->net.a /= (double)p->m->ports;
        p->net.b /= (double)p->m->ports;
    }
}

/* Bytes of its longest messages, as far as can be derived without building. */
static int64_t message_of(const atn_choice *c, const atn_problem *q)
{
    return q->bytes / atn_max(q->segments, 1) / (c->row->algo->shares ? q->p : 1);
}

/* To wait for tokens takes longer than predicted, 8 to 40 % where it was measured, and the longer
 * the more others use the processors: what they promise to gain counts beyond ten. */
static double doubt_of(const atn_choice *c)
{
    return atn_algo_params_get(c->row, &c->params, "sync", 0) > 0 ? 1.1 : 1.0;
}

/* Not part of forms: messages that share a link slow each other down, long ones more (links.c). */
static double meeting(const planner *p, int64_t message)
{
    const atn_channel *const c = &p->m->channel[p->m->nchannels - 1];
    const bool is_long = c->eager > 0 && message >= c->eager;
    return c->duplex > 0 ? atn_model_duplex_weight(c->duplex, is_long, false, 1) : 1;
}

/* A message waits for processors if all hosts share a few of them, beyond its transfer time. */
static double queueing(const planner *p, int64_t message)
{
    const atn_channel *const c = &p->m->channel[p->m->nchannels - 1];
    const double transfer = p->net.b * (double)message;
    if (p->m->processors <= 0 || p->q.p <= p->m->processors)
        return 0;
    return fmax(0, p->m->idle + 2 * c->cpu_message * p->q.p / p->m->processors - transfer);
}

/* Few rounds mean distant partners: a topology-aware order then avoids part of the contention. */
static double hope_of(const planner *p, const atn_choice *c, const double times[3], double a)
{
    if (!along_the_wires(c))
        return times[1];
    return times[2] >= a * p->q.p / 2 ? times[0] : sqrt(times[0] * times[1]);
}

/* Contention of all ranks is rare on many of them: trees, for example, cross few links.  Where it
 * is severe, nothing that meets with a part of it is of interest. */
static bool is_vague(const planner *p) { return p->reduced && p->contention <= SEVERE; }

static void set_forms(planner *p)
{
    for (int i = 0; i < p->r.n; i++) {
        atn_prospect *x = &p->r.v[i];
        atn_problem q = p->q;
        double times[3] = {0}; /* nothing is known: look at its schedule */
        q.segments = atn_algo_segments(x->choice.row, &q, &x->choice.params);
        const int64_t message = message_of(&x->choice, &q);
        const double a = p->net.a + queueing(p, message), b = p->net.b, g = p->net.g;
        const atn_alpha_beta networks[] = {{a, b, g}, {a, b * p->contention, g}, {a, 0, 0}};
        if (atn_plan_form_times(&x->choice, &q, &p->all, networks, 3, times, NULL) != ATN_OK)
            memset(times, 0, sizeof times);
        x->form = times[0];
        x->plain = !along_the_wires(&x->choice);
        x->hope = hope_of(p, &x->choice, times, a) * meeting(p, message) * doubt_of(&x->choice);
        x->seconds = x->hope;
        x->promise = is_vague(p) ? sqrt(x->form * x->hope) : x->hope;
    }
}

/* The problem whose schedules are evaluated. */
static atn_problem problem_seen(const planner *p, const atn_choice *c)
{
    return p->reduced ? atn_plan_miniature_problem(&p->mini, c) : p->q;
}

static int ranks_seen(const planner *p) { return p->reduced ? p->mini.q.p : p->q.p; }

static atn_form_terms terms_of(const planner *p, const atn_choice *c, const atn_problem *on,
                               atn_form_facts *facts)
{
    atn_problem q = *on;
    double times[2] = {0};
    q.segments = atn_algo_segments(c->row, &q, &c->params);
    const double a = p->net.a + queueing(p, message_of(c, &p->q));
    const atn_alpha_beta networks[] = {{a, p->net.b, p->net.g}, {a, 0, 0}};
    if (atn_plan_form_times(c, &q, facts, networks, 2, times, NULL) != ATN_OK)
        return (atn_form_terms){0, 0};
    return (atn_form_terms){times[1], times[0] - times[1]};
}

static int by_hope(const void *a, const void *b)
{
    const atn_prospect *x = a, *y = b;
    if (x->hope < y->hope || y->hope < x->hope)
        return x->hope < y->hope ? -1 : 1;
    if (x->form < y->form || y->form < x->form)
        return x->form < y->form ? -1 : 1;
    return strcmp(x->choice.row->name, y->choice.row->name);
}

static int by_promise(const void *a, const void *b)
{
    const atn_prospect *x = a, *y = b;
    if (x->promise < y->promise || y->promise < x->promise)
        return x->promise < y->promise ? -1 : 1;
    return by_hope(a, b);
}

/* Two per cent are below the accuracy of predictions. */
static int grade(double seconds) { return seconds > 0 ? (int)floor(50 * log(seconds)) : INT_MIN; }

/* Of those that are as fast the one that was looked at, then the one of least effort. */
static int by_time(const void *a, const void *b)
{
    const atn_prospect *x = a, *y = b;
    if (grade(x->seconds) != grade(y->seconds))
        return grade(x->seconds) < grade(y->seconds) ? -1 : 1;
    if (x->evaluated != y->evaluated)
        return x->evaluated ? -1 : 1;
    return by_hope(a, b);
}

/* Whether they differ in nothing but the segment. */
static bool same_shape(const atn_prospect *x, const atn_prospect *y)
{
    const atn_param *list[ATN_MAX_PARAMS];
    if (x->choice.row != y->choice.row)
        return false;
    const int n = atn_algo_row_params(x->choice.row, list);
    for (int i = 0; i < n; i++)
        if (strcmp(list[i]->name, "segment") != 0 && x->choice.params.v[i] != y->choice.params.v[i])
            return false;
    return true;
}

static int tries(const planner *p, int i)
{
    int n = 0;
    for (int k = 0; k < p->r.n; k++)
        n += p->r.v[k].evaluated && same_shape(&p->r.v[k], &p->r.v[i]);
    return n;
}

/* Of the same row with the same parameters of its own, which make a schedule large or small. */
static bool is_like(const atn_prospect *x, const atn_prospect *y)
{
    const atn_algo *const algo = x->choice.row->algo;
    if (x->choice.row != y->choice.row)
        return false;
    for (int i = 0; algo->params && algo->params[i].name; i++)
        if (x->choice.params.v[i] != y->choice.params.v[i])
            return false;
    return true;
}

/* What was found out about one like it; NULL: nothing yet. */
static const atn_trial_probe *probe_like(const planner *p, int i)
{
    for (int k = 0; k < i; k++)
        if (p->probe[k].ops > 0 && is_like(&p->r.v[k], &p->r.v[i]))
            return &p->probe[k];
    return NULL;
}

/* Phases are messages of all ranks to all, recomputed by each rank; they are contention-free. */
static bool has_many_phases(const planner *p, const atn_choice *c)
{
    const int64_t ranks = ranks_seen(p);
    return c->row->algo->cost && atn_model_expr_names(c->row->algo->cost, "phases") &&
           ranks * ranks * ranks * ATN_STEPS_OP > p->budget;
}

/* Whether it is not worth being built to see that it is too large. */
static bool is_too_large(planner *p, int i)
{
    const atn_choice *const c = &p->r.v[i].choice;
    if (has_many_phases(p, c)) {
        p->probe[i].ring = true;
        return true;
    }
    const atn_trial_probe *const like = probe_like(p, i);
    const int64_t third = p->whole / 3; /* others want to be seen, too */
    const int64_t most = p->budget < third ? p->budget : third;
    const atn_problem q = problem_seen(p, c);
    const int segments = atn_algo_segments(c->row, &q, &c->params);
    if (!like || atn_plan_trial_steps(like, segments, ranks_seen(p)) <= most)
        return false;
    p->probe[i] = *like;
    return true;
}

/* Evaluated before under another name; NULL: not yet. */
static const atn_prospect *twin_of(const planner *p, int i)
{
    for (int k = 0; k < i; k++)
        if (p->r.v[k].evaluated && p->r.v[k].does == p->r.v[i].does)
            return &p->r.v[k];
    return NULL;
}

static atn_status run_model(planner *p, int i, const atn_model_trial *t, double until,
                            double *seconds_p)
{
    atn_model_bounds bounds = {.until = until};
    const int64_t most = p->q.p > 16 ? p->whole / 2 : p->whole; /* one must not take it all */
    bounds.most = p->budget < most ? p->budget : most;
    const atn_status status = atn_plan_trial_time(t, p->m, p->model, &bounds, seconds_p, NULL);
    p->budget -= bounds.work > 0 ? bounds.work : (int64_t)t->part[0].g.n * ATN_STEPS_OP;
    p->r.v[i].beyond = bounds.stopped && bounds.work <= bounds.most;
    return status == ATN_OK && bounds.work > bounds.most ? ATN_NOT_APPLICABLE : status;
}

/* What takes twice as long as the best is of no interest. */
static atn_status time_all(planner *p, int i, const atn_model_trial *t, double *seconds_p)
{
    atn_prospect *const x = &p->r.v[i];
    x->does = atn_plan_trial_hash(t);
    const atn_prospect *const twin = twin_of(p, i);
    if (twin != NULL) {
        *seconds_p = twin->seconds;
        x->beyond = twin->beyond;
        return ATN_OK;
    }
    const atn_status status = run_model(p, i, t, 2 * p->best, seconds_p);
    *seconds_p *= doubt_of(&x->choice);
    x->does = status == ATN_OK ? x->does : 0;
    return status;
}

/* Few ranks may do the same where more would not, so there are no twins. */
static atn_status time_few(planner *p, int i, const atn_model_trial *t, double *seconds_p)
{
    const atn_choice *const c = &p->r.v[i].choice;
    const atn_problem q = problem_seen(p, c);
    const atn_form_terms few = terms_of(p, c, &q, &p->few), all = terms_of(p, c, &p->q, &p->all);
    const bool known = few.latency + few.bytes > 0;
    const double until =
        known && isfinite(p->best) ? atn_plan_miniature_reduce(&few, &all, 2 * p->best) : INFINITY;
    double seconds = 0;
    const atn_status status = run_model(p, i, t, until, &seconds);
    *seconds_p = doubt_of(c) * (known ? atn_plan_miniature_extend(&few, &all, seconds) : seconds);
    p->r.v[i].reduced = status == ATN_OK;
    return status;
}

static atn_status evaluate(planner *p, int i, double *seconds_p)
{
    const atn_choice *const c = &p->r.v[i].choice;
    const atn_problem q = problem_seen(p, c);
    atn_model_trial t;
    if (is_too_large(p, i))
        return ATN_NOT_APPLICABLE;
    atn_status status = atn_plan_trial_make(c, &q, &p->budget, &t, &p->probe[i], NULL);
    if (status != ATN_OK)
        return status;
    status = p->reduced ? time_few(p, i, &t, seconds_p) : time_all(p, i, &t, seconds_p);
    atn_plan_trial_free(&t);
    return status;
}

static atn_status look(planner *p, int i)
{
    atn_prospect *x = &p->r.v[i];
    const int64_t before = p->budget;
    double seconds = 0;
    const atn_status status = evaluate(p, i, &seconds);
    p->budget = p->budget > 0 ? p->budget : 0;
    p->r.steps += before - p->budget;
    if (status == ATN_OK) {
        x->seconds = seconds;
        x->evaluated = true;
        p->r.evaluated++;
        p->best = fmin(p->best, seconds);
        if (x->form > 0)
            p->scale = fmin(p->scale, seconds / x->form);
    } else if (p->probe[i].ring && along_the_wires(&x->choice)) {
        x->seconds = x->hope;
    } else {
        x->seconds = fmax(x->seconds, seconds); /* so far it got */
    }
    return status == ATN_MEMORY ? status : ATN_OK;
}

/* A candidate that was not evaluated exceeds its form by as much as others of its shape, or else as
 * those that are topology-aware, or not, as it is, on average (rings are contention-free then); but
 * not less. */
static double excess_of(const planner *p, int i)
{
    const atn_prospect *const x = &p->r.v[i];
    double alike = 0, others = 0;
    int n = 0;
    for (int k = 0; k < p->r.n; k++) {
        const atn_prospect *const y = &p->r.v[k];
        if (!y->evaluated || y->hope <= 0)
            continue;
        if (same_shape(x, y)) {
            alike = fmax(alike, y->seconds / y->hope);
        } else if (!y->beyond && along_the_wires(&x->choice) == along_the_wires(&y->choice)) {
            others += log(y->seconds / y->hope);
            n++;
        }
    }
    if (alike > 0 || n == 0 || p->probe[i].ring)
        return fmax(1, alike);
    return fmax(1, exp(others / n));
}

static void judge_the_rest(planner *p)
{
    for (int i = 0; i < p->r.n; i++) {
        atn_prospect *const x = &p->r.v[i];
        if (!x->evaluated)
            x->seconds = fmax(x->seconds, x->hope * excess_of(p, i));
    }
}

/* ---- the same under two names ---- */

static int by_what_it_does(const void *a, const void *b)
{
    const atn_prospect *x = a, *y = b;
    if (x->does != y->does)
        return x->does > y->does ? -1 : 1;
    return atn_plan_is_simpler(&x->choice, &y->choice) ? -1 : 1;
}

/* Moves those behind the others whose ranks do the same as those of one with a simpler name. */
static void part_with_twins(atn_ranking *r)
{
    atn_prospect *const twins = r->n > 0 ? malloc((size_t)r->n * sizeof *twins) : NULL;
    int kept = 0;
    if (twins == NULL)
        return;
    qsort(r->v, (size_t)r->n, sizeof *r->v, by_what_it_does);
    for (int i = 0; i < r->n; i++)
        if (kept > 0 && r->v[i].does != 0 && r->v[i].does == r->v[kept - 1].does)
            twins[r->twins++] = r->v[i];
        else
            r->v[kept++] = r->v[i];
    memcpy(r->v + kept, twins, (size_t)r->twins * sizeof *twins);
    free(twins);
    r->n = kept;
    for (int i = kept; i < kept + r->twins; i++)
        r->evaluated -= r->v[i].evaluated;
}

static bool is_job(const planner *p) { return p->whole <= atn_plan_budget(p->q.p); }

/* All schedules of many ranks are too many, and so they are for the budget of jobs. */
static bool needs_miniature(const planner *p)
{
    return p->q.p > ATN_EXACT_RANKS || (p->q.p > ATN_SMALL_RANKS && is_job(p));
}

/* The more ranks, the more accurate; in a job more candidates are worth more. */
static int small_ranks(const planner *p) { return is_job(p) ? ATN_JOB_RANKS : ATN_SMALL_RANKS; }

/* Where all schedules might be evaluated, a miniature must save most of the work. */
static bool begin_miniature(planner *p)
{
    if (!needs_miniature(p) || !atn_plan_miniature_begin(&p->q, small_ranks(p), &p->mini))
        return false;
    if (p->q.p > ATN_EXACT_RANKS)
        return true;
    if (p->mini.q.p * 4 > p->q.p) {
        atn_plan_miniature_end(&p->mini);
        return false;
    }
    p->budget = p->whole = p->whole * 3 / 10;
    return true;
}

/* In jobs only evaluated schedules are compared; with more time, all are, if ranks are few. */
static atn_status list_prospects(planner *p)
{
    atn_choice *list = NULL;
    const int64_t more = p->whole - atn_plan_budget(p->q.p);
    p->reduced = begin_miniature(p);
    const int64_t spare = p->reduced ? 0 : more;
    const int n = p->q.bytes >= 0 ? atn_plan_candidates_within(&p->q, spare, &list) : 0;
    if (n >= 0) {
        p->r.v = calloc((size_t)n + 1, sizeof *p->r.v);
        p->probe = calloc((size_t)n + 1, sizeof *p->probe);
    }
    if (p->r.v && p->probe)
        for (p->r.n = 0; p->r.n < n; p->r.n++)
            p->r.v[p->r.n].choice = list[p->r.n];
    free(list);
    return p->r.v && p->probe ? ATN_OK : ATN_MEMORY;
}

/* On many ranks promises are vague, so first one of each shape is looked at. */
static void order_by_promise(planner *p)
{
    p->tries = p->reduced ? 1 : TRIES;
    p->net = atn_plan_planner_network(&p->q, p->m);
    spread_over_ports(p);
    p->contention = contention_of(&p->q, p->m, &p->net);
    set_forms(p);
    qsort(p->r.v, (size_t)p->r.n, sizeof *p->r.v, by_promise);
}

/* In the order of what they promise; those are spared whose form is worse than the best even if
 * they kept as much more than their form promises as the best of those looked at, and a bit. */
static atn_status look_at_next(planner *p)
{
    while (p->budget > 0 && (p->at < p->r.n || p->tries < TRIES)) {
        if (p->at == p->r.n) { /* again, for more of each shape */
            p->tries++;
            p->at = 0;
            continue;
        }
        const int i = p->at++;
        if (p->probe[i].ops == 0 && 0.9 * p->scale * p->r.v[i].form < p->best &&
            tries(p, i) < p->tries)
            return look(p, i);
    }
    p->next = DONE;
    return ATN_OK;
}

atn_planning *atn_plan_planning_begin(const atn_problem *q, const atn_machine *m,
                                      const atn_model *model, int64_t budget)
{
    planner *const p = calloc(1, sizeof *p);
    if (p)
        *p = (planner){.q = *q,
                       .m = m,
                       .model = model ? model : atn_plan_planner_model(m, q->topo, q->p),
                       .whole = budget,
                       .budget = budget,
                       .best = INFINITY,
                       .scale = 1};
    return p;
}

bool atn_plan_planning_step(atn_planning *p)
{
    switch (p->next) {
    case LIST:
        p->status = list_prospects(p);
        p->next = FORMS;
        break;
    case FORMS:
        order_by_promise(p);
        p->next = LOOK;
        break;
    case LOOK:
        p->status = look_at_next(p);
        break;
    case DONE:
        break;
    }
    if (p->status != ATN_OK)
        p->next = DONE;
    return p->next != DONE;
}

atn_status atn_plan_planning_end(atn_planning *p, atn_ranking *ranking_p, atn_error *err)
{
    const atn_status status = p->status;
    if (status == ATN_OK) {
        judge_the_rest(p);
        part_with_twins(&p->r);
        qsort(p->r.v, (size_t)p->r.n, sizeof *p->r.v, by_time);
        *ranking_p = p->r;
        p->r.v = NULL;
    }
    atn_plan_planning_drop(p);
    return status == ATN_OK ? ATN_OK : atn_fail(err, status, "out of memory");
}

void atn_plan_planning_drop(atn_planning *p)
{
    if (p) {
        free(p->r.v);
        free(p->probe);
        atn_plan_miniature_end(&p->mini);
    }
    free(p);
}

atn_status atn_plan_planner_rank(const atn_problem *q, const atn_machine *m, const atn_model *model,
                                 int64_t budget, atn_ranking *ranking_p, atn_error *err)
{
    atn_planning *const p = atn_plan_planning_begin(q, m, model, budget);
    if (p == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    while (atn_plan_planning_step(p)) {
    }
    return atn_plan_planning_end(p, ranking_p, err);
}

void atn_plan_ranking_free(atn_ranking *r)
{
    free(r->v);
    *r = (atn_ranking){.n = 0};
}
