/* replay.h - hit rates of predictors on recorded streams. */
#ifndef ATN_RESEARCH_REPLAY_REPLAY_H
#define ATN_RESEARCH_REPLAY_REPLAY_H

#include "predict/predict.h"

typedef struct {
    atn_predict_rules rules;
    int ahead;          /* look-ahead: offers are made this many requests in advance; at least 1 */
    int ports;          /* offers cover this many requests, starting with that one; at least 1 */
    const bool *hinted; /* by site: the program announces it; NULL: the hints of the stream, or if
                           it has none, all sites for predictors that need hints, none for those
                           that predict sites */
    int nhinted;        /* sites from here on have no hint */
} atn_replay_rules;

typedef struct {
    int64_t hits, requests;
    atn_predict_size size, base; /* of the predictor, and of its row's base */
} atn_replay;

/* `offered` (or NULL) receives the first offer for each request. */
atn_status atn_replay_predict_replay(const atn_predictor_choice *c, const atn_replay_rules *rules,
                                     const atn_stream *stream, atn_replay *replay_p,
                                     atn_symbols *offered, atn_error *err);

/* Table entries in symbols by the published formulas.  `closing`: the request that closes a cycle
 * counts as a part of it, as in the published figures. */
int64_t atn_replay_predict_entries(const atn_predictor_choice *c, const atn_replay *r,
                                   bool closing);

/* Hit rates over ranks. */
typedef struct {
    int ranks;
    double least, sum, most;
    atn_replay all; /* hits and requests added up; each size is the maximum over ranks */
} atn_tally;
void atn_replay_tally_add(atn_tally *t, const atn_replay *r);
double atn_replay_tally_mean(const atn_tally *t);

#endif
