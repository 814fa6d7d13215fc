/* contest.h - several ways to carry out one call, measured in turns, the hopeless ones dropped.
 *
 * Rounds: in each, every entrant that is still in runs once, another one begins each time, so that
 * what happens around the job hits all alike.  Only the odd samples of an entrant decide whether it
 * stays, so that the even ones are an honest measurement of the winner. */
#ifndef ATN_CONTEST_H
#define ATN_CONTEST_H

#include "measure/call.h"

typedef struct {
    atn_callee callee;
    bool keep; /* never dropped */
    bool out;
    int n;        /* samples */
    double least; /* of the odd ones */
} atn_entrant;

typedef struct {
    double seconds; /* no further round is begun after that */
    int rounds;     /* at most */
} atn_budget;

typedef void (*atn_sample_fn)(void *context, int entrant, double seconds);

/* Entrant 0 must be native.  The same on all ranks; `sample` is called on rank 0 only.  Returns the
 * first entrant whose result is wrong, or -1. */
int atn_contest(atn_caller *c, atn_entrant *entrants, int n, const atn_budget *budget,
                atn_sample_fn sample, void *context);

#endif
