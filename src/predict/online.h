/* online.h - foreseeing inside a job: what comes next, with bounded memory, and only when it can be
 * trusted.
 *
 * What comes are keys, equal byte by byte when they mean the same: a message's partner and tag, a
 * collective's operation and size.  The program may hint from which call site the next one will
 * come; predictors that foresee sites do without where it does not. */
#ifndef ATN_PREDICT_ONLINE_H
#define ATN_PREDICT_ONLINE_H

#include "predict/predict.h"

typedef struct atn_online atn_online;

typedef struct {
    int64_t requests, foreseen, wrong; /* all; those that were told right, and wrong, beforehand */
} atn_foresight;

/* NULL: out of memory. */
atn_online *atn_online_make(const atn_predictor_choice *c, size_t key_bytes);
void atn_online_free(atn_online *o);

/* The next request will come from here. */
void atn_online_hint(atn_online *o, int64_t site);
void atn_online_add(atn_online *o, const void *key, int64_t site);
/* The key of the request `ahead` requests from now (1 is the next), valid until the next call.
 * NULL: it cannot be told, or what was told lately was wrong. */
const void *atn_online_foresee(atn_online *o, int ahead);
atn_foresight atn_online_foresight(const atn_online *o);

#endif
