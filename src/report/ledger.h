/* ledger.h - the calls of a rank, row by row, as the report of a job shows them.
 *
 * Every call is booked with its time on the clock of this rank.  Calls of a kind can be compared
 * with each other: rows of a kind stay open until it is closed, and then served calls are compared
 * with the native ones that were made while candidates were tried.  Native calls before that do not
 * count: they show how the program began. */
#ifndef ATN_LEDGER_H
#define ATN_LEDGER_H

#include "report/job.h"

enum { ATN_LEDGER_ROWS = 1024 };
/* Native calls that are enough for a comparison, and by how many per cent the mean sizes may differ
 * that are compared. */
enum { ATN_LEDGER_LEAST = 5, ATN_LEDGER_APART = 10 };

/* What a row is found by. */
typedef struct {
    const void *kind; /* of calls; NULL: none, and nothing to be compared with */
    uint64_t choice;  /* of algorithm and parameters */
    int32_t op, p, size_class;
    int32_t why; /* atn_why */
} atn_ledger_key;

typedef struct {
    int32_t n;
    int64_t lost; /* calls for which there was no room */
    atn_job_row row[ATN_LEDGER_ROWS];
} atn_ledger_rows;

typedef struct {
    atn_ledger_rows rows;
    atn_ledger_key key[ATN_LEDGER_ROWS];
} atn_ledger;

/* The row of a call, new ones without a name of their algorithm; NULL: no room. */
atn_job_row *atn_ledger_row(atn_ledger *l, const atn_ledger_key *key);
/* One call of a row. */
void atn_ledger_book(atn_job_row *row, double seconds, double bytes);
/* A kind ends: its native calls, if any, were native for this reason. */
void atn_ledger_close(atn_ledger *l, const void *kind, const atn_job_reason *reason);
/* Adds the rows of another rank: of rows that are alike those with the longer time stay. */
void atn_ledger_join(atn_ledger_rows *to, const atn_ledger_rows *from);

#endif
