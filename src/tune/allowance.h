/* allowance.h - how `attune tune --time` divides its time among the problems of a search. */
#ifndef ATN_TUNE_ALLOWANCE_H
#define ATN_TUNE_ALLOWANCE_H

#include <stdint.h>

typedef struct {
    double seconds; /* for all problems; 0: no limit */
    double weights; /* of problems still to come */
} atn_allowance;

/* Announces a problem, and begins one that was announced. */
void atn_tune_allowance_expect(atn_allowance *a, int64_t bytes);
void atn_tune_allowance_begin(atn_allowance *a, int64_t bytes);
/* Seconds for the current problem, announced or not, after `spent_s` and next to the problems still
 * to come.  INFINITY: no limit. */
double atn_tune_allowance_share(const atn_allowance *a, double spent_s, int64_t bytes);

#endif
