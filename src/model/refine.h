/* refine.h - adjusts model parameters to measured calls: recursive least squares with forgetting.
 *
 * A machine has a few knobs: factors of its overheads, transfers and reductions.  A call that took
 * y seconds when h(knobs) was predicted moves the knobs along the gradient of h, weighted by their
 * covariance.  The weight of earlier calls decays, so the knobs follow a machine that changes.
 * Errors are relative: small and large messages have the same weight.  Outliers are limited to
 * twice the usual error. */
#ifndef ATN_MODEL_REFINE_H
#define ATN_MODEL_REFINE_H

#include "model/machine.h"

enum { ATN_KNOBS = 2 * ATN_CHANNEL_SLOTS + 1 };

typedef struct {
    int n;
    double forget;          /* decay of the weight of a call with each further call: 0.9 .. 1 */
    double knob[ATN_KNOBS]; /* logarithms of factors: 0 changes nothing */
    double covariance[ATN_KNOBS][ATN_KNOBS];
    double usual; /* moving average of relative errors */
} atn_refiner;

/* All knobs 0, with standard deviation `sigma` (0.5: a factor of e^0.5). */
void atn_model_refiner_begin(atn_refiner *r, int n, double forget, double sigma);

/* Predicted seconds of a call; knobs are logarithms of factors. */
typedef double (*atn_refine_fn)(void *context, const double *knobs);

/* Updates the knobs with a call of `seconds`.  Returns the relative error of the prediction before
 * the update, log(seconds / predicted).  Ignores calls without prediction (0 or less). */
double atn_model_refiner_learn(atn_refiner *r, atn_refine_fn predict, void *context,
                               double seconds);

/* The knobs of a machine: 2c the overheads of channel c, 2c + 1 its transfers, the last one all
 * reductions. */
int atn_model_machine_knobs(const atn_machine *m);
/* "memory overhead", "switch transfer", "reduce". */
void atn_model_machine_knob_name(const atn_machine *m, int knob, char *out, size_t size);
/* Multiplies the parameters of each knob by e^knob, for every model. */
void atn_model_machine_turn(atn_machine *m, const double *knobs);

#endif
