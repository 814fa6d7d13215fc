/* sampling.h - commands whose job writes samples: the job is watched, a bar shows how far it is,
 * every line is kept in a file. */
#ifndef ATN_SAMPLING_H
#define ATN_SAMPLING_H

#include <sys/types.h>

#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/progress.h"
#include "report/samples.h"

typedef struct {
    const char *program; /* of libexec */
    int tasks;           /* that are foreseen */
    double seconds;      /* that a task takes, or, with `whole`, all of them */
    bool whole;
    bool guess; /* tasks are as long as those before */
    bool lines; /* progress is also shown where it cannot be a bar */
    /* Called for each task when it is complete; or NULL. */
    atn_status (*done)(void *context, const atn_samples *s, int task, atn_error *err);
    void *context;
    atn_samples samples;
    /* inside */
    atn_samples_reader reader;
    FILE *raw;                  /* NULL: not kept */
    off_t kept;                 /* bytes of earlier jobs in it; -1: none */
    const atn_args *provenance; /* that is not in it yet */
    atn_progress bar;
    double began, task_began;
} atn_sampling;

/* Opens the file that keeps every line, behind where they come from; `more`: behind what is there,
 * which the first line replaces else.  path NULL: none. */
atn_status atn_sampling_keep(atn_sampling *w, const atn_args *a, const char *path, bool more,
                             atn_error *err);
/* Runs the job behind a->rest to its end. */
atn_status atn_sampling_run(atn_sampling *w, const atn_args *a, const atn_words *arguments,
                            atn_error *err);
/* Everything but the samples; `path` is named when it could not be written. */
atn_status atn_sampling_end(atn_sampling *w, const char *path, atn_error *err);

/* ---- arguments of the program ---- */

bool atn_words_add(atn_words *words, const char *text);
/* "--NAME VALUE"; false: out of memory. */
bool atn_words_option(atn_words *words, const char *name, const char *value);
/* What the option says, else the environment, which launchers do not always pass on; a file by its
 * full path, because ranks may start elsewhere. */
bool atn_words_setting(atn_words *words, const atn_args *a, const char *option,
                       const char *variable);

#endif
