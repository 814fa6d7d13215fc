/* verify_private.h - the state of a verification, shared by verify.c and verify_shared.c. */
#ifndef ATN_SCHED_VERIFY_PRIVATE_H
#define ATN_SCHED_VERIFY_PRIVATE_H

#include "sched/blocks.h"
#include "sched/value.h"
#include "sched/verify.h"

typedef struct {
    const atn_schedule *s;
    int *cell[ATN_SPACES]; /* value of each block */
    bool *written;         /* DST blocks */
    int pc, length;        /* current step; length 0: not yet posted */
    bool done[2];          /* which operations of the step are complete */
    int steps;
    uint64_t *proves; /* barrier: the ranks that have entered when an operation completes */
} rank_state;

/* An exposure, with its operations. */
typedef struct {
    int rank, seq;
    int expose, close; /* -1: never closed */
    int reads;         /* in all programs */
    bool open;         /* the operation was executed */
    int done;          /* reads executed */
    uint64_t *readers; /* barrier: what the reads prove together; else NULL */
} exposure;

typedef struct {
    rank_state *ranks;
    int p, words;
    atn_value_table values;
    int *queue, head, tail, queued; /* ranks that may be able to proceed */
    bool *waiting;
    ATN_VEC(exposure) exposures; /* by rank and number */
    atn_verify_counts proof;
    atn_error *err;
} run;

/* ---- verify.c ---- */

atn_status atn_sched_run_finding(run *x, int r, int op, const char *what);
/* Blocks of equal class have equal sizes in every call. */
int atn_sched_size_class(const atn_schedule *s, atn_space space, int block);
/* Copies as many values to slot b of rank `to` as it has blocks; reduces them into it with the
 * operand of o.  NULL, or what is wrong. */
const char *atn_sched_run_move(run *x, int from, atn_block_cursor *c, int to, const atn_slot *b);
const char *atn_sched_run_combine(run *x, int from, atn_block_cursor *c, int to, const atn_op *o);
/* Barrier: an operation proves the entry of its own rank, what its dependencies prove, and what it
 * has received (NULL: nothing). */
void atn_sched_run_record(run *x, int r, int op, const uint64_t *received);
void atn_sched_run_enqueue(run *x, int r);

/* ---- verify_result.c ---- */

atn_status atn_sched_run_result(run *x, int r);

/* ---- verify_shared.c ---- */

/* Lists the exposures of all ranks; checks them, their closes and their reads. */
atn_status atn_sched_run_exposures(run *x);
/* Executes the current operation of a rank if it need not wait. */
atn_status atn_sched_run_shared(run *x, int r, bool *done_p);
void atn_sched_run_exposures_free(run *x);

#endif
