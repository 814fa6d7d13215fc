/* allowance.h - how `attune tune --time` divides its time among the problems of a search. */
#ifndef ATN_ALLOWANCE_H
#define ATN_ALLOWANCE_H

#include <stdint.h>

typedef struct {
    double seconds; /* for all problems; 0: no limit */
    double weights; /* of those still to come */
} atn_allowance;

/* A problem that will come, and the same when it comes. */
void atn_allowance_expect(atn_allowance *a, int64_t bytes);
void atn_allowance_begin(atn_allowance *a, int64_t bytes);
/* Seconds for a problem at hand, whether it was expected or not, beside those still to come; of
 * `spent_s` nothing comes back.  INFINITY: no limit. */
double atn_allowance_share(const atn_allowance *a, double spent_s, int64_t bytes);

#endif
