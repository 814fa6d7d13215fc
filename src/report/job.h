/* job.h - the report of a job: its collectives, the time saved against native, recommendations.
 *
 * Nothing is invented: what was not measured is an empty cell.  Only the first sentence estimates:
 * it derives the time of the native job from the measured savings. */
#ifndef ATN_REPORT_JOB_H
#define ATN_REPORT_JOB_H

#include "base/base.h"
#include "report/table.h"
#include "sched/operation.h"

/* Why calls stayed native (job_why.c has texts and remedies). */
typedef enum {
    ATN_WHY_SERVED,    /* they did not: Attune served them */
    ATN_WHY_FIRST,     /* first calls of a communicator, n[0] of which stay native */
    ATN_WHY_FEW,       /* no trial: n[0] calls were made, n[1] are needed */
    ATN_WHY_BUDGET,    /* the next trial costs n[0] ns, n[1] ns are left */
    ATN_WHY_SET_UP,    /* at call n[2] a trial would have cost n[0] ns, with n[1] left; the next
                          check is at call n[3] */
    ATN_WHY_TRYING,    /* n[0] of n[1] candidates were tried without a decision */
    ATN_WHY_SLOWER,    /* `other`, the best of n[1] tried, is slower by n[0] per mille */
    ATN_WHY_PREDICTED, /* none of n[1] candidates was tried: all are predicted to be slower */
    ATN_WHY_REPLACED,  /* calls before `other` was adopted as faster */
    ATN_WHY_NEXT_RUN,  /* `other` is faster by n[0] per mille; results must not change in a run */
    ATN_WHY_ORDER,     /* the same, and algorithms in canonical order are not expected to win */
    ATN_WHY_ROUNDING,  /* results must not change in a run, and no trial beside it is possible */
    ATN_WHY_NO_BUDGET, /* the budget is 0 */
    ATN_WHY_EMPTY,     /* no data */
    ATN_WHY_CLASSES,   /* too many call classes */
    ATN_WHY_NOTHING,   /* no algorithm applies */
    ATN_WHY_WISDOM,    /* wisdom selects native */
    ATN_WHY_RULE,      /* a rule selects native */
    ATN_WHY_REFUSED,   /* the algorithm of a rule does not apply */
    ATN_WHY_DRAWN,     /* random selection at every call */
    ATN_WHY_NO_RULE,   /* no rule matches, and there is no other selection */
    ATN_WHY_PLANNING,  /* the plan is not ready: n[0] calls were made, n[1] are needed */
    ATN_WHY_UNSHARED,  /* the size differs between ranks, so no prediction is possible */
    ATN_WHY_ALONE,     /* single process */
    ATN_WHY_INTER,     /* an inter-communicator */
    ATN_WHY_OUTSIDE,   /* a communicator with processes of another job */
    ATN_WHY_ROOM,      /* a communicator that could not be set up on all ranks */
    ATN_WHY_OPERATOR,  /* unsupported operator and type */
    ATN_WHY_TYPE,      /* unsupported types or counts */
    ATN_WHY_ALIASED,   /* send and receive buffers overlap */
    ATN_WHY_SHORT,     /* a short nonblocking call */
    ATN_WHY_RELAYED,   /* blocks too large for the relay buffers of the algorithm */
    ATN_WHYS
} atn_why;

enum { ATN_JOB_NAME = 256, ATN_WHY_WORDS = 460 };

typedef struct {
    int32_t why; /* atn_why */
    int64_t n[4];
    char other[ATN_JOB_NAME];
} atn_job_reason;

/* Times of nonblocking calls are those in their start, and in tests and waits for them. */
typedef enum { ATN_FORM_BLOCKING, ATN_FORM_NONBLOCKING } atn_job_form;

/* Calls with equal keys.  Counts and times are those of one rank on its own clock: the rank with
 * the longest time in these calls.  `native` is the estimated native time of these calls, from the
 * mean of native calls of the same class on the same rank in this job (ledger.h). */
typedef struct {
    int32_t op, p;
    int32_t form;       /* atn_job_form */
    int32_t size_class; /* -1: differs between ranks; 0: no data; k: 2^(k-1) <= bytes < 2^k */
    char algorithm[ATN_JOB_NAME];
    atn_job_reason reason;
    int64_t calls;
    double seconds, squares; /* sums over the calls: times, and squared times */
    double bytes;            /* sum over the calls on this rank */
    double first;            /* seconds of its first call */
    int64_t compared;        /* calls covered by `native` */
    double native, variance; /* seconds; and of this estimate */
} atn_job_row;

typedef struct {
    int ranks, hosts;
    const char *mpi;
    const char *transport;      /* of the messages of served calls */
    const char *calibration;    /* the entry in use, or why there is none; "": not looked for */
    double seconds;             /* from MPI_Init to MPI_Finalize */
    double collectives, native; /* all, and native ones; on the rank with the longest time */
    const atn_job_row *rows;
    int nrows;
    int64_t lost;          /* calls without a row */
    double start_seconds;  /* Attune's part of MPI_Init; included in `seconds` */
    double tuning_seconds; /* overhead of tuning; < 0: no tuning */
    double lost_seconds;   /* part of it: calls that were slower than native, which rows include */
    int budget;            /* for tuning, per mille of run time */
    bool has_topology, has_machine, has_rules, plans, learns, reproducible;
    bool brief;    /* text: only the rows with the longest times */
    int64_t later; /* nonblocking and persistent reductions, which are not served */
} atn_job_facts;

/* Time saved by the calls of a row; unknown unless all of them have a native time to compare with.
 * By construction saved = calls * (native - mean). */
typedef struct {
    bool known;
    double mean, native; /* seconds of a call */
    double saved, ci;    /* seconds of all calls; half width of the 95 % interval */
} atn_job_saving;

/* Sums over the rows. */
typedef struct {
    double saved, ci;      /* half width */
    double known, unknown; /* seconds of served calls with and without a native time */
    double total;          /* seconds of all rows; may exceed the time of any single rank */
} atn_job_totals;

/* The first sentence. */
typedef struct {
    bool known;               /* some served calls have a native time, or none was served */
    double native, ci;        /* seconds of the job with native calls; half width, 95 % */
    double gained;            /* seconds */
    const atn_job_row *worst; /* with the longest time in native routines; NULL: none matters */
} atn_job_outcome;

atn_job_outcome atn_report_job_outcome(const atn_job_facts *j);
/* The words about `worst`: operation, time and reason; "" if there is none. */
enum { ATN_OBSTACLE_WORDS = ATN_WHY_WORDS + 160 };
void atn_report_job_obstacle(const atn_job_outcome *o, char out[ATN_OBSTACLE_WORDS]);
atn_job_saving atn_report_job_saved(const atn_job_row *row);
atn_job_totals atn_report_job_total(const atn_job_facts *j);
/* operation, ranks, bytes, algorithm, calls, total_ms, mean_us, native_us, saved_ms, saved_ci_ms,
 * why, remedy; ordered by operation, or by decreasing time.  The caller frees it. */
void atn_report_job_table(const atn_job_facts *j, bool by_time, atn_table *t);
/* The operation as the program names it: "iallreduce" for a nonblocking allreduce. */
const char *atn_report_job_operation(const atn_job_row *row, char out[48]);
/* "12.5 ms". */
const char *atn_report_job_time(double seconds, char out[32]);
/* The reason as text without commas, "" for served calls; and its remedy. */
void atn_report_why_words(const atn_job_reason *reason, char out[ATN_WHY_WORDS]);
const char *atn_report_why_remedy(atn_why why);
/* Recommendations, the most useful first; NULL-terminated; free with atn_report_lines_free.
 * NULL: out of memory. */
char **atn_report_job_advice(const atn_job_facts *j);
/* The lines above the table; the first one is the sentence about the outcome. */
char **atn_report_job_summary(const atn_job_facts *j);
void atn_report_lines_free(char **lines);

/* "text", "csv", "json", "html"; NULL-terminated.  atn_report_job_format: the format that the
 * suffix of `path` stands for. */
extern const char *const atn_report_job_formats[];
const char *atn_report_job_format(const char *path);
atn_status atn_report_job_write(FILE *f, const atn_job_facts *j, const char *format,
                                atn_error *err);
void atn_report_job_html(FILE *f, const atn_job_facts *j);

#endif
