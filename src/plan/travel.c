/* travel.c - see travel.h. */
#include "plan/travel.h"

#include <math.h>
#include <stdlib.h>

#include "plan/rules_private.h"
#include "plan/wisdom.h"
#include "topo/topo.h"

/* Rules that are used, the nearest in size; each has the times of a winner and a runner-up. */
enum { RULES = 2, TIMES = 2 * RULES };
/* On fewer ranks hardly anything is left of the network. */
enum { LEAST_RANKS = 8 };
/* Sizes are similar within this factor, as a logarithm. */
static const double similar = 1.5 * 0.6931471805599453;
/* The model errs by this much more where nothing was measured. */
static const double doubt = 1.03;

typedef struct {
    const atn_choice *choice;
    double factor; /* logarithm of measured over predicted */
} measured_time;

typedef struct {
    int n;
    measured_time v[TIMES];
} evidence;

/* ---- rules for fewer ranks ---- */

static double distance(const atn_rule *rule, const atn_problem *q)
{
    const double bytes = (double)atn_plan_span_middle(rule->bytes);
    return fabs(log1p(bytes) - log1p((double)q->bytes));
}

static bool is_usable(const atn_rule *rule, const atn_problem *q)
{
    return rule->op == q->op && !rule->forced && rule->time_ps > 0 &&
           rule->ranks.lo >= LEAST_RANKS && rule->ranks.hi <= q->p &&
           rule->ranks.hi == rule->ranks.lo + 1 && rule->bytes.lo >= 0 &&
           atn_plan_rule_backing(rule) == ATN_MEASURED && distance(rule, q) <= similar;
}

/* More ranks before nearer sizes: less is left to the model. */
static bool is_better(const atn_rule *a, const atn_rule *b, const atn_problem *q)
{
    if (b == NULL || a->ranks.lo != b->ranks.lo)
        return b == NULL || a->ranks.lo > b->ranks.lo;
    return distance(a, q) < distance(b, q);
}

static int find_rules(const atn_rules *rules, const atn_problem *q, const atn_rule *list[RULES])
{
    int n = 0;
    for (int i = 0; i < rules->list.n; i++) {
        const atn_rule *const rule = &rules->list.v[i];
        if (!is_usable(rule, q) || (n == RULES && !is_better(rule, list[n - 1], q)))
            continue;
        int at = n < RULES ? n++ : n - 1;
        for (; at > 0 && is_better(rule, list[at - 1], q); at--)
            list[at] = list[at - 1];
        list[at] = rule;
    }
    return n;
}

/* ---- factors ---- */

static void add_time(const atn_choice *c, int64_t ps, const atn_problem *q, const atn_machine *m,
                     evidence *e)
{
    int64_t budget = atn_plan_budget(q->p);
    double seconds = 0;
    if (c->row == NULL || c->row->algo->build == NULL || ps <= 0 ||
        atn_plan_planner_time(c, q, m, NULL, &budget, &seconds, NULL) != ATN_OK || seconds <= 0)
        return;
    e->v[e->n++] = (measured_time){c, log((double)ps * 1e-12 / seconds)};
}

/* On a part of the network that is like the one where it was measured. */
static void add_rule(const atn_rule *rule, const atn_problem *q, const atn_machine *m, evidence *e)
{
    atn_problem few = *q;
    int *ranks = NULL;
    few.p = (int)rule->ranks.lo;
    few.bytes = atn_plan_span_middle(rule->bytes);
    few.root = 0;
    few.lateness = NULL;
    few.topo = q->topo ? atn_topo_shrink(q->topo, few.p, 0, &ranks) : NULL;
    if (few.topo == NULL || few.topo->p == few.p) {
        add_time(&rule->use, rule->time_ps, &few, m, e);
        add_time(&rule->next, rule->next_ps, &few, m, e);
    }
    atn_topo_free((atn_topo *)few.topo);
    free(ranks);
}

/* Of the same choice, else of the same row; *known_p: whether there is any. */
static double factor_for(const evidence *e, const atn_choice *c, bool *known_p)
{
    double same = 0, row = 0;
    int nsame = 0, nrow = 0;
    for (int i = 0; i < e->n; i++) {
        if (e->v[i].choice->row != c->row)
            continue;
        row += e->v[i].factor;
        nrow++;
        if (!atn_plan_same_choice(e->v[i].choice, c))
            continue;
        same += e->v[i].factor;
        nsame++;
    }
    *known_p = nrow > 0;
    return nsame > 0 ? same / nsame : nrow > 0 ? row / nrow : 0;
}

static double mean_factor(const evidence *e)
{
    double sum = 0;
    for (int i = 0; i < e->n; i++)
        sum += e->v[i].factor;
    return sum / e->n;
}

int atn_plan_travel_apply(const atn_rules *rules, const atn_problem *q, const atn_machine *m,
                          atn_ranking *r)
{
    const atn_rule *list[RULES];
    evidence e = {.n = 0};
    const int n = rules != NULL && q->bytes >= 0 ? find_rules(rules, q, list) : 0;
    for (int i = 0; i < n; i++)
        add_rule(list[i], q, m, &e);
    if (e.n == 0)
        return 0;
    const double mean = mean_factor(&e);
    for (int i = 0; i < r->n; i++) {
        bool known = false;
        const double factor = factor_for(&e, &r->v[i].choice, &known);
        r->v[i].seconds *= known ? exp(factor) : exp(mean) * doubt;
        r->v[i].travelled = known;
    }
    atn_plan_ranking_sort(r);
    return e.n;
}
