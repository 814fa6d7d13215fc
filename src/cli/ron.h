/* ron.h - what the commands about reconfigurable networks share: the network from options. */
#ifndef ATN_CLI_RON_H
#define ATN_CLI_RON_H

#include "cli/lookup.h"
#include "model/ron.h"

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

#endif
