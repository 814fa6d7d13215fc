/* advice.h - rank 0 says what serves a kind of calls, the others hear it: as text, because some
 * parameters are numbers of one process, and predictions are floating point. */
#ifndef ATN_ADVICE_H
#define ATN_ADVICE_H

#include "tune/drivers/driver.h"

/* Collective.  The same advice on every rank; x->quiet: how many calls until it is asked again, or
 * 0: the field is as it says, made from the same text on every rank, and empty on one that had no
 * memory for it, which is to be voted on. */
atn_advice atn_driver_ask(atn_driver *d, atn_kind *x, atn_candidate_set *field_p);

#endif
