/* samples.h - raw measurements as jobs write them (docs/benchmarking.md): every call of every
 * variant.
 *
 * Files of the same MPI, ranks and topology may be concatenated: equal tasks are pooled. */
#ifndef ATN_REPORT_SAMPLES_H
#define ATN_REPORT_SAMPLES_H

#include "base/base.h"

enum { ATN_SAMPLES_VERSION = 1 };

/* Why a variant was measured. */
typedef enum {
    ATN_ROLE_NATIVE,   /* the MPI library's own routine */
    ATN_ROLE_CONTROL,  /* native again: its difference from native is noise */
    ATN_ROLE_ATTUNE,   /* Attune's selection with the current settings */
    ATN_ROLE_NAMED,    /* specified by name */
    ATN_ROLE_CANDIDATE /* only to find the best one */
} atn_role;

typedef ATN_VEC(double) atn_times;
typedef ATN_VEC(int) atn_rounds;

/* Of a sample whose call was overlapped with a computation; its `seconds` are those of start and
 * wait alone. */
typedef struct {
    double compute_s; /* the computation alone */
    double overall_s; /* start, computation, wait */
    double inside_s;  /* the computation while the call was open */
} atn_overlap_sample;

typedef struct {
    atn_role role;
    char *algorithm; /* "chain{segment=8K}" */
    atn_times seconds;
    atn_rounds rounds; /* of each sample: samples of one round are adjacent in time */
    ATN_VEC(atn_overlap_sample) overlaps; /* of each sample, or empty */
    char fate[12];      /* its outcome in a search (docs/offline-tuning.md); "": none recorded */
    double predicted_s; /* 0: unknown */
} atn_variant;

typedef struct {
    char operation[32];
    int64_t bytes;
    int ranks;
    double bound_s;  /* lower bound given by the links; 0: unknown */
    bool seeks_best; /* among candidates, named variants and native */
    int round;       /* the newest one */
    ATN_VEC(atn_variant) variants;
} atn_task;

typedef struct {
    int ranks; /* 0: no job has been read */
    uint64_t topology;
    char *mpi;
    char place[192]; /* "MACHINE/LAYOUT", as in wisdom; "": not recorded */
    char seed[24];   /* of the order of variants; "": not recorded, or several */
    ATN_VEC(atn_task) tasks;
} atn_samples;

void atn_report_samples_free(atn_samples *s);
/* The task; NULL: there is none. */
const atn_task *atn_report_samples_find(const atn_samples *s, const char *operation, int64_t bytes);

/* ---- reading line by line, while the job runs ---- */

typedef enum { ATN_BEFORE_JOB, ATN_IN_HEAD, ATN_BETWEEN_TASKS, ATN_IN_TASK } atn_reading;

typedef struct {
    atn_samples *s;
    const char *origin; /* for messages: "origin:line: ..." */
    int line;           /* lines read */
    atn_reading state;
    int task;           /* in s->tasks, while in a task */
    ATN_VEC(int) local; /* the job's number of a variant -> its place in the task */
    int done;           /* tasks that are complete */
    int safe_line;      /* the line that completed the last task */
    char *refused;      /* newest `refused` line: "NAME: why"; or NULL */
} atn_samples_reader;

/* Unless `strict`, text before the first line of a job is ignored: launchers print messages. */
atn_status atn_report_samples_line(atn_samples_reader *r, const char *text, bool strict,
                                   atn_error *err);
/* Fails if the last job is incomplete. */
atn_status atn_report_samples_end(atn_samples_reader *r, atn_error *err);
void atn_report_samples_reader_free(atn_samples_reader *r);

/* ---- reading a file ---- */

/* Adds the contents of the file to `s`, which starts as {0}; after a failure, free `s`. */
atn_status atn_report_samples_read(const char *path, atn_samples *s, atn_error *err);

/* The names of roles in the file format. */
extern const char *const atn_report_role_names[];

#endif
