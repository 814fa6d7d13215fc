/* wisdom_answer.c - answers to problems without measurement, from their neighbours.
 *
 * Distances are those on logarithmic scales, where times of collectives are nearly straight.  A
 * neighbour is the nearest measured problem on each side: fewer or more bytes, fewer or more
 * ranks.  A model need not be right for this, only as wrong here as it is next door. */
#include <math.h>

#include "plan/rules_private.h"
#include "plan/wisdom.h"

enum { SIDES = 4 };
enum { BYTES_REACH = 6, RANKS_REACH = 2 }; /* powers of two; no guess from further */

typedef struct {
    const atn_rule *rule;
    atn_problem q; /* the problem it was measured on */
    double distance;
} neighbour;

int64_t atn_plan_span_middle(atn_span s)
{
    const int64_t lo = s.lo > 0 ? s.lo : 1;
    if (s.hi == INT64_MAX || s.hi <= lo + 1)
        return s.lo > 0 ? s.lo : (s.hi == 1 ? 0 : lo);
    return (int64_t)llround(sqrt((double)lo * (double)(s.hi - 1)));
}

static double scale(int64_t x) { return log2((double)(x > 0 ? x : 0) + 1); }

static atn_problem problem_of(const atn_rule *rule, const atn_problem *q)
{
    atn_problem at = *q;
    if (rule->ranks.lo >= 0 && !atn_plan_in_span(rule->ranks, q->p)) {
        at.p = (int)atn_plan_span_middle(rule->ranks);
        at.topo = NULL;
        at.root = q->root < at.p ? q->root : 0;
    }
    if (rule->bytes.lo >= 0)
        at.bytes = atn_plan_span_middle(rule->bytes);
    return at;
}

/* Other numbers of ranks are always in other places; as many ranks there are another problem. */
static bool is_near(const atn_rule *rule, const atn_problem *q)
{
    return rule->place == 0 || (rule->ranks.lo >= 0 && !atn_plan_in_span(rule->ranks, q->p));
}

static bool measure_neighbour(const atn_rule *rule, const atn_problem *q, neighbour *n)
{
    if (rule->op != q->op || !is_near(rule, q) || rule->forced || rule->time_ps <= 0 ||
        atn_plan_rule_backing(rule) != ATN_MEASURED)
        return false;
    *n = (neighbour){.rule = rule, .q = problem_of(rule, q)};
    const double x = fabs(scale(n->q.bytes) - scale(q->bytes));
    const double y = fabs(scale(n->q.p) - scale(q->p));
    n->distance = x + 2 * y;
    return x <= BYTES_REACH && y <= RANKS_REACH;
}

static bool is_within(atn_span s, int64_t x, int reach)
{
    return s.lo >> reach <= x + 1 && (x + 1) >> reach <= s.hi;
}

bool atn_plan_wisdom_might(const atn_rules *rules, const atn_problem *q)
{
    for (int i = 0; i < rules->list.n; i++) {
        const atn_rule *rule = &rules->list.v[i];
        if (rule->op == q->op &&
            (rule->place == 0 || (is_within(rule->ranks, q->p, RANKS_REACH) &&
                                  is_within(rule->bytes, q->bytes, BYTES_REACH))))
            return true;
    }
    return false;
}

/* The nearest on each side; how many there are. */
static int find_neighbours(const atn_rules *rules, const atn_problem *q, neighbour list[SIDES])
{
    neighbour best[SIDES] = {{0}};
    int n = 0;
    for (int i = 0; i < rules->list.n; i++) {
        neighbour one;
        if (!measure_neighbour(&rules->list.v[i], q, &one))
            continue;
        const int side = (one.q.bytes > q->bytes) + 2 * (one.q.p > q->p);
        if (best[side].rule == NULL || one.distance < best[side].distance)
            best[side] = one;
    }
    for (int side = 0; side < SIDES; side++)
        if (best[side].rule != NULL)
            list[n++] = best[side];
    return n;
}

static double nearness(const neighbour *n) { return 1 / (n->distance + 0.1); }

/* Measured seconds of a choice at a neighbour, where it won or came second; below 0: unknown. */
static double time_at(const neighbour *n, const atn_choice *choice)
{
    if (atn_plan_same_choice(&n->rule->use, choice))
        return (double)n->rule->time_ps * 1e-12;
    if (n->rule->next.row != NULL && n->rule->next_ps > 0 &&
        atn_plan_same_choice(&n->rule->next, choice))
        return (double)n->rule->next_ps * 1e-12;
    return -1;
}

typedef struct {
    atn_wisdom_predict_fn predict;
    void *context;
} oracle;

/* The prediction, corrected by its error at the neighbour; below 0: none. */
static double corrected(const oracle *o, const atn_choice *choice, const atn_problem *q,
                        const neighbour *list, int n)
{
    const double here = o->predict(o->context, choice, q);
    double sum = 0, weights = 0;
    for (int i = 0; i < n; i++) {
        const double measured = time_at(&list[i], choice);
        const double there = measured > 0 ? o->predict(o->context, choice, &list[i].q) : -1;
        if (there <= 0)
            continue;
        sum += nearness(&list[i]) * log(measured / there);
        weights += nearness(&list[i]);
    }
    return here > 0 && weights > 0 ? here * exp(sum / weights) : -1;
}

/* Without a model: times of the best vary smoothly, whichever algorithm is the best. */
static double between(const neighbour *list, int n)
{
    double sum = 0, weights = 0;
    for (int i = 0; i < n; i++) {
        sum += nearness(&list[i]) * log((double)list[i].rule->time_ps * 1e-12);
        weights += nearness(&list[i]);
    }
    return exp(sum / weights);
}

static void put_answer(const atn_choice *use, double seconds, const neighbour *from, atn_rule *rule)
{
    rule->use = *use;
    rule->time_ps = (int64_t)llround(seconds * 1e12);
    rule->date = from->rule->date;
    rule->guess = ATN_GUESS_BETWEEN;
}

static const neighbour *nearest_of(const neighbour *list, int n)
{
    const neighbour *best = NULL;
    for (int i = 0; i < n; i++)
        if (best == NULL || list[i].distance < best->distance)
            best = &list[i];
    return best;
}

/* No model predicts native routines: where native won at the neighbour, it stays. */
static bool by_model(const oracle *o, const atn_problem *q, const neighbour *list, int n,
                     atn_rule *rule)
{
    double least = -1;
    if (n > 0 && nearest_of(list, n)->rule->use.row->algo->build == NULL)
        return false;
    for (int i = 0; i < n; i++) {
        const atn_choice *uses[] = {&list[i].rule->use, &list[i].rule->next};
        for (int k = 0; k < 2; k++) {
            if (uses[k]->row == NULL || atn_plan_choice_refuses(uses[k], q) != NULL)
                continue;
            const double seconds = corrected(o, uses[k], q, list, n);
            if (seconds > 0 && (least < 0 || seconds < least)) {
                least = seconds;
                put_answer(uses[k], seconds, &list[i], rule);
            }
        }
    }
    return least > 0;
}

static bool by_distance(const atn_problem *q, const neighbour *list, int n, atn_rule *rule)
{
    int nearest = -1;
    for (int i = 0; i < n; i++)
        if (atn_plan_choice_refuses(&list[i].rule->use, q) == NULL &&
            (nearest < 0 || list[i].distance < list[nearest].distance))
            nearest = i;
    if (nearest < 0)
        return false;
    put_answer(&list[nearest].rule->use, between(list, n), &list[nearest], rule);
    return true;
}

atn_status atn_plan_wisdom_answer(const atn_rules *rules, const atn_problem *q,
                                  atn_wisdom_predict_fn predict, void *context, atn_rule *rule_p,
                                  atn_error *err)
{
    atn_choice choice;
    atn_reason reason;
    neighbour list[SIDES];
    atn_plan_rules_choose(rules, q, 0, &choice, &reason);
    if (reason.rule >= 0) {
        *rule_p = rules->list.v[reason.rule];
        rule_p->note = NULL;
        return ATN_OK;
    }
    atn_rule rule = atn_plan_rule_blank(q->op);
    rule.ranks = (atn_span){q->p, q->p + 1};
    if (q->bytes >= 0)
        rule.bytes = (atn_span){q->bytes, q->bytes + 1};
    const int n = find_neighbours(rules, q, list);
    const oracle o = {predict, context};
    if ((predict == NULL || !by_model(&o, q, list, n, &rule)) && !by_distance(q, list, n, &rule))
        return atn_fail(err, ATN_NOT_APPLICABLE, "nothing near enough was measured");
    *rule_p = rule;
    return ATN_OK;
}
