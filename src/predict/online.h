/* online.h - prediction inside a job: bounded memory, and offers only after a series of hits.
 *
 * Requests are keys, compared byte by byte: partner and tag of a message, operation and size of a
 * collective.  The program may announce the call site of the next request; predictors that predict
 * sites work without such hints. */
#ifndef ATN_PREDICT_ONLINE_H
#define ATN_PREDICT_ONLINE_H

#include "predict/predict.h"

typedef struct atn_online atn_online;

typedef struct {
    int64_t requests, hits, misses; /* all; those predicted correctly, and wrongly */
} atn_prediction_stats;

/* NULL: out of memory. */
atn_online *atn_predict_online_make(const atn_predictor_choice *c, size_t key_bytes);
void atn_predict_online_free(atn_online *o);

/* Announces the site of the next request. */
void atn_predict_online_hint(atn_online *o, int64_t site);
void atn_predict_online_add(atn_online *o, const void *key, int64_t site);
/* The key of the request `ahead` requests from now (1 is the next), valid until the next call.
 * NULL: no prediction, or recent predictions were wrong. */
const void *atn_predict_online_predict(atn_online *o, int ahead);
atn_prediction_stats atn_predict_online_stats(const atn_online *o);

#endif
