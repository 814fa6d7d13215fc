/* advice.h - rank 0 says what serves a kind of calls, the others hear it: as text, because some
 * parameters are numbers of one process, and predictions are floating point. */
#ifndef ATN_ADVICE_H
#define ATN_ADVICE_H

#include "tune/drivers/driver.h"

/* Collective.  On every rank the same field, made from the same text; it is changed only when the
 * advice is not LATER. */
atn_advice atn_driver_ask(atn_driver *d, atn_kind *x, atn_field *field_p);

#endif
