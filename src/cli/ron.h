/* ron.h - what the commands about reconfigurable networks share: the network from options. */
#ifndef ATN_CLI_RON_H
#define ATN_CLI_RON_H

#include "cli/lookup.h"
#include "model/ron.h"
#include "predict/predict.h"
#include "research/ron/hide.h"

/* Rows of a table of options. */
#define ATN_OPTIONS_RON                                                                            \
    {.name = "ports",                                                                              \
     .letter = 'k',                                                                                \
     .argument = "K",                                                                              \
     .fallback = "1",                                                                              \
     .doc = "Circuits that a rank has at once",                                                    \
     .type = ATN_OPT_INT,                                                                          \
     .min = 1,                                                                                     \
     .max = 1024},                                                                                 \
        {.name = "delay",                                                                          \
         .letter = 'd',                                                                            \
         .argument = "US",                                                                         \
         .fallback = "10",                                                                         \
         .doc = "Microseconds to change a circuit",                                                \
         .type = ATN_OPT_TEXT},                                                                    \
        {.name = "start",                                                                          \
         .argument = "US",                                                                         \
         .fallback = "1",                                                                          \
         .doc = "Microseconds of a message without bytes",                                         \
         .type = ATN_OPT_TEXT},                                                                    \
    {                                                                                              \
        .name = "byte", .argument = "NS", .fallback = "1", .doc = "Nanoseconds for each byte",     \
        .type = ATN_OPT_TEXT                                                                       \
    }

/* Times are microseconds. */
atn_status atn_ron_read(const atn_args *a, atn_ron *net_p, atn_error *err);
/* A number from 0 on that an option gives. */
atn_status atn_ron_number(const atn_args *a, const char *name, double *v_p, atn_error *err);

/* The sends of a job, which operand 0 names: a list (ron_hide.h), or a folder with a trace. */
atn_status atn_ron_sends_load(const atn_args *a, atn_ron_sends *sends_p, bool *has_offers_p,
                              atn_error *err);
/* Fills in what a predictor offers before each send of a rank, which it has seen alone. */
atn_status atn_ron_sends_predict(const atn_predictor_choice *c, atn_ron_sends *sends,
                                 atn_error *err);

#endif
