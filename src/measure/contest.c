/* contest.c - see contest.h. */
#include "measure/contest.h"

#include <math.h>

enum { MIN_ROUNDS = 4 }; /* two samples for each half */

/* An entrant with at least so many odd samples leaves when its least is so much above the best. */
static const struct {
    int odd;
    double factor;
} stages[] = {{8, 1.15}, {4, 1.25}, {2, 1.4}, {1, 2.0}};
enum { STAGES = sizeof stages / sizeof *stages };

/* First calls set up plans and connections, so only slow ones that are far off leave after them. */
static const double warm_up_factor = 4, warm_up_least_s = 0.05;

/* The best of those that may leave: one of them stays, however fast the others are. */
static double least_of(const atn_entrant *entrants, int n)
{
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        if (!entrants[i].keep && !entrants[i].out)
            least = fmin(least, entrants[i].least);
    return least;
}

static bool hopeless(const atn_entrant *e, double best)
{
    const int odd = (e->n + 1) / 2;
    if (e->keep || e->out)
        return false;
    if (odd == 0)
        return e->least > warm_up_least_s && e->least > warm_up_factor * best;
    for (int i = 0; i < STAGES; i++)
        if (odd >= stages[i].odd)
            return e->least > stages[i].factor * best;
    return false;
}

static void drop_hopeless(atn_entrant *entrants, int n)
{
    const double best = least_of(entrants, n);
    for (int i = 0; i < n; i++)
        if (hopeless(&entrants[i], best)) {
            entrants[i].out = true;
            atn_callee_close(&entrants[i].callee);
        }
}

/* One call of each, checked; -1, or who is wrong. */
static int warm_up(atn_caller *c, atn_entrant *entrants, int n)
{
    for (int i = 0; i < n; i++) {
        bool right;
        entrants[i].least = atn_call_check(c, &entrants[i].callee, &right);
        if (!right)
            return i;
    }
    drop_hopeless(entrants, n);
    for (int i = 0; i < n; i++)
        entrants[i].least = INFINITY;
    return -1;
}

static double measure(atn_caller *c, atn_entrant *e)
{
    const double t = atn_call_time(c, &e->callee);
    if (e->n++ % 2 == 0)
        e->least = fmin(e->least, t);
    return t;
}

/* Rank 0's watch decides for all. */
static bool has_time(double began, const atn_budget *budget)
{
    double t = MPI_Wtime() - began;
    MPI_Bcast(&t, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return t < budget->seconds;
}

int atn_contest(atn_caller *c, atn_entrant *entrants, int n, const atn_budget *budget,
                atn_sample_fn sample, void *context)
{
    const double began = MPI_Wtime();
    const int wrong = warm_up(c, entrants, n);
    if (wrong >= 0)
        return wrong;
    for (int round = 0; round < budget->rounds; round++) {
        if (round >= MIN_ROUNDS && !has_time(began, budget))
            break;
        c->imbalance.pattern = round;
        for (int k = 0; k < n; k++) {
            const int i = (k + round) % n;
            if (entrants[i].out)
                continue;
            const double t = measure(c, &entrants[i]);
            if (c->r == 0)
                sample(context, i, t);
        }
        drop_hopeless(entrants, n);
    }
    return -1;
}
