/* ron.h - shared by the commands of `attune ron`: the network, and the sends of a job. */
#ifndef ATN_CLI_RON_H
#define ATN_CLI_RON_H

#include "cli/lookup.h"
#include "model/ron.h"
#include "predict/predict.h"
#include "research/ron/hide.h"

/* Options of the network. */
#define ATN_OPTIONS_RON                                                                            \
    {.name = "ports",                                                                              \
     .letter = 'k',                                                                                \
     .argument = "K",                                                                              \
     .fallback = "1",                                                                              \
     .doc = "Ports of each rank",                                                                  \
     .type = ATN_OPT_INT,                                                                          \
     .min = 1,                                                                                     \
     .max = 1024},                                                                                 \
        {.name = "delay",                                                                          \
         .letter = 'd',                                                                            \
         .argument = "US",                                                                         \
         .fallback = "10",                                                                         \
         .doc = "Reconfiguration delay in microseconds",                                           \
         .type = ATN_OPT_TEXT},                                                                    \
        {.name = "start",                                                                          \
         .argument = "US",                                                                         \
         .fallback = "1",                                                                          \
         .doc = "Time of an empty message in microseconds",                                        \
         .type = ATN_OPT_TEXT},                                                                    \
    {                                                                                              \
        .name = "byte", .argument = "NS", .fallback = "1", .doc = "Nanoseconds per byte",          \
        .type = ATN_OPT_TEXT                                                                       \
    }

/* Times are microseconds. */
atn_status atn_ron_read(const atn_args *a, atn_ron *net_p, atn_error *err);
/* A number, 0 or more. */
atn_status atn_ron_number(const atn_args *a, const char *name, double *v_p, atn_error *err);

/* The sends of a job from operand 0: a list (ron_hide.h), or a folder with a trace. */
atn_status atn_ron_sends_load(const atn_args *a, atn_ron_sends *sends_p, bool *has_offers_p,
                              atn_error *err);
/* Fills in the offer before each send; the predictor has the preceding sends of that rank only. */
atn_status atn_ron_sends_predict(const atn_predictor_choice *c, atn_ron_sends *sends,
                                 atn_error *err);

#endif
