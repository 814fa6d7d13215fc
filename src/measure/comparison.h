/* comparison.h - several variants of one call, measured interleaved (plan/turns.h) in one job.
 *
 * There is no coordinator: every rank computes the order from the same numbers, so no message that
 * is not part of the measurement precedes a call. */
#ifndef ATN_MEASURE_COMPARISON_H
#define ATN_MEASURE_COMPARISON_H

#include "measure/overlap.h"
#include "plan/turns.h"

typedef struct {
    atn_callee callee;
    bool keep;              /* never dropped */
    double predicted_s;     /* 0: unknown */
    atn_overlap_times last; /* sample, if overlap is measured */
} atn_compared;

typedef void (*atn_sample_fn)(void *context, int round, int variant, double seconds);

/* Variant 0 must be native.  The same on all ranks; the time counts from c->began.  `overlap`:
 * NULL, or samples have all times of overlap, and their `seconds` are those without computation.
 * `sample` is called on rank 0 only, with rounds from 1 on; round 0: there was time for the first
 * call only.  Callees that are dropped are closed.  Returns the first variant whose result is
 * wrong, or one of these, on all ranks. */
enum { ATN_COMPARISON_OK = -1, ATN_COMPARISON_MEMORY = -2 };
int atn_measure_compare(atn_caller *c, atn_compared *variants, int n,
                        const atn_overlap_setup *overlap, const atn_turns_budget *budget,
                        atn_sample_fn sample, void *context);

#endif
