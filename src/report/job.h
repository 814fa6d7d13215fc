/* job.h - the report of a job: what its collectives did, what Attune saved, what would help more.
 *
 * Nothing is guessed: what was not measured is an empty cell, and words say so. */
#ifndef ATN_JOB_REPORT_H
#define ATN_JOB_REPORT_H

#include "base/base.h"
#include "report/table.h"
#include "sched/operation.h"

/* Why the MPI library's own routine carried out calls (job_why.c has words and remedies). */
typedef enum {
    ATN_WHY_SERVED,    /* it did not */
    ATN_WHY_FIRST,     /* first calls of a communicator, n[0] of which stay native */
    ATN_WHY_FEW,       /* nothing was tried: n[0] calls were seen, n[1] are needed */
    ATN_WHY_BUDGET,    /* the next trial costs n[0] ns, n[1] ns are left */
    ATN_WHY_SET_UP,    /* at call n[2] a trial would have cost n[0] ns, with n[1] left; the next
                          look is at call n[3] */
    ATN_WHY_TRYING,    /* n[0] of n[1] candidates were tried, and none was decided on */
    ATN_WHY_SLOWER,    /* `other`, best of n[1] that were tried, is slower by n[0] per mille */
    ATN_WHY_PREDICTED, /* none of n[1] candidates was tried: all are predicted to be slower */
    ATN_WHY_REPLACED,  /* calls before `other` proved to be faster */
    ATN_WHY_NEXT_RUN,  /* `other` is faster by n[0] per mille; results must not change in a run */
    ATN_WHY_ROUNDING,  /* results must not change in a run, and nothing can be tried beside it */
    ATN_WHY_NO_BUDGET, /* nothing may be tried */
    ATN_WHY_EMPTY,     /* no data */
    ATN_WHY_KINDS,     /* too many kinds of calls */
    ATN_WHY_NOTHING,   /* no algorithm can serve them */
    ATN_WHY_WISDOM,    /* wisdom says native */
    ATN_WHY_RULE,      /* a rule says native */
    ATN_WHY_REFUSED,   /* what a rule says cannot serve them */
    ATN_WHY_DRAWN,     /* every call draws its algorithm */
    ATN_WHY_NO_RULE,   /* no rule covers them, and nothing else chooses */
    ATN_WHY_PLANNING,  /* the plan is not ready: n[0] calls were seen, n[1] are needed */
    ATN_WHY_UNSHARED,  /* ranks do not share the size, so that nothing can be predicted */
    ATN_WHY_ALONE,     /* one process */
    ATN_WHY_INTER,     /* an inter-communicator */
    ATN_WHY_OUTSIDE,   /* a communicator with processes of another job */
    ATN_WHY_ROOM,      /* a communicator that could not be set up on all ranks */
    ATN_WHY_OPERATOR,  /* operator and type are not served */
    ATN_WHY_TYPE,      /* types or counts are not served */
    ATN_WHY_ALIASED,   /* one buffer for both sides */
    ATN_WHY_RELAYED,   /* blocks that are too large for the relays of the algorithm */
    ATN_WHYS
} atn_why;

enum { ATN_JOB_NAME = 64, ATN_WHY_WORDS = 200 };

typedef struct {
    int32_t why; /* atn_why */
    int64_t n[4];
    char other[ATN_JOB_NAME];
} atn_job_reason;

/* Calls that are alike, and all times of them, are those of one rank on its own clock: the rank
 * that spent most time in them.  `native` is what these calls would have taken natively, at the
 * mean time of native calls of the same kinds on the same rank and clock in this job (ledger.h). */
typedef struct {
    int32_t op, p;
    int32_t size_class; /* -1: ranks do not share it; 0: nothing; k: 2^(k-1) <= bytes < 2^k */
    char algorithm[ATN_JOB_NAME];
    atn_job_reason reason;
    int64_t calls;
    double seconds, squares; /* sums over the calls, of their times and of these squared */
    double bytes;            /* sum, of what this rank knows */
    int64_t compared;        /* calls that `native` covers */
    double native, variance; /* seconds; and of this estimate */
} atn_job_row;

typedef struct {
    int ranks, hosts;
    const char *mpi;
    double seconds;             /* from MPI_Init to MPI_Finalize */
    double collectives, native; /* all of them, and those left to the MPI library; of the slowest */
    const atn_job_row *rows;
    int nrows;
    int64_t lost;          /* calls without a row */
    double start_seconds;  /* what Attune did in MPI_Init; part of the job's time */
    double tuning_seconds; /* what tuning cost; < 0: nothing was tuned */
    int budget;            /* of it, per mille of the time */
    /* What the job knew. */
    bool knows_topology, knows_machine, has_rules, plans, learns, reproducible;
    bool brief;    /* text: the rows with the longest times only */
    int64_t later; /* nonblocking and persistent reductions, which are not served */
} atn_job_facts;

/* What the calls of a row saved.  Unless all of them have a native time to be compared with,
 * nothing is known.  By construction saved = calls * (native - mean). */
typedef struct {
    bool known;
    double mean, native; /* seconds of a call */
    double saved, ci;    /* seconds of all calls; half width of the 95 % interval */
} atn_job_saving;

/* Seconds saved against native in rows where that is known. */
typedef struct {
    double saved, ci;      /* half width */
    double known, unknown; /* seconds of served calls with and without such a measurement */
    double total;          /* seconds of all rows; may exceed those of any single rank */
} atn_job_totals;

atn_job_saving atn_job_saved(const atn_job_row *row);
atn_job_totals atn_job_total(const atn_job_facts *j);
/* operation, ranks, bytes, algorithm, calls, total_ms, mean_us, native_us, saved_ms, saved_ci_ms,
 * why, remedy; in the order of operations, or with the longest time first.  Free it. */
void atn_job_table(const atn_job_facts *j, bool by_time, atn_table *t);
/* The reason in a few words without commas, "" for served calls; and what would change it. */
void atn_why_words(const atn_job_reason *reason, char out[ATN_WHY_WORDS]);
const char *atn_why_remedy(atn_why why);
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
