/* refine.h - parameters that follow what calls took: recursive least squares with forgetting.
 *
 * A machine has a few knobs: factors by which its overheads, its transfers and its reductions are
 * multiplied.  A call that took y seconds where h(knobs) were predicted moves the knobs along the
 * gradient of h, weighed by how uncertain each of them is; old calls count less and less, so that
 * the knobs follow a machine that changes.  Errors are relative: a small message teaches as much as
 * a large one.  A single hiccup is cut to twice the usual. */
#ifndef ATN_REFINE_H
#define ATN_REFINE_H

#include "model/machine.h"

enum { ATN_KNOBS = 2 * ATN_MACHINE_CHANNELS + 1 };

typedef struct {
    int n;
    double forget;                      /* weight of a call when the next one has come: 0.9 .. 1 */
    double knob[ATN_KNOBS];             /* logarithms: 0 leaves the machine as it is */
    double doubt[ATN_KNOBS][ATN_KNOBS]; /* covariance */
    double usual;                       /* size of relative errors lately */
} atn_refiner;

/* All knobs at 0, each known to about `doubt` (0.5: to a factor of e^0.5). */
void atn_refiner_begin(atn_refiner *r, int n, double forget, double doubt);

/* Predicted seconds of a call; knobs are logarithms of factors. */
typedef double (*atn_predict_fn)(void *context, const double *knobs);

/* A call took `seconds`.  Returns the relative error of the prediction before it was learnt from:
 * log(seconds / predicted).  Calls that cannot be predicted (0 or less) teach nothing. */
double atn_refiner_learn(atn_refiner *r, atn_predict_fn predict, void *context, double seconds);

/* The knobs of a machine: 2c the overheads of channel c, 2c + 1 its transfers, the last one all
 * reductions. */
int atn_machine_knobs(const atn_machine *m);
/* "memory overhead", "switch transfer", "reduce". */
void atn_machine_knob_name(const atn_machine *m, int knob, char *out, size_t size);
/* Multiplies what the knobs stand for by e^knob, in the parameters of every model. */
void atn_machine_turn(atn_machine *m, const double *knobs);

#endif
