/* solution.h - the results of searches at single sizes, and what follows for all sizes: crossing
 * points between winners, rules. */
#ifndef ATN_TUNE_SOLUTION_H
#define ATN_TUNE_SOLUTION_H

#include "base/stats.h"
#include "plan/rules.h"
#include "report/samples.h"

/* A solved problem.  Names point into the samples. */
typedef struct {
    const atn_task *task;
    atn_operation op;
    const char *use;   /* "chain{segment=8K}", "native" */
    const char *rival; /* the best candidate: `use`, or the one that native won against; or NULL */
    const char *next;  /* runner-up in the final; NULL: none */
    atn_estimate time_s;    /* of `use` */
    atn_estimate native_s;  /* of native in the same rounds */
    atn_estimate vs_native; /* of the rival over native, in the same rounds; 1 when there is none */
    double next_s;          /* median of the runner-up */
    int samples;            /* of `use` in the final */
} atn_solution;

typedef ATN_VEC(atn_solution) atn_solutions;

/* The solution of a task; false: it was not solved. */
bool atn_tune_solution_of(const atn_task *task, atn_solution *point_p);
/* All solutions, by operation and size.  False: out of memory. */
bool atn_tune_solutions_find(const atn_samples *s, atn_solutions *points_p);

/* Where to measure next: between the first two neighbours of ascending sizes that have different
 * winners and differ by more than the factor `closer`.  -1: none; else the index of the smaller,
 * and *bytes_p is between both. */
int atn_tune_solution_crossing(const int64_t *bytes, const char *const *use, int n, double closer,
                               int64_t *bytes_p);

/* A requested problem.  `times`: how often a program calls it; 0: all count alike. */
typedef struct {
    atn_operation op; /* ATN_OPERATIONS: any */
    int64_t bytes, times;
    uint64_t pattern; /* of its sizes (plan/patterns.h); 0: none */
} atn_load;
typedef ATN_VEC(atn_load) atn_loads;

/* Where rules hold. */
typedef struct {
    int64_t place;
    uint64_t program; /* of the irregular calls (plan/patterns.h); 0: unknown */
} atn_tune_scope;

/* One rule for each size, valid up to the next one; the last serves all larger sizes.  Sizes that
 * were measured only for a crossing point are kept where the winner changes.  Operations whose
 * sizes ranks do not share have one rule: the winner that is fastest for the sum of all loads, if
 * it beats native there by the margin at the ends of all intervals, else native.
 *
 * Loads with a pattern have a rule each for calls of this pattern; then the one rule for all calls
 * holds for the program, or else names no pattern, and there is none if native is the fastest: jobs
 * would not recognise patterns. */
atn_status atn_tune_solutions_rules(const atn_solutions *points, const atn_loads *loads,
                                    int64_t date, const atn_tune_scope *scope, atn_rules **rules_p,
                                    atn_error *err);
/* Merges the rules into a file; they replace measured rules of overlapping sizes. */
atn_status atn_tune_solutions_merge(const char *path, const atn_rules *news, atn_error *err);

#endif
