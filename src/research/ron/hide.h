/* ron_hide.h - how much of the time that circuits take to change hides behind computation.
 *
 * A rank sends, computes, sends again.  Its one circuit can change to the predicted receiver when
 * the message before is delivered; if the prediction is right, what the computation lasted longer
 * than that message is saved from the delay, else nothing is. */
#ifndef ATN_RON_HIDE_H
#define ATN_RON_HIDE_H

#include "base/base.h"

enum { ATN_RON_NO_OFFER = -1 };

/* The sends of a rank stand in their order; those of different ranks may be mixed. */
typedef struct {
    int rank, partner;
    int offer; /* the predicted partner, or ATN_RON_NO_OFFER */
    double
        compute; /* seconds of pure computation since the rank's send before; of the first: any */
    int64_t bytes;
    int site; /* the call of the program, if known; else 0 */
} atn_ron_send;
typedef ATN_VEC(atn_ron_send) atn_ron_sends;

typedef struct {
    double delay; /* seconds */
    double rate;  /* bytes per second of a circuit */
    double cpu;   /* computation is so many times faster than recorded */
} atn_ron_hide_rules;

/* Over ranks with at least two sends: the part of the delay that is left, 1 being all. */
typedef struct {
    int ranks;
    int64_t intervals, hits;  /* sends but the first of each rank; of these predicted rightly */
    double least, mean, most; /* every send pays a delay, as in the literature */
    double cached;    /* mean, if without prediction only changes of the partner pay: circuits
                                 stand; a wrong offer for a partner that stays has moved it away */
    int cached_ranks; /* that change partners at all */
} atn_ron_hidden;

/* ATN_INPUT: no rank sends twice. */
atn_status atn_ron_hide(const atn_ron_send *sends, int n, const atn_ron_hide_rules *rules,
                        atn_ron_hidden *hidden_p, atn_error *err);

/* Text: a heading, then a line for every send.  Columns in any order: rank, compute_us, bytes,
 * partner; site and predicted may be left out.  `predicted` is a partner, or "-" for no offer;
 * has_offers tells whether the column is there. */
atn_status atn_ron_sends_read(const char *path, atn_ron_sends *sends_p, bool *has_offers_p,
                              atn_error *err);

#endif
