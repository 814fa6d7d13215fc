/* planner.c - see planner.h. */
#include "plan/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/candidates.h"
#include "plan/form.h"

enum { FEW_PIECES = 16, TRIES = 2 };
static const char too_large[] = "too large to be looked at";
static const char ring_like[] = "too large to be looked at, but each rank sends to one other only";

/* ---- one candidate ---- */

typedef struct {
    int p;
    atn_schedule **s;
} set;

static void free_set(set *x)
{
    for (int r = 0; x->s && r < x->p; r++)
        atn_schedule_free(x->s[r]);
    free(x->s);
}

static atn_status build_rank(const atn_choice *c, const atn_problem *q, int r, set *x,
                             atn_error *err)
{
    atn_problem mine = *q;
    mine.r = r;
    mine.in_place = false;
    return x->s[r] ? ATN_OK : atn_build(c->row, &mine, &c->params, &x->s[r], err);
}

/* A rank that sends to one other only, along the wires, shares no link with anyone. */
static bool has_one_receiver(const atn_schedule *s)
{
    int to = -1;
    for (int i = 0; i < s->nops; i++) {
        if (s->ops[i].kind != ATN_OP_SEND)
            continue;
        if (to >= 0 && s->ops[i].peer != to)
            return false;
        to = s->ops[i].peer;
    }
    return true;
}

/* One rank in the middle tells how large the others are. */
static atn_status build(const atn_choice *c, const atn_problem *q, int64_t *budget, set *x,
                        atn_error *err)
{
    *x = (set){.p = q->p, .s = calloc((size_t)q->p, sizeof *x->s)};
    if (x->s == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_status status = build_rank(c, q, q->p / 2, x, err);
    if (status == ATN_OK && (int64_t)x->s[q->p / 2]->nops * q->p > *budget)
        return atn_fail(err, ATN_NOT_APPLICABLE, "%s",
                        has_one_receiver(x->s[q->p / 2]) ? ring_like : too_large);
    for (int r = 0; r < q->p && status == ATN_OK; r++) {
        status = build_rank(c, q, r, x, err);
        if (status == ATN_OK && (*budget -= x->s[r]->nops) < 0)
            status = atn_fail(err, ATN_NOT_APPLICABLE, "%s", too_large);
    }
    return status;
}

static atn_status time_in_pieces(const atn_choice *c, const atn_problem *q, int pieces,
                                 int64_t bytes, const atn_machine *m, const atn_model *model,
                                 int64_t *budget, double *seconds_p, atn_error *err)
{
    atn_problem cut = *q;
    set x;
    cut.pieces = pieces;
    atn_status status = build(c, &cut, budget, &x, err);
    if (status == ATN_OK)
        status = atn_model_time(model, x.s, q->p, bytes, m, q->topo, seconds_p, err);
    free_set(&x);
    return status;
}

atn_status atn_planner_time(const atn_choice *choice, const atn_problem *q, const atn_machine *m,
                            const atn_model *model, int64_t *budget, double *seconds_p,
                            atn_error *err)
{
    const int pieces = atn_pieces(choice->row, q, &choice->params), half = FEW_PIECES / 2;
    const int64_t piece = q->bytes / atn_max(pieces, 1);
    double few, more;
    if (pieces <= FEW_PIECES || piece == 0)
        return time_in_pieces(choice, q, pieces, q->bytes, m, model, budget, seconds_p, err);
    atn_status status =
        time_in_pieces(choice, q, FEW_PIECES, piece * FEW_PIECES, m, model, budget, &more, err);
    if (status == ATN_OK)
        status = time_in_pieces(choice, q, half, piece * half, m, model, budget, &few, err);
    if (status == ATN_OK)
        *seconds_p = more + fmax(0.0, more - few) / half * (pieces - FEW_PIECES);
    return status;
}

/* ---- the network as closed forms see it ---- */

static int worst_channel(const atn_problem *q, const atn_machine *m)
{
    int worst = 0;
    for (int r = 1; r < q->p; r++)
        worst = atn_max(worst, atn_machine_channel_of(m, q->topo, 0, r));
    return worst;
}

atn_alpha_beta atn_planner_network(const atn_problem *q, const atn_machine *m)
{
    const int c = worst_channel(q, m);
    double rate = atn_channel_rate(m, c);
    for (int r = 0; c > 0 && q->topo && r < q->p; r++) {
        const double own = atn_edge_rate(m, q->topo, 2 * (q->topo->p + q->topo->node_of[r]));
        if (own > 0)
            rate = fmin(rate, own);
    }
    return (atn_alpha_beta){.a = atn_channel_message(m, c, 1),
                            .b = 1.0 / rate,
                            .g = atn_machine_reduce(m, NULL, NULL, (double)q->bytes, 1)};
}

const atn_model *atn_planner_model(const atn_machine *m, const atn_topo *t, int p)
{
    const atn_problem q = {.p = p, .topo = t};
    if (worst_channel(&q, m) == 0)
        return atn_model_find("taulop");
    return atn_model_find(m->ports > 0 ? "ron-a" : "links");
}

/* How many messages may meet on a link when ranks do not stand along the wires: as many as there
 * are hosts below it, in links of the hosts. */
static double crowding(const atn_problem *q, const atn_machine *m, const atn_alpha_beta *net)
{
    const atn_topo *t = q->topo;
    int *below = t ? malloc(sizeof *below * (size_t)t->nnodes) : NULL;
    double most = 1;
    if (below)
        atn_topo_below(t, below);
    for (int v = 1; below && v < t->nnodes; v++) {
        const double rate = atn_edge_rate(m, t, 2 * (t->p + v));
        const int meet = atn_min(below[v], t->p - below[v]);
        if (rate > 0)
            most = fmax(most, meet / (rate * net->b));
    }
    free(below);
    return most;
}

/* ---- ranking ---- */

typedef struct {
    const atn_problem *q;
    const atn_machine *m;
    const atn_model *model;
    int64_t budget;
    atn_alpha_beta net;
    double crowd;
    atn_ranking r;
    double best;
} planner;

static bool along_the_wires(const atn_choice *c)
{
    return atn_params_get(c->row, &c->params, "order", 0) > 0 ||
           (c->row->algo->needs & ATN_NEEDS_TOPOLOGY) != 0;
}

/* Forms know one port; no schedule is faster on k ports than k times. */
static void spread_over_ports(planner *p)
{
    if (p->model->circuits && p->m->ports > 1) {
        p->net.a /= (double)p->m->ports;
        p->net.b /= (double)p->m->ports;
    }
}

static void set_forms(planner *p)
{
    atn_alpha_beta crowded = p->net;
    crowded.b *= p->crowd;
    for (int i = 0; i < p->r.n; i++) {
        atn_prospect *x = &p->r.v[i];
        atn_problem q = *p->q;
        q.pieces = atn_pieces(x->choice.row, &q, &x->choice.params);
        if (atn_form_time(&x->choice, &q, &p->net, &x->form, NULL) != ATN_OK)
            x->form = 0; /* nothing is known: look at its schedule */
        x->seconds = x->form;
        atn_form_time(&x->choice, &q, &crowded, &x->seconds, NULL);
        x->hope = along_the_wires(&x->choice) ? x->form : x->seconds;
    }
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

static int by_time(const void *a, const void *b)
{
    const atn_prospect *x = a, *y = b;
    if (x->seconds < y->seconds || y->seconds < x->seconds)
        return x->seconds < y->seconds ? -1 : 1;
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
    const int n = atn_row_params(x->choice.row, list);
    for (int i = 0; i < n; i++)
        if (strcmp(list[i]->name, "segment") != 0 && x->choice.params.v[i] != y->choice.params.v[i])
            return false;
    return true;
}

static int tries(const planner *p, int i)
{
    int n = 0;
    for (int k = 0; k < i; k++)
        n += p->r.v[k].evaluated && same_shape(&p->r.v[k], &p->r.v[i]);
    return n;
}

static atn_status look(planner *p, int i, atn_error *err)
{
    atn_prospect *x = &p->r.v[i];
    const int64_t before = p->budget;
    atn_error why = {0};
    double seconds = 0;
    const atn_status status =
        atn_planner_time(&x->choice, p->q, p->m, p->model, &p->budget, &seconds, &why);
    p->r.operations += before - p->budget;
    p->budget = p->budget > 0 ? p->budget : 0;
    if (status == ATN_MEMORY)
        return atn_fail(err, status, "%s", why.text);
    if (status == ATN_OK) {
        x->seconds = seconds;
        x->evaluated = true;
        p->r.evaluated++;
        p->best = fmin(p->best, seconds);
    } else if (strcmp(why.text, ring_like) == 0 && along_the_wires(&x->choice)) {
        x->seconds = x->form;
    }
    return ATN_OK;
}

/* What was not looked at is as much dearer than its form as the others of its shape. */
static void judge_the_rest(planner *p)
{
    for (int i = 0; i < p->r.n; i++) {
        atn_prospect *x = &p->r.v[i];
        double ratio = 0;
        for (int k = 0; k < p->r.n && !x->evaluated; k++)
            if (p->r.v[k].evaluated && p->r.v[k].form > 0 && same_shape(x, &p->r.v[k]))
                ratio = fmax(ratio, p->r.v[k].seconds / p->r.v[k].form);
        if (ratio > 0)
            x->seconds = x->form * fmax(ratio, 1.0);
    }
}

/* In the order of what they promise; those whose form is no better than the best are spared. */
static atn_status look_at_the_best(planner *p, atn_error *err)
{
    atn_status status = ATN_OK;
    qsort(p->r.v, (size_t)p->r.n, sizeof *p->r.v, by_hope);
    for (int i = 0; i < p->r.n && status == ATN_OK && p->budget > 0; i++) {
        if (p->r.v[i].form < p->best && tries(p, i) < TRIES)
            status = look(p, i, err);
    }
    judge_the_rest(p);
    qsort(p->r.v, (size_t)p->r.n, sizeof *p->r.v, by_time);
    return status;
}

static atn_status list_prospects(planner *p, atn_error *err)
{
    atn_choice *list = NULL;
    const int n = p->q->bytes >= 0 ? atn_candidates(p->q, &list) : 0;
    if (n >= 0)
        p->r.v = calloc((size_t)n + 1, sizeof *p->r.v);
    if (n >= 0 && p->r.v)
        for (p->r.n = 0; p->r.n < n; p->r.n++)
            p->r.v[p->r.n].choice = list[p->r.n];
    free(list);
    return p->r.v ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

atn_status atn_planner_rank(const atn_problem *q, const atn_machine *m, const atn_model *model,
                            int64_t budget, atn_ranking *ranking_p, atn_error *err)
{
    planner p = {.q = q, .m = m, .model = model, .budget = budget, .best = INFINITY};
    atn_status status = list_prospects(&p, err);
    if (p.model == NULL)
        p.model = atn_planner_model(m, q->topo, q->p);
    if (status == ATN_OK) {
        p.net = atn_planner_network(q, m);
        spread_over_ports(&p);
        p.crowd = crowding(q, m, &p.net);
        set_forms(&p);
        status = look_at_the_best(&p, err);
    }
    if (status == ATN_OK)
        *ranking_p = p.r;
    else
        atn_ranking_free(&p.r);
    return status;
}

void atn_ranking_free(atn_ranking *r)
{
    free(r->v);
    *r = (atn_ranking){.n = 0};
}

/* ---- segments ---- */

atn_status atn_planner_segment(const atn_row *row, const atn_problem *q, const atn_machine *m,
                               const atn_model *model, int64_t *segment_p, double *seconds_p,
                               atn_error *err)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_row_params(row, list);
    atn_choice c = {.row = row};
    int at = 0;
    atn_params_default(row, &c.params);
    while (at < n && strcmp(list[at]->name, "segment") != 0)
        at++;
    double best = INFINITY;
    atn_status status = ATN_OK;
    for (int64_t s = 0; status == ATN_OK && s < q->bytes; s = s ? 2 * s : 1024) {
        int64_t budget = INT64_MAX;
        double seconds = 0;
        if (s > 0 && at == n)
            break;
        if (at < n)
            c.params.v[at] = s;
        status = atn_planner_time(&c, q, m, model, &budget, &seconds, err);
        if (status == ATN_OK && seconds < best) {
            best = seconds;
            *segment_p = s;
        }
    }
    *seconds_p = best;
    return status;
}
