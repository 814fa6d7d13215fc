/* fit.h - from what was observed to the parameters of models (docs/calibration.md has the formulas). */
#ifndef ATN_FIT_H
#define ATN_FIT_H

#include "model/machine.h"
#include "model/survey.h"

/* alpha + m * beta through n points of positive times, so that relative errors are small; beta is
 * at least 0 and alpha positive. */
atn_hockney atn_fit_hockney(const int64_t *bytes, const double *seconds, int n);

/* Fixed costs C of n hosts from m round trips: trip[i] / 2 = C[a[i]] + C[b[i]], by least squares.
 * False: the pairs do not determine them. */
bool atn_fit_hosts(int n, const int *a, const int *b, const double *trip, int m, double *fixed);

/* What cannot be derived stays unknown; a channel that nobody could measure is taken from the one
 * below it, and a note says so. */
bool atn_fit_parameters(const atn_survey *s, atn_machine *m); /* false: no room */
/* Fills in the intervals of all parameters; false: no memory.  The survey is as before. */
bool atn_fit_doubts(atn_survey *s, atn_machine *m);
/* Both, checked. */
atn_status atn_fit_machine(atn_survey *s, atn_machine **machine_p, atn_error *err);

#endif
