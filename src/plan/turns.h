/* turns.h - the order in which the variants of a call are measured, within a bound of time.
 *
 * Pure: a driver takes the next turn, makes the call and reports its time, so that a
 * test can simulate the machine.  All ranks feed it the same numbers and get the same turns.
 *
 *   first calls  one call of each variant, which is no sample: variants that are kept in any case,
 *                then the candidates in the order of their predicted times.  Candidates that the
 *                model predicts to be hopeless are skipped, and so are all that are left when a
 *                third of the time is spent.
 *   rounds       one call of each remaining variant, in an order drawn anew for each round: no
 *                variant has a predecessor of its own.  Between rounds, hopeless candidates are
 *                dropped, then the slowest ones until the rounds that an interval needs fit into
 *                the remaining time.
 *
 * Only the odd samples of a candidate (1st, 3rd ...) decide whether it is dropped.  The even ones
 * are an unbiased measurement of the winner. */
#ifndef ATN_PLAN_TURNS_H
#define ATN_PLAN_TURNS_H

#include "base/base.h"

typedef struct {
    bool keep;          /* never dropped */
    double predicted_s; /* 0: not known */
    /* results */
    bool out;
    int samples;
    double first_s; /* the first call; 0: there was none */
    double least_s; /* the fastest of the odd samples */
} atn_turns_entrant;

typedef struct {
    double seconds; /* no call begins later */
    int rounds;     /* at most */
    uint64_t seed;
} atn_turns_budget;

typedef struct {
    atn_turns_entrant *v;
    int n;
    atn_turns_budget budget;
    int round; /* 0: first calls */
    /* inside */
    uint64_t random;
    int *order, at, count;
} atn_turns;

/* `v` belongs to the caller and must outlive it.  False: out of memory. */
bool atn_plan_turns_begin(atn_turns *t, atn_turns_entrant *v, int n,
                          const atn_turns_budget *budget);
/* The entrant to call next, `elapsed_s` after the beginning; -1: there is no further call. */
int atn_plan_turns_next(atn_turns *t, double elapsed_s);
void atn_plan_turns_took(atn_turns *t, int entrant, double seconds);
void atn_plan_turns_end(atn_turns *t);

#endif
