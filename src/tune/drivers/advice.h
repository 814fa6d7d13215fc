/* advice.h - rank 0 determines the candidates of a call class and broadcasts them: as text, because
 * some parameters are numbers of one process, and predictions are floating point. */
#ifndef ATN_TUNE_DRIVERS_ADVICE_H
#define ATN_TUNE_DRIVERS_ADVICE_H

#include "tune/drivers/driver.h"

/* Collective.  The same advice on every rank; x->quiet: number of calls until the next request, or
 * 0: the set has the candidates, made from the same text on every rank; it is empty on a rank
 * without memory, which the caller must agree on. */
atn_advice atn_tune_driver_advice(atn_driver *d, atn_call_class *x, atn_candidate_set *set_p);

#endif
