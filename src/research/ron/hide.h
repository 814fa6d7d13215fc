/* hide.h - the part of the reconfiguration delay that overlaps with computation.
 *
 * A rank sends, computes, and sends again.  Its circuit can be reconfigured for the predicted
 * receiver once the previous message is delivered.  If the prediction is right, the computation
 * after that delivery overlaps with the delay; otherwise nothing does. */
#ifndef ATN_RESEARCH_RON_HIDE_H
#define ATN_RESEARCH_RON_HIDE_H

#include "base/base.h"

enum { ATN_RON_NO_OFFER = -1 };

/* The sends of a rank are in program order; those of different ranks may be interleaved. */
typedef struct {
    int rank, partner;
    int offer; /* the predicted partner, or ATN_RON_NO_OFFER */
    double
        compute; /* seconds of computation since the rank's previous send; ignored for the first */
    int64_t bytes;
    int site; /* the call site, if known; else 0 */
} atn_ron_send;
typedef ATN_VEC(atn_ron_send) atn_ron_sends;

typedef struct {
    double delay; /* seconds */
    double rate;  /* bytes per second of a circuit */
    double cpu;   /* speed of the processors relative to the recorded run */
} atn_ron_hide_rules;

/* Over ranks with at least two sends: the remaining part of the delay, 0 to 1. */
typedef struct {
    int ranks;
    int64_t intervals, hits;  /* sends without the first of each rank; correct predictions */
    double least, mean, most; /* every send has a delay, as in the literature */
    double cached;            /* mean, if circuits persist: without prediction only a new partner
                                 has a delay; a wrong prediction adds one for the same partner */
    int cached_ranks;         /* ranks with more than one partner */
} atn_ron_hidden;

/* ATN_INPUT: no rank sends twice. */
atn_status atn_ron_hide(const atn_ron_send *sends, int n, const atn_ron_hide_rules *rules,
                        atn_ron_hidden *hidden_p, atn_error *err);

/* Text: a heading, then a line for every send.  Columns in any order: rank, compute_us, bytes,
 * partner; optionally site and predicted.  `predicted` is a partner, or "-" for no prediction;
 * *has_offers_p: the file has this column. */
atn_status atn_ron_sends_read(const char *path, atn_ron_sends *sends_p, bool *has_offers_p,
                              atn_error *err);

#endif
