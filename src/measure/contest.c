/* contest.c - see contest.h. */
#include "measure/contest.h"

#include <stdlib.h>

typedef struct {
    atn_caller *c;
    atn_entrant *entrants;
    atn_turns turns;
    atn_sample_fn sample;
    void *context;
} contest;

static bool begin(contest *x, int n, const atn_turns_budget *budget)
{
    atn_turns_entrant *const v = calloc((size_t)n, sizeof *v);
    for (int i = 0; v != NULL && i < n; i++)
        v[i] = (atn_turns_entrant){.keep = x->entrants[i].keep,
                                   .predicted_s = x->entrants[i].predicted_s};
    int ok = v != NULL && atn_turns_begin(&x->turns, v, n, budget);
    x->turns.v = v;
    MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return ok;
}

static int end(contest *x, int outcome)
{
    atn_turns_end(&x->turns);
    free(x->turns.v);
    return outcome;
}

static void tell(const contest *x, int round, int i, double seconds)
{
    if (x->c->r == 0)
        x->sample(x->context, round, i, seconds);
}

/* False: its result is wrong.  First calls are checked. */
static bool call(contest *x, int i)
{
    const atn_callee *const callee = &x->entrants[i].callee;
    const int round = x->turns.round;
    bool right = true;
    x->c->imbalance.pattern = atn_max(0, round - 1);
    const double seconds =
        round == 0 ? atn_call_check(x->c, callee, &right) : atn_call_time(x->c, callee);
    atn_turns_took(&x->turns, i, seconds);
    if (round > 0)
        tell(x, round, i, seconds);
    return right;
}

static void close_dropped(contest *x)
{
    for (int i = 0; i < x->turns.n; i++)
        if (x->turns.v[i].out)
            atn_callee_close(&x->entrants[i].callee);
}

/* Where there was no time for a second call, the first one is better than nothing. */
static void tell_first_calls(const contest *x)
{
    for (int i = 0; i < x->turns.n; i++) {
        const atn_turns_entrant *const e = &x->turns.v[i];
        if (e->samples == 0 && e->first_s > 0 && !e->out)
            tell(x, 0, i, e->first_s);
    }
}

int atn_contest(atn_caller *c, atn_entrant *entrants, int n, const atn_turns_budget *budget,
                atn_sample_fn sample, void *context)
{
    contest x = {.c = c, .entrants = entrants, .sample = sample, .context = context};
    int i, round = 0;
    if (!begin(&x, n, budget))
        return end(&x, ATN_CONTEST_MEMORY);
    c->elapsed_s = 0;
    while ((i = atn_turns_next(&x.turns, c->elapsed_s)) >= 0) {
        if (x.turns.round != round)
            close_dropped(&x);
        round = x.turns.round;
        if (!call(&x, i))
            break;
    }
    if (i < 0)
        tell_first_calls(&x);
    return end(&x, i < 0 ? ATN_CONTEST_RIGHT : i);
}
