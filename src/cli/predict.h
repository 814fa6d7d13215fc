/* predict.h - the parts of `attune predict`: which predictors, and by which rules. */
#ifndef ATN_CLI_PREDICT_H
#define ATN_CLI_PREDICT_H

#include "cli/cli.h"
#include "report/bars.h"
#include "research/replay/messages.h"
#include "research/replay/replay.h"

typedef ATN_VEC(atn_predictor_choice) atn_predictor_list;

/* What the options ask for. */
typedef struct {
    atn_predictor_list list;
    atn_replay_rules rules;
    bool memory, closing; /* columns for it; the request that closes a cycle counts */
    const char *format;   /* of report/table.h, or "svg" */
} atn_predict_request;

atn_status atn_predict_request_read(const atn_args *a, atn_predict_request *q_p, atn_error *err);
void atn_predict_request_free(atn_predict_request *q);

extern const atn_option atn_predict_options[];

/* The names of the predictors, for a picture.  False: out of memory. */
bool atn_predict_bar_rows(const atn_predict_request *q, atn_bars *b);

/* One sequence of symbols: --sequence FILE. */
atn_status atn_predict_sequence(const atn_args *a, const atn_predict_request *q, atn_error *err);

/* What `attune trace record` left in a folder. */
atn_status atn_predict_trace_read(const char *folder, bool partial, atn_messages *m_p,
                                  atn_error *err);

/* Traces and skeletons: the ranks of jobs. */
atn_status atn_predict_jobs(const atn_args *a, const atn_predict_request *q, atn_error *err);

#endif
