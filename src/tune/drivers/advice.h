/* advice.h - rank 0 says what serves a kind of calls, the others hear it: as text, because some
 * parameters are numbers of one process, and predictions are floating point. */
#ifndef ATN_ADVICE_H
#define ATN_ADVICE_H

#include "tune/drivers/driver.h"

/* Collective.  The same advice on every rank and, unless it is LATER, the same field, made from the
 * same text; an empty one on a rank that had no memory for it, which is to be voted on. */
atn_advice atn_driver_ask(atn_driver *d, atn_kind *x, atn_field *field_p);

#endif
