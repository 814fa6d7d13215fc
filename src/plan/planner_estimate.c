/* planner_estimate.c - see planner_private.h: closed forms, and what links make of messages. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/bound.h"
#include "model/expr.h"
#include "plan/planner_private.h"

enum { SHORT_RANKS = 256 };
/* Traffic may make a prospect this much better than its form where ranks share hosts. */
enum { SURPRISING = 3 };
/* On few ranks, traffic takes longer to look at than schedules: only what promises this much. */
static const double likely = 1.25;
/* Of the rate of links, machines may reach somewhat more than is usual. */
static const double close_to_bound = 0.97;

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

/* If all ranks send to all, no order helps. */
bool atn_plan_choice_is_aware(const atn_choice *c)
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

/* ---- ranks that share hosts ---- */

static atn_plan_hosts hosts_of(const atn_topo *t)
{
    atn_plan_hosts h = {.n = atn_topo_hosts(t), .runs = 1, .cyclic = true};
    for (int r = 1; r < t->p; r++)
        h.runs += atn_topo_host_of(t, r) != atn_topo_host_of(t, r - 1);
    for (int r = h.n; r < t->p && h.cyclic; r++)
        h.cyclic = atn_topo_host_of(t, r) == atn_topo_host_of(t, r - h.n);
    return h;
}

/* Few ranks can be evaluated without it. */
static void set_hosts(planner *p)
{
    const atn_topo *const t = p->q.topo;
    if (!p->reduced || t == NULL || t->p != p->q.p || strcmp(p->model->name, "links") != 0)
        return;
    const int c = atn_model_machine_channel_of(p->m, t, 0, 0);
    p->hosts = hosts_of(t);
    if (p->hosts.n < p->q.p && atn_model_channel_inside(c))
        p->inside = (atn_alpha_beta){.a = atn_model_links_message(p->m, c).empty,
                                     .b = 1.0 / atn_model_channel_rate(p->m, c)};
}

/* Whether the ranks below each node have successive numbers. */
static bool follow_each_other(const atn_topo *t)
{
    int *const last = malloc(sizeof *last * (size_t)t->nnodes);
    bool ok = last != NULL;
    for (int v = 0; ok && v < t->nnodes; v++)
        last[v] = -1;
    for (int r = 0; ok && r < t->p; r++)
        for (int v = t->node_of[r]; ok && v > 0; v = t->nodes[v].parent) {
            ok = last[v] < 0 || last[v] == r - 1;
            last[v] = r;
        }
    free(last);
    return ok;
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
    p->in_order = p->q.topo != NULL && p->q.topo->p == p->q.p && follow_each_other(p->q.topo);
    spread_over_ports(p);
    set_hosts(p);
}

/* Bytes of its longest messages, as far as can be derived without building. */
static int64_t message_of(const atn_choice *c, const atn_problem *q)
{
    return q->bytes / atn_max(q->segments, 1) / (c->row->algo->shares ? q->p : 1);
}

/* To wait for tokens takes longer than predicted, 8 to 40 % where it was measured, and the longer
 * the more others use the processors: what they promise to gain counts beyond ten. */
double atn_plan_choice_doubt(const atn_choice *c)
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
bool atn_plan_prospect_is_like(const atn_prospect *x, const atn_prospect *y)
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
            if (!atn_plan_prospect_is_like(x, y))
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
static atn_cost_form *form_of(planner *p, const atn_prospect *x)
{
    atn_cost_form **const f = &p->forms[x->group[FORM]];
    if (*f == NULL)
        *f = atn_plan_form_open(&p->list[x->group[FORM]]);
    return *f;
}

/* Its rounds in which messages change the host.  Partners of coordinated rounds are ever farther
 * away, in as many rounds inside as the ranks of a host need, also if ranks go around the hosts; of
 * messages that are forwarded, the depth of a tree is a logarithm, that of a chain a number of
 * ranks. */
static double rounds_between(const planner *p, const atn_prospect *x, const atn_problem *q,
                             double rounds)
{
    const atn_plan_hosts h = q->topo == p->q.topo ? p->hosts : hosts_of(q->topo);
    const bool coordinated = x->choice.row->algo->klass == ATN_COORDINATED;
    const int places = x->plain && !(coordinated && h.cyclic) ? h.runs : h.n;
    const double part = log(places) / log(q->p);
    if (places >= q->p || !(rounds > 1))
        return rounds;
    return coordinated ? rounds * part : pow(rounds, part);
}

/* Messages wait less inside hosts, and those that are forwarded have their bytes there.  `each`:
 * bytes of a segment in seconds. */
static void go_inside(const planner *p, const atn_prospect *x, const atn_problem *q, double each,
                      atn_plan_latency *latency, atn_form_terms *terms)
{
    const double rounds = latency->all / x->start;
    const atn_class klass = x->choice.row->algo->klass;
    if (!(p->inside.b > 0) || klass == ATN_DIRECT || q->topo == NULL)
        return;
    const double inside = rounds - rounds_between(p, x, q, rounds);
    latency->saved = inside * fmax(0, x->start - p->inside.a);
    terms->latency -= latency->saved;
    if (klass == ATN_STORE_FORWARD && terms->bytes >= rounds * each)
        terms->bytes -= inside * each * fmax(0, 1 - p->inside.b / p->net.b);
}

/* Segments follow each other as fast as a rank can forward them, or as their bytes allow.  Nothing
 * is known of terms of 0. */
atn_form_terms atn_plan_estimate_terms(planner *p, const atn_prospect *x, const atn_problem *q,
                                       atn_form_facts *facts, atn_plan_latency *latency_p)
{
    const atn_alpha_beta net = {x->start, p->net.b, p->net.g};
    const double each = p->net.b * (double)message_of(&x->choice, q);
    atn_cost_form *const f = form_of(p, x);
    atn_plan_latency latency = {0, 0};
    atn_form_terms terms = {0, 0};
    double more = 0;
    if (f != NULL && atn_plan_form_terms(f, q, facts, &net, &terms, &more)) {
        latency.all = terms.latency;
        terms.latency += more * fmin(1, fmax(0, p->message.forward - each) / x->start);
        go_inside(p, x, q, each, &latency, &terms);
    }
    if (latency_p)
        *latency_p = latency;
    return terms;
}

/* One before it in the list with the same form; NULL: there is none. */
static const atn_prospect *form_before(const planner *p, int i)
{
    const atn_prospect *const x = &p->r.v[i];
    for (int k = i - 1; k >= x->group[FORM]; k--)
        if (p->r.v[k].group[FORM] == x->group[FORM] && p->r.v[k].segments == x->segments &&
            p->r.v[k].plain == x->plain)
            return &p->r.v[k];
    return NULL;
}

static void set_form(planner *p, int i)
{
    atn_prospect *const x = &p->r.v[i];
    atn_problem q = p->q;
    atn_plan_latency latency;
    x->segments = q.segments = atn_algo_segments(x->choice.row, &q, &x->choice.params);
    x->start = p->net.a + queueing(p, message_of(&x->choice, &q));
    const atn_prospect *const like = form_before(p, i);
    if (like != NULL) {
        x->latency = like->latency;
        x->form = like->form;
        x->rounds = like->rounds;
        return;
    }
    const atn_form_terms terms = atn_plan_estimate_terms(p, x, &q, &p->all, &latency);
    x->latency = terms.latency;
    x->form = terms.latency + terms.bytes;
    x->rounds = x->start > 0 ? (int)fmin(INT_MAX / 2, latency.all / x->start) : 0;
}

static void set_hope(planner *p, atn_prospect *x, double seconds)
{
    atn_problem q = p->q;
    q.segments = x->segments;
    x->hope = seconds * meeting(p, message_of(&x->choice, &q)) * atn_plan_choice_doubt(&x->choice);
    x->seconds = x->hope > 0 ? fmax(x->hope, p->bound) : 0;
}

static void set_forms(planner *p)
{
    for (int i = 0; i < p->r.n; i++) {
        atn_prospect *const x = &p->r.v[i];
        x->plain = !atn_plan_choice_is_aware(&x->choice);
        set_form(p, i);
        x->overlap = 1;
        set_hope(p, x, hope_of(p, x));
    }
}

bool atn_plan_prospect_is_free(const planner *p, const atn_prospect *x)
{
    return p->reduced && p->mini.wide && x->traffic > 0.95 && x->traffic < 1.05;
}

/* The problem whose schedules are evaluated.  Flows of few ranks, as in trees, do not become fewer
 * on a miniature, so links must not become slower for them. */
atn_problem atn_plan_problem_seen(const planner *p, const atn_prospect *x)
{
    atn_problem q = p->reduced ? atn_plan_miniature_problem(&p->mini, &x->choice) : p->q;
    if (atn_plan_prospect_is_free(p, x))
        q.topo = p->mini.wide;
    return q;
}

/* Phases are messages of all ranks to all, recomputed by each rank; they are contention-free. */
bool atn_plan_has_many_phases(const planner *p, const atn_choice *c)
{
    const int64_t ranks = atn_plan_ranks_seen(p);
    return c->row->algo->cost && atn_model_expr_names(c->row->algo->cost, "phases") &&
           ranks * ranks * ranks * ATN_STEPS_OP > p->budget;
}

/* ---- traffic ---- */

static atn_problem problem_at(const planner *p, int where, const atn_choice *c)
{
    const atn_miniature *const mini = &p->place[where].mini;
    if (mini->p > 0)
        return atn_plan_miniature_problem(mini, c);
    return where == FEW && p->reduced ? atn_plan_miniature_problem(&p->mini, c) : p->q;
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
    p->first = atn_plan_is_job(p) && !p->reduced;
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

/* Two segments show the traffic of a pipeline, unless ranks have other partners in each round. */
static int segments_sampled(const atn_prospect *x)
{
    enum { FEW_SEGMENTS = 2, MORE_SEGMENTS = 8 };
    const bool changes = x->choice.row->algo->klass == ATN_COORDINATED;
    return atn_min(x->segments, changes ? MORE_SEGMENTS : FEW_SEGMENTS);
}

/* No rank or link takes less than for its bytes, whatever the form is: that of levels, for example,
 * has no leaders.  Phases are contention-free, and take long to derive. */
bool atn_plan_estimate_traffic(planner *p, const atn_prospect *x, int where,
                               atn_traffic_factors *f_p)
{
    atn_plan_place *const at = &p->place[where];
    atn_problem q = problem_at(p, where, &x->choice);
    atn_plan_latency latency;
    *f_p = (atn_traffic_factors){.latency = 1, .overlap = 1, .bytes = 1};
    if (atn_plan_has_many_phases(p, &x->choice))
        return true;
    q.segments = segments_sampled(x);
    if (!atn_plan_traffic_factors(&at->traffic, &x->choice, &q, &p->budget, f_p))
        return false;
    const double bytes = atn_plan_estimate_terms(p, x, &q, &at->facts, &latency).bytes;
    if (bytes > 0)
        f_p->bytes = fmax(f_p->bytes, f_p->least / bytes);
    if (latency.saved > 0 && x->choice.row->algo->klass == ATN_COORDINATED) /* is in the form */
        f_p->latency *= latency.all / (latency.all - latency.saved);
    if (x->segments > 1 && atn_model_expr_names(x->choice.row->algo->cost, "k"))
        f_p->bytes = fmax(f_p->bytes, 1); /* the slowest stage of a pipeline determines it */
    return true;
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
    const bool exact = !p->reduced && p->place[where].mini.p == 0;
    const int64_t before = p->budget;
    atn_traffic_factors f;
    const bool ok = atn_plan_estimate_traffic(p, &p->r.v[i], where, &f);
    p->budget = p->budget > 0 ? p->budget : 0;
    p->r.steps += before - p->budget;
    if (!ok)
        return;
    for (int k = 0; k < p->r.n; k++) {
        atn_prospect *const x = &p->r.v[k];
        if (traffic_of(p, x) != traffic)
            continue;
        x->sampled = true;
        x->size = exact ? f.probe : (atn_trial_probe){.ops = 0};
        x->traffic = where == MANY ? f.bytes : 0;
        x->overlap = f.overlap;
        set_hope(p, x, x->latency * f.latency + (x->form - x->latency) * f.bytes);
        p->hoped = fmin(p->hoped, x->hope);
    }
}

/* On few ranks budgets are so small that a search which is led elsewhere by this lost more than it
 * gained: reduce of 128 KB on 4 hosts of 16 ranks 33 %. */
int atn_plan_estimate_length(const planner *p, const atn_prospect *x)
{
    const double eager = p->q.p > ATN_EXACT_RANKS ? p->message.eager : 0;
    atn_problem q = p->q;
    q.segments = x->segments;
    return eager > 0 && (double)message_of(&x->choice, &q) >= eager ? LONG : SHORT;
}

/* In forms, messages of a rank follow each other. */
double atn_plan_estimate_least(const planner *p, const atn_prospect *x)
{
    const double overlap = x->start > 0 ? fmin(1, p->message.forward / x->start) : 1;
    return overlap * x->latency + (x->form - x->latency);
}

/* The next one whose form promises something, and whose traffic is not known yet.  Others need the
 * budget, too. */
void atn_plan_estimate_next(planner *p)
{
    const bool few = p->reduced && p->q.p <= ATN_EXACT_RANKS;
    const double most = p->place[MANY].traffic.hosts ? SURPRISING : few ? likely : PROMISING;
    while (p->sampled && p->at < p->r.n && p->budget > p->whole / 2) {
        const atn_prospect *const x = &p->r.v[p->at];
        bool *const known = &p->tried[traffic_of(p, x)], *const row = &p->seen[x->group[ROW]];
        const int i = p->at++;
        if (*known || (p->first && *row) || x->form <= 0 ||
            atn_plan_estimate_least(p, x) > most * p->hoped)
            continue;
        *known = *row = true;
        sample(p, i);
        return;
    }
    if (p->first && p->at >= p->r.n) {
        p->first = false;
        p->at = 0;
        return;
    }
    memset(p->tried, 0, sizeof *p->tried * (size_t)p->r.n);
    p->next = LOOK;
}

int atn_plan_prospect_by_hope(const void *a, const void *b)
{
    const atn_prospect *x = a, *y = b;
    if (x->hope < y->hope || y->hope < x->hope)
        return x->hope < y->hope ? -1 : 1;
    if (x->form < y->form || y->form < x->form)
        return x->form < y->form ? -1 : 1;
    return strcmp(x->choice.row->name, y->choice.row->name);
}

static int by_form(const void *a, const void *b)
{
    const atn_prospect *x = a, *y = b;
    if (x->form < y->form || y->form < x->form)
        return x->form < y->form ? -1 : 1;
    return atn_plan_prospect_by_hope(a, b);
}

void atn_plan_estimate_begin(planner *p)
{
    set_network(p);
    p->contention = contention_of(&p->q, p->m, &p->net);
    p->bound = strcmp(p->model->name, "links") == 0 ? close_to_bound * atn_model_bound(&p->q) : 0;
    set_groups(p);
    set_forms(p);
    qsort(p->r.v, (size_t)p->r.n, sizeof *p->r.v, by_form);
    begin_traffic(p);
}
