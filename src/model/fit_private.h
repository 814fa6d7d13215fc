/* fit_private.h - access to observations, for the files that derive parameters from them. */
#ifndef ATN_MODEL_FIT_PRIVATE_H
#define ATN_MODEL_FIT_PRIVATE_H

#include "model/machine.h"
#include "model/survey.h"

enum { ATN_FIT_POINTS = ATN_TABLE_SIZES };

/* Observed sizes, ascending; what NULL: any. */
int atn_model_fit_sizes(const atn_survey *s, atn_obs_kind kind, int channel, int tau,
                        const char *what, int64_t sizes[ATN_FIT_POINTS]);
/* Observed numbers of concurrent ranks, ascending from 1. */
int atn_model_fit_taus(const atn_survey *s, const atn_obs_kind *kinds, int nkinds, int channel,
                       const char *what, int taus[ATN_TABLE_TAUS]);
/* Number of measurements and widest interval of a channel. */
void atn_model_fit_quality(const atn_survey *s, int channel, bool shared, atn_channel *c);

/* fit_shared.c: adds the shared channel if it was observed.  False: too many observations. */
bool atn_model_fit_shared(const atn_survey *s, atn_machine *m);

#endif
