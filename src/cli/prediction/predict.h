/* predict.h - the parts of `attune predict`. */
#ifndef ATN_CLI_PREDICTION_PREDICT_H
#define ATN_CLI_PREDICTION_PREDICT_H

#include "cli/cli.h"
#include "report/bars.h"
#include "research/replay/messages.h"
#include "research/replay/replay.h"

typedef ATN_VEC(atn_predictor_choice) atn_predictor_list;

/* What the options request. */
typedef struct {
    atn_predictor_list list;
    atn_replay_rules rules;
    bool memory, closing; /* has columns for memory; counts the request that closes a cycle */
    const char *format;   /* of report/table.h, or "svg" */
} atn_predict_request;

atn_status atn_cli_predict_request_read(const atn_args *a, atn_predict_request *q_p,
                                        atn_error *err);
void atn_cli_predict_request_free(atn_predict_request *q);

extern const atn_option atn_cli_predict_options[];

/* Adds the names of the predictors to a plot.  False: out of memory. */
bool atn_cli_predict_bar_rows(const atn_predict_request *q, atn_bars *b);

/* One sequence of symbols: --sequence FILE. */
atn_status atn_cli_predict_sequence(const atn_args *a, const atn_predict_request *q,
                                    atn_error *err);

/* Reads a folder of `attune trace record`. */
atn_status atn_cli_predict_trace_read(const char *folder, bool partial, atn_messages *m_p,
                                      atn_error *err);

/* Traces and skeletons. */
atn_status atn_cli_predict_jobs(const atn_args *a, const atn_predict_request *q, atn_error *err);

#endif
