/* fit.h - model parameters from observations (docs/calibration.md has the formulas). */
#ifndef ATN_MODEL_FIT_H
#define ATN_MODEL_FIT_H

#include "model/machine.h"
#include "model/survey.h"

/* Fits alpha + m * beta to n points with positive times, minimising relative errors; beta is at
 * least 0 and alpha positive. */
atn_hockney atn_model_fit_hockney(const int64_t *bytes, const double *seconds, int n);

/* Fixed costs C of n hosts from m round trips: trip[i] / 2 = C[a[i]] + C[b[i]], by least squares.
 * False: the pairs do not determine them. */
bool atn_model_fit_hosts(int n, const int *a, const int *b, const double *trip, int m,
                         double *fixed);

/* Parameters that cannot be derived remain unset; a channel that could not be measured is copied
 * from a neighbouring one, with a note in the machine.  False: too many observations. */
bool atn_model_fit_parameters(const atn_survey *s, atn_machine *m);

#endif
