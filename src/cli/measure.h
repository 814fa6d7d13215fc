/* measure.h - commands that measure: they put an MPI program of Attune's own behind the launcher
 * that the user gave after `--`, run the job, and read what it prints. */
#ifndef ATN_MEASURE_H
#define ATN_MEASURE_H

#include "base/base.h"
#include "cli/launch.h"

typedef struct {
    char **launcher; /* the words behind `--`: "mpirun -n 4", "attune lab run -n 16", "srun" ... */
    int nlauncher;
    const char *mpi;     /* --mpi: decides where the launcher does not tell; or NULL */
    const char *program; /* of libexec: "bench_exec" */
    char *const *arguments;
    int narguments;
    /* Every line that rank 0 prints, as it comes.  A failure ends the job. */
    atn_status (*line)(void *context, const char *text, atn_error *err);
    /* Called before something the job says is passed on to standard error, so that a progress bar
     * can make room; or NULL. */
    void (*make_room)(void *context);
    void *context;
} atn_measure;

/* Runs the job to its end.  Its standard error is passed on.  ATN_ENVIRONMENT when it cannot be
 * started or fails. */
atn_status atn_measure_run(const atn_measure *m, atn_error *err);

/* The whole command: the launcher's words and the program that fits its MPI.  Caller frees. */
atn_status atn_measure_command(const atn_measure *m, atn_words *words_p, atn_error *err);

#endif
