/* ron.h - the sends of a job, for `attune ron hide`. */
#ifndef ATN_CLI_RON_RON_H
#define ATN_CLI_RON_RON_H

#include "cli/lookup.h"
#include "model/ron.h"
#include "predict/predict.h"
#include "research/ron/hide.h"

/* The sends of a job from operand 0: a list (research/ron/hide.h), or a folder with a trace. */
atn_status atn_cli_ron_sends_load(const atn_args *a, atn_ron_sends *sends_p, bool *has_offers_p,
                                  atn_error *err);
/* Fills in the offer before each send; the predictor has the preceding sends of that rank only. */
atn_status atn_cli_ron_sends_predict(const atn_predictor_choice *c, atn_ron_sends *sends,
                                     atn_error *err);

#endif
