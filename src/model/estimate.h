/* estimate.h - the transfer times L(m, tau) of tau-Lop from measured collectives, by ordinary least
 * squares.
 *
 * A table of a machine is the solution of one equation for each of its values, such as ring = o +
 * 2 L(m, tau).  The time of a collective is another equation: a sum of overheads and of transfers,
 * whose factors are the derivatives of the predicted time, since it is linear in them.  All
 * equations together have more rows than unknowns; the least sum of squared errors determines
 * them. */
#ifndef ATN_MODEL_ESTIMATE_H
#define ATN_MODEL_ESTIMATE_H

#include "model/machine.h"

/* Seconds that the machine predicts for measured call i; < 0: no prediction. */
typedef double (*atn_estimate_fn)(void *context, const atn_machine *m, int i);

/* Adds a size to the transfer tables of all channels, with interpolated values, so that it is
 * estimated by itself.  Tables that are full, empty or have it are unchanged. */
void atn_model_estimate_size(atn_machine *m, int64_t bytes);

/* Values of all transfer tables, in the order of channels, sizes and taus; returns their number.
 * NULL: only counts them. */
int atn_model_estimate_values(atn_machine *m, double **values);

/* The factor of each value in the predicted time of call i: row has room for all values.  False: no
 * prediction. */
bool atn_model_estimate_row(atn_machine *m, atn_estimate_fn predict, void *context, int i,
                            double *row);

/* Replaces the values by those that fit the tables and n measured calls best.  A value that would
 * not be positive stays.  Returns the number of calls that were used; -1: out of memory. */
int atn_model_estimate(atn_machine *m, atn_estimate_fn predict, void *context,
                       const double *seconds, int n);

#endif
