/* sampling.h - jobs that write samples: reads them, shows progress, keeps every line in a file. */
#ifndef ATN_CLI_SAMPLING_H
#define ATN_CLI_SAMPLING_H

#include <sys/types.h>

#include "cli/cli.h"
#include "cli/launch/launch.h"
#include "cli/progress.h"
#include "report/samples.h"

typedef struct {
    const char *program; /* of libexec */
    int tasks;           /* expected number */
    double seconds;      /* of a task, or, with `whole`, of all */
    bool whole;
    bool guess; /* estimate the time of tasks from completed ones */
    bool lines; /* print progress as lines if there is no terminal */
    /* Called for each completed task; or NULL. */
    atn_status (*done)(void *context, const atn_samples *s, int task, atn_error *err);
    void *context;
    atn_samples samples;
    /* private */
    atn_samples_reader reader;
    const atn_args *a;
    const char *path; /* of the file for samples; NULL: they are not kept */
    bool more;        /* it is extended */
    FILE *raw;        /* NULL: nothing has been written to it yet */
    off_t kept;       /* bytes of earlier jobs in it; -1: none */
    atn_progress bar;
    double began, task_began;
} atn_sampling;

/* Rejects a launcher that the job could not be started with. */
atn_status atn_cli_sampling_check(const atn_sampling *w, const atn_args *a, atn_error *err);
/* Runs the job of a->rest.  `path`: file for samples, made with its folders when the first one
 * arrives, or NULL; `more`: appends, else the first line replaces the old content. */
atn_status atn_cli_sampling_run(atn_sampling *w, const atn_args *a, const atn_words *arguments,
                                const char *path, bool more, atn_error *err);
/* Frees all but the samples; reports a file that could not be written. */
atn_status atn_cli_sampling_end(atn_sampling *w, atn_error *err);

/* ---- arguments of the program ---- */

bool atn_cli_words_add(atn_words *words, const char *text);
/* "--NAME VALUE"; false: out of memory. */
bool atn_cli_words_option(atn_words *words, const char *name, const char *value);
/* The value of the option, else of the environment variable, which launchers may not pass; a file
 * as an absolute path, because ranks may start in another folder. */
bool atn_cli_words_setting(atn_words *words, const atn_args *a, const char *option,
                           const char *variable);
/* The same for --topology, by the name by which a job reads it (files.h). */
atn_status atn_cli_words_topology(atn_words *words, const atn_args *a, atn_error *err);

#endif
