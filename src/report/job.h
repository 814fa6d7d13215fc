/* job.h - the report of a job: what its collectives did, what Attune saved, what would help more.
 *
 * Nothing is guessed: what was not measured is an empty cell, and words say so. */
#ifndef ATN_JOB_REPORT_H
#define ATN_JOB_REPORT_H

#include "base/base.h"
#include "report/table.h"
#include "sched/operation.h"

/* Why the MPI library's own routine carried out calls. */
typedef enum {
    ATN_WHY_SERVED,    /* it did not */
    ATN_WHY_CHOSEN,    /* it was chosen, or nothing said otherwise */
    ATN_WHY_FIRST,     /* first calls of a communicator */
    ATN_WHY_COMM,      /* the communicator is not served */
    ATN_WHY_ARGUMENTS, /* arguments that are not served */
    ATN_WHYS
} atn_why;

enum { ATN_JOB_NAME = 64 };

/* Calls that are alike; counts and times are maxima over ranks. */
typedef struct {
    int32_t op, p;
    int32_t size_class; /* -1: ranks do not share it; 0: nothing; k: 2^(k-1) <= bytes < 2^k */
    int32_t why;        /* atn_why */
    char algorithm[ATN_JOB_NAME];
    int64_t calls;
    double seconds;
} atn_job_row;

/* What a tuner measured: times of one call with half widths of their 95 % intervals, in
 * picoseconds; -1: unknown. */
typedef struct {
    int32_t op, p, size_class;
    char algorithm[ATN_JOB_NAME]; /* what is used now */
    int64_t time_ps, ci_ps, native_ps, native_ci_ps;
} atn_job_tuned;

typedef struct {
    int ranks, hosts;
    const char *mpi;
    double seconds;             /* from MPI_Init to MPI_Finalize */
    double collectives, native; /* all of them, and those left to the MPI library; of the slowest */
    const atn_job_row *rows;
    int nrows;
    int64_t lost; /* calls without a row */
    const atn_job_tuned *tuned;
    int ntuned;
    double tuning_seconds; /* what tuning cost; < 0: nothing was tuned */
    int budget;            /* of it, per mille of the time */
    /* What the job knew. */
    bool knows_topology, knows_machine, has_rules, plans, learns, reproducible;
    bool brief;    /* text: the rows with the longest times only */
    int64_t later; /* nonblocking and persistent reductions, which are not served */
} atn_job_facts;

/* Seconds saved against native in rows where both were measured. */
typedef struct {
    double saved, ci;      /* half width */
    double known, unknown; /* seconds of served calls with and without such a measurement */
    double total;          /* seconds of all rows; may exceed those of any single rank */
} atn_job_totals;

atn_job_totals atn_job_total(const atn_job_facts *j);
/* operation, ranks, bytes, algorithm, calls, total_ms, mean_us, native_us, saved_ms, saved_ci_ms,
 * why; in the order of operations, or with the longest time first.  Free it. */
void atn_job_table(const atn_job_facts *j, bool by_time, atn_table *t);
/* Sentences, the most useful first; NULL-terminated; the caller frees each and the list.  NULL: no
 * memory. */
char **atn_job_advice(const atn_job_facts *j);
/* What stands above the table, a line each; freed alike. */
char **atn_job_summary(const atn_job_facts *j);
void atn_lines_free(char **lines);

/* "text", "csv", "json" or "html"; NULL-terminated, as is what the name of a file ends in. */
extern const char *const atn_job_formats[];
const char *atn_job_format(const char *path);
atn_status atn_job_write(FILE *f, const atn_job_facts *j, const char *format, atn_error *err);
void atn_job_html(FILE *f, const atn_job_facts *j);

#endif
