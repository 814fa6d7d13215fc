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
#include "plan/traffic.h"
#include "plan/trial.h"
#include "plan/twins.h"

enum { TRIES = 3, FEW_SEGMENTS = 2, SHORT_RANKS = 256 };
/* How many rows of no excess the others are worth. */
enum { STRANGE = 2 };
/* Forms this much longer than the best hope are not worth a closer look. */
static const double PROMISING = 2;

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
typedef enum { LIST, FORMS, TRAFFIC, LOOK, DONE } stage;

/* Groups of prospects: those that differ in the segment only; also in windows and synchronisation,
 * which hardly change traffic; also in the order of ranks, with the same form; all of a row. */
enum { SHAPE, WAY, FORM, ROW, GROUPS };

/* Where traffic is looked at: on many ranks, as far as schedules are short, or on few. */
enum { MANY, FEW, PLACES };
typedef struct {
    atn_miniature mini; /* p 0: what is evaluated, or the problem itself */
    atn_traffic traffic;
    atn_form_facts facts;
} place;

/* Times of evaluated schedules over what was hoped for: a mean of logarithms. */
typedef struct {
    double sum;
    int n;
} excess;

struct atn_planning {
    atn_problem q;
    const atn_machine *m;
    const atn_model *model;
    int64_t whole, budget; /* steps: to begin with, left */
    stage next;
    int at; /* of the candidates in the order of what they promise */
    atn_alpha_beta net;
    atn_links_message message; /* of the slowest channel */
    double contention;
    atn_ranking r;
    bool reduced; /* schedules are evaluated on the miniature */
    atn_miniature mini;
    atn_form_facts all, few; /* of the problem, of the miniature */
    atn_trial_probe *probe;  /* of each prospect */
    double best, scale;      /* least time found; least of times over forms, at most 1 */
    bool sampled;            /* places are in use */
    place place[PLACES];
    atn_choice *list; /* candidates, in the order of their numbers */
    int listed;
    atn_form **forms;            /* of groups, once they are needed */
    double hoped;                /* least hope so far */
    bool *tried;                 /* of each prospect; before, of each kind of traffic */
    excess *like[GROUPS], every; /* of each group of prospects, by its number; of all */
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

/* Forms agree with the model that evaluates schedules, as far as it distinguishes them. */
static void set_network(planner *p)
{
    const int channel = atn_plan_planner_channel(&p->q, p->m);
    p->net = atn_plan_planner_network(&p->q, p->m);
    p->message = (atn_links_message){.forward = p->net.a};
    if (strcmp(p->model->name, "links") == 0) {
        p->message = atn_model_links_message(p->m, channel);
        p->net.a = p->message.empty;
    }
    spread_over_ports(p);
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
static double hope_of(const planner *p, const atn_prospect *x)
{
    const double contended = x->latency + (x->form - x->latency) * p->contention;
    if (x->plain)
        return contended;
    return x->latency >= x->start * p->q.p / 2 ? x->form : sqrt(x->form * contended);
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

/* ---- groups ---- */

/* Whether they differ in nothing but the segment. */
static bool same_shape(const atn_prospect *x, const atn_prospect *y)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(x->choice.row, list);
    for (int i = 0; i < n; i++)
        if (strcmp(list[i]->name, "segment") != 0 && x->choice.params.v[i] != y->choice.params.v[i])
            return false;
    return true;
}

static int64_t order_of(const atn_choice *c)
{
    return atn_algo_params_get(c->row, &c->params, "order", 0);
}

/* A group has the number of its first prospect.  Rows are listed one after the other. */
static void set_groups(planner *p)
{
    for (int i = 0; i < p->r.n; i++) {
        atn_prospect *const x = &p->r.v[i];
        x->group[SHAPE] = x->group[WAY] = x->group[FORM] = x->group[ROW] = i;
        for (int k = i - 1; k >= 0 && p->r.v[k].choice.row == x->choice.row; k--) {
            const atn_prospect *const y = &p->r.v[k];
            x->group[ROW] = k;
            if (!is_like(x, y))
                continue;
            x->group[FORM] = k;
            if (order_of(&x->choice) == order_of(&y->choice))
                x->group[WAY] = k;
            if (x->group[WAY] == k && same_shape(x, y))
                x->group[SHAPE] = k;
        }
    }
}

/* ---- forms ---- */

/* Forms are read once for all numbers of segments and ranks. */
static atn_form *form_of(planner *p, const atn_prospect *x)
{
    atn_form **const f = &p->forms[x->group[FORM]];
    if (*f == NULL)
        *f = atn_plan_form_open(&p->list[x->group[FORM]]);
    return *f;
}

/* Segments follow each other as fast as a rank can forward them, or as their bytes allow.  Nothing
 * is known of terms of 0. */
static atn_form_terms terms_on(planner *p, const atn_prospect *x, const atn_problem *q,
                               atn_form_facts *facts, double *latency_p)
{
    const atn_alpha_beta net = {x->start, p->net.b, p->net.g};
    const double each = p->net.b * (double)message_of(&x->choice, q);
    atn_form *const f = form_of(p, x);
    atn_form_terms terms = {0, 0};
    double more = 0;
    if (f == NULL || !atn_plan_form_terms(f, q, facts, &net, &terms, &more))
        return (atn_form_terms){0, 0};
    *latency_p = terms.latency;
    terms.latency += more * fmin(1, fmax(0, p->message.forward - each) / x->start);
    return terms;
}

/* One before it in the list with the same form; NULL: there is none. */
static const atn_prospect *form_before(const planner *p, int i)
{
    const atn_prospect *const x = &p->r.v[i];
    for (int k = i - 1; k >= x->group[FORM]; k--)
        if (p->r.v[k].group[FORM] == x->group[FORM] && p->r.v[k].segments == x->segments)
            return &p->r.v[k];
    return NULL;
}

static void set_form(planner *p, int i)
{
    atn_prospect *const x = &p->r.v[i];
    atn_problem q = p->q;
    double latency = 0;
    x->segments = q.segments = atn_algo_segments(x->choice.row, &q, &x->choice.params);
    x->start = p->net.a + queueing(p, message_of(&x->choice, &q));
    const atn_prospect *const like = form_before(p, i);
    if (like != NULL) {
        x->latency = like->latency;
        x->form = like->form;
        x->rounds = like->rounds;
        return;
    }
    const atn_form_terms terms = terms_on(p, x, &q, &p->all, &latency);
    x->latency = terms.latency;
    x->form = terms.latency + terms.bytes;
    x->rounds = x->start > 0 ? (int)fmin(INT_MAX / 2, latency / x->start) : 0;
}

static void set_hope(planner *p, atn_prospect *x, double seconds)
{
    atn_problem q = p->q;
    q.segments = x->segments;
    x->hope = seconds * meeting(p, message_of(&x->choice, &q)) * doubt_of(&x->choice);
    x->seconds = x->hope;
}

static void set_forms(planner *p)
{
    for (int i = 0; i < p->r.n; i++) {
        atn_prospect *const x = &p->r.v[i];
        set_form(p, i);
        x->plain = !along_the_wires(&x->choice);
        set_hope(p, x, hope_of(p, x));
    }
}

/* The problem whose schedules are evaluated. */
static atn_problem problem_seen(const planner *p, const atn_choice *c)
{
    return p->reduced ? atn_plan_miniature_problem(&p->mini, c) : p->q;
}

static int ranks_seen(const planner *p) { return p->reduced ? p->mini.q.p : p->q.p; }

/* Phases are messages of all ranks to all, recomputed by each rank; they are contention-free. */
static bool has_many_phases(const planner *p, const atn_choice *c)
{
    const int64_t ranks = ranks_seen(p);
    return c->row->algo->cost && atn_model_expr_names(c->row->algo->cost, "phases") &&
           ranks * ranks * ranks * ATN_STEPS_OP > p->budget;
}

/* ---- traffic ---- */

static atn_problem problem_at(const planner *p, int where, const atn_choice *c)
{
    const atn_miniature *const mini = &p->place[where].mini;
    if (mini->p > 0)
        return atn_plan_miniature_problem(mini, c);
    return where == FEW ? problem_seen(p, c) : p->q;
}

/* A miniature for a place where there are too many ranks. */
static void shrink(planner *p, int where, int most)
{
    atn_miniature *const mini = &p->place[where].mini;
    if (p->q.p > most && atn_plan_miniature_begin(&p->q, most, mini) && mini->q.p >= p->q.p)
        atn_plan_miniature_end(mini);
}

static void begin_traffic(planner *p)
{
    if (p->q.topo == NULL || p->q.topo->p != p->q.p || strcmp(p->model->name, "links") != 0)
        return;
    shrink(p, MANY, SHORT_RANKS);
    if (!p->reduced)
        shrink(p, FEW, ATN_JOB_RANKS);
    p->sampled = true;
    for (int i = 0; i < PLACES; i++) {
        const atn_miniature *const mini = &p->place[i].mini;
        const atn_topo *const t = mini->p > 0              ? mini->topo
                                  : i == FEW && p->reduced ? p->mini.topo
                                                           : p->q.topo;
        p->sampled = atn_plan_traffic_begin(t, p->m, &p->net, &p->place[i].traffic) && p->sampled;
    }
}

/* Schedules of few rounds are short on many ranks, too, and their partners are nearer there; those
 * of many rounds meet all ranks. */
static int place_of(const planner *p, const atn_prospect *x)
{
    int log2 = 0;
    while (p->q.p >> log2 > 1)
        log2++;
    return x->rounds <= 4 * log2 ? MANY : FEW;
}

/* No rank or link takes less than for its bytes, whatever the form is: that of levels, for example,
 * has no leaders.  Phases are contention-free, and take long to derive. */
static bool find_traffic(planner *p, const atn_prospect *x, int where, atn_traffic_factors *f_p)
{
    place *const at = &p->place[where];
    atn_problem q = problem_at(p, where, &x->choice);
    double unused = 0;
    *f_p = (atn_traffic_factors){1, 1, 0};
    if (has_many_phases(p, &x->choice))
        return true;
    q.segments = x->segments > 1 ? FEW_SEGMENTS : 1;
    const bool ok = atn_plan_traffic_factors(&at->traffic, &x->choice, &q, &p->budget, f_p);
    const double bytes = ok ? terms_on(p, x, &q, &at->facts, &unused).bytes : 0;
    if (bytes > 0)
        f_p->bytes = fmax(f_p->bytes, f_p->least / bytes);
    return ok;
}

/* Those with the same number of messages to the same ranks, or a multiple of it. */
static int traffic_of(const planner *p, const atn_prospect *x)
{
    return x->group[WAY] + (x->segments > 1 ? p->r.n : 0);
}

/* What links make of one prospect holds for all like it. */
static void sample(planner *p, int i)
{
    const int traffic = traffic_of(p, &p->r.v[i]), where = place_of(p, &p->r.v[i]);
    const int64_t before = p->budget;
    atn_traffic_factors f;
    const bool ok = find_traffic(p, &p->r.v[i], where, &f);
    p->budget = p->budget > 0 ? p->budget : 0;
    p->r.steps += before - p->budget;
    if (!ok)
        return;
    for (int k = 0; k < p->r.n; k++) {
        atn_prospect *const x = &p->r.v[k];
        if (traffic_of(p, x) != traffic)
            continue;
        x->traffic = where == MANY ? f.bytes : 0;
        set_hope(p, x, x->latency * f.latency + (x->form - x->latency) * f.bytes);
        p->hoped = fmin(p->hoped, x->hope);
    }
}

/* The next one whose form promises something, and whose traffic is not known yet.  Others need the
 * budget, too. */
static void sample_next(planner *p)
{
    while (p->sampled && p->at < p->r.n && p->budget > p->whole / 2) {
        const atn_prospect *const x = &p->r.v[p->at];
        bool *const known = &p->tried[traffic_of(p, x)];
        const int i = p->at++;
        if (*known || x->form <= 0 || x->form > PROMISING * p->hoped)
            continue;
        *known = true;
        sample(p, i);
        return;
    }
    memset(p->tried, 0, sizeof *p->tried * (size_t)p->r.n);
    p->next = LOOK;
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

/* What was found out about one like it; NULL: nothing yet. */
static const atn_trial_probe *probe_like(const planner *p, int i)
{
    for (int k = 0; k < i; k++)
        if (p->probe[k].ops > 0 && is_like(&p->r.v[k], &p->r.v[i]))
            return &p->probe[k];
    return NULL;
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
    const int64_t share = p->reduced ? 2 : 4; /* one must not take it all */
    const int64_t most = p->q.p > 16 ? p->whole / share : p->whole;
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

/* The forms of a prospect on the miniature and on all ranks.  Where traffic differs between them,
 * they have it. */
static atn_form_terms terms_seen(planner *p, const atn_prospect *x)
{
    atn_problem q = problem_seen(p, &x->choice);
    double unused = 0;
    q.segments = atn_algo_segments(x->choice.row, &q, &x->choice.params);
    atn_form_terms few = terms_on(p, x, &q, &p->few, &unused);
    atn_traffic_factors f;
    if (x->traffic > 0 && find_traffic(p, x, FEW, &f))
        few.bytes *= f.bytes;
    return few;
}

static atn_form_terms terms_hoped(const atn_prospect *x)
{
    return (atn_form_terms){x->latency, (x->form - x->latency) * (x->traffic > 0 ? x->traffic : 1)};
}

/* Few ranks may do the same where more would not, so there are no twins. */
static atn_status time_few(planner *p, int i, const atn_model_trial *t, double *seconds_p)
{
    const atn_prospect *const x = &p->r.v[i];
    const atn_form_terms few = terms_seen(p, x), all = terms_hoped(x);
    const bool known = few.latency + few.bytes > 0;
    const double until =
        known && isfinite(p->best) ? atn_plan_miniature_reduce(&few, &all, 2 * p->best) : INFINITY;
    double seconds = 0;
    const atn_status status = run_model(p, i, t, until, &seconds);
    *seconds_p =
        doubt_of(&x->choice) * (known ? atn_plan_miniature_extend(&few, &all, seconds) : seconds);
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

/* ---- expectations ---- */

static void add_excess(excess *x, double ratio)
{
    x->sum += log(ratio);
    x->n++;
}

static void learn(planner *p, const atn_prospect *x)
{
    if (x->form > 0)
        p->scale = fmin(p->scale, x->seconds / x->form);
    if (x->hope <= 0 || x->seconds <= 0)
        return;
    for (int g = 0; g < GROUPS; g++)
        add_excess(&p->like[g][x->group[g]], x->seconds / x->hope);
    add_excess(&p->every, x->seconds / x->hope);
}

/* A prospect exceeds what it lets hope by as much as the evaluated ones most like it do; other rows
 * are less alike. */
static double excess_of(const planner *p, const atn_prospect *x)
{
    for (int g = 0; g < GROUPS; g++) {
        const excess *const e = &p->like[g][x->group[g]];
        if (e->n > 0)
            return exp(e->sum / e->n);
    }
    return exp(p->every.sum / (p->every.n + STRANGE));
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
        learn(p, x);
    } else if (p->probe[i].ring && along_the_wires(&x->choice)) {
        x->seconds = x->hope;
    } else {
        x->seconds = fmax(x->seconds, seconds); /* so far it got */
    }
    return status == ATN_MEMORY ? status : ATN_OK;
}

/* What was not evaluated is doubtful: where evaluations are exact, most of all pipelines, whose
 * traffic is known of few segments. */
static double doubt_about(const planner *p, const atn_prospect *x)
{
    const bool alone = p->like[WAY][x->group[WAY]].n == 0;
    return alone && !p->reduced && x->segments > 1 ? 1.5 : 1.1;
}

/* Nothing is expected to be better than hoped for.  Rings are contention-free. */
static void judge_the_rest(planner *p)
{
    for (int i = 0; i < p->r.n; i++) {
        atn_prospect *const x = &p->r.v[i];
        const bool ring = p->probe[i].ring && p->like[WAY][x->group[WAY]].n == 0;
        const double factor = ring ? 1 : fmax(1, excess_of(p, x)) * doubt_about(p, x);
        if (!x->evaluated)
            x->seconds = fmax(x->seconds, x->hope * factor);
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
    const int64_t more = p->whole - atn_plan_budget(p->q.p);
    p->reduced = begin_miniature(p);
    const int64_t spare = p->reduced ? 0 : more;
    int n = p->q.bytes >= 0 ? atn_plan_candidates_within(&p->q, spare, &p->list) : 0;
    if (n >= 0) {
        p->r.v = calloc((size_t)n + 1, sizeof *p->r.v);
        p->probe = calloc((size_t)n + 1, sizeof *p->probe);
        p->tried = calloc(2 * (size_t)n + 1, sizeof *p->tried);
        p->forms = calloc((size_t)n + 1, sizeof(atn_form *));
        p->like[0] = calloc(GROUPS * ((size_t)n + 1), sizeof *p->like[0]);
    }
    if (!p->r.v || !p->probe || !p->tried || !p->forms || !p->like[0])
        n = -1;
    for (int g = 1; g < GROUPS && n >= 0; g++)
        p->like[g] = p->like[g - 1] + n + 1;
    p->listed = n;
    if (n >= 0)
        for (p->r.n = 0; p->r.n < n; p->r.n++)
            p->r.v[p->r.n].choice = p->list[p->r.n];
    return n >= 0 ? ATN_OK : ATN_MEMORY;
}

static int by_form(const void *a, const void *b)
{
    const atn_prospect *x = a, *y = b;
    if (x->form < y->form || y->form < x->form)
        return x->form < y->form ? -1 : 1;
    return by_hope(a, b);
}

static void order_by_form(planner *p)
{
    set_network(p);
    p->contention = contention_of(&p->q, p->m, &p->net);
    set_groups(p);
    set_forms(p);
    qsort(p->r.v, (size_t)p->r.n, sizeof *p->r.v, by_form);
    begin_traffic(p);
}

/* Those are spared whose form is worse than the best even if they kept as much more than their form
 * promises as the best of those looked at, and a bit. */
static bool is_open(const planner *p, int i)
{
    const atn_prospect *const x = &p->r.v[i];
    return !p->tried[i] && p->probe[i].ops == 0 && 0.9 * p->scale * x->form < p->best &&
           p->like[SHAPE][x->group[SHAPE]].n < TRIES;
}

/* The one that is expected to be fastest; in jobs, unless that is far behind.  -1: none. */
static int most_promising(const planner *p)
{
    double least = is_job(p) ? PROMISING * p->best : INFINITY;
    int found = -1;
    for (int i = 0; i < p->r.n; i++) {
        const double seconds = is_open(p, i) ? p->r.v[i].hope * excess_of(p, &p->r.v[i]) : INFINITY;
        if (seconds < least) {
            least = seconds;
            found = i;
        }
    }
    return found;
}

static atn_status look_at_next(planner *p)
{
    const int i = p->budget > 0 ? most_promising(p) : -1;
    if (i < 0) {
        p->next = DONE;
        return ATN_OK;
    }
    p->tried[i] = true;
    return look(p, i);
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
                       .hoped = INFINITY,
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
        order_by_form(p);
        p->next = TRAFFIC;
        break;
    case TRAFFIC:
        sample_next(p);
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

static void free_parts(planner *p)
{
    for (int i = 0; p->forms && i < p->listed; i++)
        atn_plan_form_close(p->forms[i]);
    for (int i = 0; i < PLACES; i++) {
        atn_plan_traffic_end(&p->place[i].traffic);
        atn_plan_miniature_end(&p->place[i].mini);
    }
    atn_plan_miniature_end(&p->mini);
}

void atn_plan_planning_drop(atn_planning *p)
{
    if (p) {
        free_parts(p);
        free(p->forms);
        free(p->list);
        free(p->r.v);
        free(p->probe);
        free(p->tried);
        free(p->like[0]);
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
