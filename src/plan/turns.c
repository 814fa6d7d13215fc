/* turns.c - see turns.h. */
#include "plan/turns.h"

#include <math.h>
#include <stdlib.h>

/* Six samples are the fewest with a 95 % interval, and the winner is reported on half of its
 * own. */
enum { ROUNDS_WANTED = 12 };
static const double search_share = 1. / 3; /* of the time, for first calls */

/* A candidate with at least `odd` odd samples is hopeless if its fastest takes longer by this
 * factor than that of the leader. */
static const struct {
    int odd;
    double factor;
} stages[] = {{8, 1.15}, {4, 1.25}, {2, 1.4}, {1, 2.0}};
enum { STAGES = sizeof stages / sizeof *stages };

/* A first call makes plans, so only a slow one that is far behind decides anything. */
static const double first_factor = 4, first_least_s = 0.05;

/* ---- begin and end ---- */

/* Unknown times come last. */
static bool precedes(const atn_turns_entrant *a, const atn_turns_entrant *b)
{
    if (a->keep != b->keep || a->keep)
        return a->keep && !b->keep;
    return a->predicted_s > 0 && (b->predicted_s <= 0 || a->predicted_s < b->predicted_s);
}

/* Insertion keeps equals in the order given. */
static void order_first_calls(atn_turns *t)
{
    for (int i = 0; i < t->n; i++) {
        int at = i;
        for (; at > 0 && precedes(&t->v[i], &t->v[t->order[at - 1]]); at--)
            t->order[at] = t->order[at - 1];
        t->order[at] = i;
    }
    t->count = t->n;
}

bool atn_plan_turns_begin(atn_turns *t, atn_turns_entrant *v, int n, const atn_turns_budget *budget)
{
    *t = (atn_turns){.v = v, .n = n, .budget = *budget, .random = budget->seed};
    t->order = malloc((size_t)n * sizeof *t->order);
    if (t->order == NULL)
        return false;
    for (int i = 0; i < n; i++)
        v[i] = (atn_turns_entrant){
            .keep = v[i].keep, .predicted_s = v[i].predicted_s, .least_s = INFINITY};
    order_first_calls(t);
    return true;
}

void atn_plan_turns_end(atn_turns *t) { free(t->order); }

/* ---- dropping ---- */

static bool runs(const atn_turns_entrant *e) { return !e->out && e->first_s > 0; }

static double cost(const atn_turns_entrant *e) { return e->samples > 0 ? e->least_s : e->first_s; }

/* Of the candidates that run, the fastest (sign 1) or the slowest (sign -1); -1: none. */
static int extreme(const atn_turns *t, double sign)
{
    int found = -1;
    for (int i = 0; i < t->n; i++)
        if (!t->v[i].keep && runs(&t->v[i]) &&
            (found < 0 || sign * cost(&t->v[i]) < sign * cost(&t->v[found])))
            found = i;
    return found;
}

static bool hopeless(const atn_turns_entrant *e, double best)
{
    const int odd = (e->samples + 1) / 2;
    for (int i = 0; i < STAGES; i++)
        if (odd >= stages[i].odd)
            return e->least_s > stages[i].factor * best;
    return e->first_s > first_least_s && e->first_s > first_factor * best;
}

static void drop_hopeless(atn_turns *t)
{
    const int leader = extreme(t, 1);
    const double best = leader >= 0 ? cost(&t->v[leader]) : 0;
    for (int i = 0; i < t->n; i++)
        if (!t->v[i].keep && runs(&t->v[i]) && hopeless(&t->v[i], best))
            t->v[i].out = true;
}

static double round_cost(const atn_turns *t)
{
    double sum = 0;
    for (int i = 0; i < t->n; i++)
        sum += runs(&t->v[i]) ? cost(&t->v[i]) : 0;
    return sum;
}

/* The last candidate stays, however long it takes. */
static void drop_excess(atn_turns *t, double left_s)
{
    const int wanted = atn_min(ROUNDS_WANTED, t->budget.rounds) - t->round;
    while (wanted > 0 && wanted * round_cost(t) > left_s) {
        const int slowest = extreme(t, -1);
        if (slowest == extreme(t, 1))
            break;
        t->v[slowest].out = true;
    }
}

/* ---- turns ---- */

/* Whether a candidate's first call is worth its time. */
static bool promises(const atn_turns *t, const atn_turns_entrant *e, double elapsed_s)
{
    const int leader = extreme(t, 1);
    if (leader < 0)
        return true;
    if (elapsed_s >= search_share * t->budget.seconds)
        return false;
    const atn_turns_entrant *const best = &t->v[leader];
    if (e->predicted_s <= 0 || best->predicted_s <= 0)
        return true;
    const double expected_s = best->first_s * (e->predicted_s / best->predicted_s);
    return expected_s <= first_least_s || expected_s <= first_factor * best->first_s;
}

static int next_first_call(atn_turns *t, double elapsed_s)
{
    while (t->at < t->count) {
        const int i = t->order[t->at++];
        if (t->v[i].keep || promises(t, &t->v[i], elapsed_s))
            return i;
        t->v[i].out = true;
    }
    return -1;
}

/* Every order is equally likely (Fisher and Yates). */
static void shuffle(atn_turns *t)
{
    for (int i = t->count - 1; i > 0; i--) {
        const int k = (int)(atn_random(&t->random) % (uint64_t)(i + 1)), x = t->order[i];
        t->order[i] = t->order[k];
        t->order[k] = x;
    }
}

static void begin_round(atn_turns *t, double elapsed_s)
{
    drop_hopeless(t);
    drop_excess(t, t->budget.seconds - elapsed_s);
    t->round++;
    t->at = t->count = 0;
    for (int i = 0; i < t->n; i++)
        if (runs(&t->v[i]))
            t->order[t->count++] = i;
    shuffle(t);
}

int atn_plan_turns_next(atn_turns *t, double elapsed_s)
{
    if (elapsed_s >= t->budget.seconds)
        return -1;
    if (t->round == 0) {
        const int first = next_first_call(t, elapsed_s);
        if (first >= 0)
            return first;
    }
    if (t->at == t->count) {
        if (t->round == t->budget.rounds)
            return -1;
        begin_round(t, elapsed_s);
    }
    return t->order[t->at++];
}

void atn_plan_turns_took(atn_turns *t, int entrant, double seconds)
{
    atn_turns_entrant *const e = &t->v[entrant];
    if (t->round == 0)
        e->first_s = seconds;
    else if (e->samples++ % 2 == 0)
        e->least_s = fmin(e->least_s, seconds);
}
