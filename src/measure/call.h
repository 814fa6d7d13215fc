/* call.h - calls of any collective on MPI_COMM_WORLD, with buffers made for it: by the MPI library
 * and by the executor.
 *
 * Collective sums are of whole numbers, so that every algorithm has the same right result: the
 * library's own.  The v-operations get equal counts, unless a pattern says otherwise. */
#ifndef ATN_MEASURE_CALL_H
#define ATN_MEASURE_CALL_H

#include "exec/exec.h"
#include "topo/topo.h"

/* Of the blocks of one side. */
typedef struct {
    int *counts, *displs; /* in elements */
    int *bytes;           /* displacements in bytes */
} atn_counts;

/* Ranks that arrive apart on purpose (imbalance.c): each waits before every call for a random
 * number of message times below `factor`, the same for all variants of a round; 32 patterns take
 * turns.  What is measured then is the mean over ranks of the time from their own arrival.  Where
 * every call has the same pattern, algorithms know it, as they would from the calls before. */
typedef struct {
    double factor;    /* 0: ranks begin together */
    const char *late; /* NULL: patterns take turns; "random": the first of them in every call;
                         "3,7": these ranks come `factor` message times late, all others at once */
    bool since_last;  /* measured is instead the time from when the last rank should have come until
                         the slowest one leaves */
    double message_s; /* one message of the call's size */
    int pattern;
    int *messages; /* of a pattern that stays: how many each rank comes late */
    atn_lateness known;
} atn_imbalance;
enum { ATN_PATTERNS = 32 };

typedef struct {
    int p, r;
    const atn_topo *topo; /* NULL: not known */
    bool yield;
    MPI_Comm wire;           /* for the executors; calls never overlap */
    double began, elapsed_s; /* on rank 0's clock: set by the user; when the last call ended, on all
                                ranks */
    /* the call in hand */
    atn_problem q; /* as ranks share it, but for `bytes`, which is always what was asked for */
    atn_call call;
    char *src, *dst, *right; /* right: the library's result */
    size_t src_bytes, dst_bytes;
    const int64_t *sizes; /* as a pattern has them (algo/pattern.h); NULL: all are q.bytes */
    int *room;            /* of both lists */
    atn_counts from, to;  /* of source and result */
    MPI_Datatype *types;
    atn_imbalance imbalance;
} atn_caller;

/* One way to carry the call out; choice.row NULL or native: the MPI library's own routine. */
typedef struct {
    atn_choice choice;
    atn_exec *exec; /* NULL: native */
} atn_callee;

/* All are collective.  `topo` must outlive the caller. */
void atn_caller_begin(atn_caller *c, const atn_topo *topo);
void atn_caller_end(atn_caller *c);
/* Buffers for a call of `bytes` (the whole, or one block).  False, on all ranks: no memory. */
bool atn_caller_prepare(atn_caller *c, atn_operation op, int64_t bytes);

/* The same for an operation whose sizes differ; `sizes` outlive the call, q.bytes is their mean. */
bool atn_caller_pattern(atn_caller *c, atn_operation op, const int64_t *sizes);

/* `callee` must not move until it is closed.  False: no memory. */
bool atn_callee_open(const atn_caller *c, const atn_choice *choice, atn_callee *callee);
void atn_callee_close(atn_callee *callee);

/* Carries it out; an MPI error ends the job. */
void atn_call_once(atn_caller *c, const atn_callee *callee);
/* The largest over ranks, on all ranks; never 0. */
double atn_slowest(double own);
/* Seconds of one call that begins together: the slowest rank's, on all ranks. */
double atn_call_time(atn_caller *c, const atn_callee *callee);
/* Finds out how long a message of the call's size takes, between rank 0 and the last one, and who
 * comes late in every call.  False, on all ranks: no memory. */
bool atn_imbalance_prepare(atn_caller *c);
/* NULL, or why `late` is no list of some of p ranks. */
const char *atn_imbalance_refuses(const char *late, int p);
/* Waits as the pattern says; the time of arrival: the own, or the last. */
double atn_imbalance_arrive(const atn_caller *c);
/* From the time since then on each rank to that of the call; collective. */
double atn_imbalance_took(atn_caller *c, double own);
/* The sum or maximum of a time over ranks, on all ranks; never 0.  Rank 0's clock travels along
 * (c->elapsed_s), so no rank needs a message of its own to learn how much time is left. */
double atn_agree(atn_caller *c, double own, MPI_Op op);

/* The same, and whether the result is right on all ranks (the first native call defines it). */
double atn_call_check(atn_caller *c, const atn_callee *callee, bool *right_p);

#endif
