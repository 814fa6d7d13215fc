/* contest.h - several ways to carry out one call, measured in turns (plan/turns.h) in one job. */
#ifndef ATN_CONTEST_H
#define ATN_CONTEST_H

#include "measure/call.h"
#include "plan/turns.h"

typedef struct {
    atn_callee callee;
    bool keep;          /* never dropped */
    double predicted_s; /* 0: not known */
} atn_entrant;

typedef void (*atn_sample_fn)(void *context, int round, int entrant, double seconds);

/* Entrant 0 must be native.  The same on all ranks; the time counts from c->began.  `sample` is
 * called on rank 0 only, with rounds from 1 on; round 0: there was time for the first call only.
 * Callees that are dropped are closed.  Returns the first entrant whose result is wrong, -1: none,
 * or -2: out of memory, on all ranks. */
enum { ATN_CONTEST_RIGHT = -1, ATN_CONTEST_MEMORY = -2 };
int atn_contest(atn_caller *c, atn_entrant *entrants, int n, const atn_turns_budget *budget,
                atn_sample_fn sample, void *context);

#endif
