/* measure.h - jobs of commands that measure: appends a program of Attune to the launcher given
 * after `--`, runs the job and reads its output. */
#ifndef ATN_CLI_MEASURE_H
#define ATN_CLI_MEASURE_H

#include "base/base.h"
#include "cli/launch/launch.h"

typedef struct {
    char **launcher; /* the words after `--`: "mpirun -n 4", "attune lab run -n 16", "srun" ... */
    int nlauncher;
    const char *mpi;     /* --mpi, used if the MPI of the launcher cannot be detected; or NULL */
    const char *program; /* of libexec: "bench_exec" */
    char *const *arguments;
    int narguments;
    /* Called for every line of rank 0.  A failure terminates the job. */
    atn_status (*line)(void *context, const char *text, atn_error *err);
    /* Called before output of the job is copied to standard error, so that a progress bar can be
     * cleared; or NULL. */
    void (*make_room)(void *context);
    void *context;
} atn_measure;

/* Runs the job and copies its standard error.  ATN_ENVIRONMENT: it cannot be started or fails. */
atn_status atn_cli_measure_run(const atn_measure *m, atn_error *err);

/* The same with all words of the command, up to NULL. */
atn_status atn_cli_measure_words(const atn_measure *m, char *const *words, atn_error *err);

/* The command: the launcher, and the program for its MPI.  Caller frees. */
atn_status atn_cli_measure_command(const atn_measure *m, atn_words *words_p, atn_error *err);

#endif
