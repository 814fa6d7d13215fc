/* ledger.h - accumulates the calls of a rank into the rows of a job's report.
 *
 * Every call is entered with its time on the clock of this rank.  Calls of one class are
 * comparable: its rows stay open until the class is closed; then the served calls are compared with
 * the native calls made during trials.  If these are too few, because a trial was decided at once,
 * the native calls before count, too, except for the first one, which includes the start-up of the
 * program. */
#ifndef ATN_REPORT_LEDGER_H
#define ATN_REPORT_LEDGER_H

#include "report/job.h"

enum { ATN_LEDGER_ROWS = 1024 };
/* The least number of native calls for a comparison, and the greatest difference of mean sizes in
 * per cent. */
enum { ATN_LEDGER_LEAST = 5, ATN_LEDGER_APART = 10 };

/* The key of a row. */
typedef struct {
    const void *kind; /* call class; NULL: none, not comparable */
    uint64_t choice;  /* hash of algorithm and parameters */
    int32_t op, p, form, size_class;
    int32_t why; /* atn_why */
} atn_ledger_key;

typedef struct {
    int32_t n;
    int64_t lost; /* calls without a row: the table was full */
    atn_job_row row[ATN_LEDGER_ROWS];
} atn_ledger_rows;

typedef struct {
    atn_ledger_rows rows;
    atn_ledger_key key[ATN_LEDGER_ROWS];
} atn_ledger;

/* The row of a call; the algorithm name of a new row is empty.  NULL: the table is full. */
atn_job_row *atn_report_ledger_row(atn_ledger *l, const atn_ledger_key *key);
/* Adds one call to a row. */
void atn_report_ledger_book(atn_job_row *row, double seconds, double bytes);
/* Closes a call class; `reason` explains its native calls. */
void atn_report_ledger_close(atn_ledger *l, const void *kind, const atn_job_reason *reason);
/* Merges the rows of another rank: of rows with equal keys the one with the longer time stays. */
void atn_report_ledger_join(atn_ledger_rows *to, const atn_ledger_rows *from);

#endif
