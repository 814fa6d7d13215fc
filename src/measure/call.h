/* call.h - calls of any collective on MPI_COMM_WORLD, with buffers allocated for it: native, or
 * carried out by an executor; blocking, nonblocking or persistent.
 *
 * Reductions add integers, so that every algorithm has the same correct result, which native
 * defines.  The v-operations get equal counts, unless a pattern specifies the sizes. */
#ifndef ATN_MEASURE_CALL_H
#define ATN_MEASURE_CALL_H

#include "exec/execution.h"
#include "topo/topo.h"

/* How a program calls a collective. */
typedef enum {
    ATN_CALL_BLOCKING,
    ATN_CALL_NONBLOCKING, /* start and wait */
    ATN_CALL_PERSISTENT,  /* initialised once; start and wait */
} atn_call_form;

/* Counts of the blocks of one side. */
typedef struct {
    int *counts, *displs; /* in elements */
    int *bytes;           /* displacements in bytes */
} atn_counts;

/* Artificial arrival skew (imbalance.c): each rank waits before every call for a random number of
 * message times below `factor`, the same for all variants of a round; 32 arrival patterns
 * alternate.  The result is then the mean over ranks of the time since their own arrival.  Where
 * every call has the same pattern, algorithms are given it, as if learned from earlier calls. */
typedef struct {
    double factor;    /* 0: ranks begin together */
    const char *late; /* NULL: patterns alternate; "random": the first of them in every call;
                         "3,7": these ranks are late by `factor` message times, others are not */
    bool since_last;  /* the result is instead the time from the last rank's intended arrival until
                         the slowest rank leaves */
    double message_s; /* one message of the call's size */
    int pattern;
    int *messages; /* of a constant pattern: the lateness of each rank, in message times */
    atn_lateness lateness;
} atn_imbalance;
enum { ATN_PATTERNS = 32 };

/* Other memory than the heap for the buffers of calls. */
typedef struct {
    void *(*get)(size_t bytes);
    void (*release)(void *data);
} atn_buffer_source;

typedef struct {
    int p, r;
    const atn_topo *topo;       /* NULL: unknown */
    bool oversubscribed, yield; /* cores are oversubscribed; so waits have to yield */
    MPI_Comm comm;              /* for the executors; calls never overlap */
    atn_shared *shared;         /* memory of the ranks of this host */
    atn_sharing sharing;
    const atn_buffer_source
        *buffers;            /* NULL: the heap.  Contents are then neither set nor checked */
    double began, elapsed_s; /* on rank 0's clock: set by the user; when the last call ended, on all
                                ranks */
    /* the current call */
    atn_problem q; /* as ranks share it, but `bytes` is always the requested size */
    atn_call call;
    char *src, *dst, *right; /* right: the native result */
    size_t src_bytes, dst_bytes;
    const int64_t *sizes; /* of a pattern (algo/pattern.h); NULL: all are q.bytes */
    int *room;            /* of both lists */
    atn_counts from, to;  /* of source and result */
    MPI_Datatype *types;
    atn_imbalance imbalance;
    atn_call_form form; /* of callees that are opened; set by the user */
} atn_caller;

/* A variant of the call; choice.row NULL or native: the native routine. */
typedef struct {
    atn_choice choice;
    atn_exec *exec; /* NULL: native */
    atn_call_form form;
    /* persistent: the initialised call */
    MPI_Request persistent;  /* native */
    atn_execution *prepared; /* executor */
} atn_callee;

/* A nonblocking or persistent call that was started; must not move until it is complete. */
typedef struct {
    const atn_callee *callee;
    MPI_Request request;      /* native */
    atn_execution *execution; /* executor */
    bool ended;
    int code;
} atn_started_call;

/* All functions are collective.  `topo` must outlive the caller. */
void atn_measure_caller_begin(atn_caller *c, const atn_topo *topo);
void atn_measure_caller_end(atn_caller *c);
/* Buffers for a call of `bytes` (in total, or of one block).  False, on all ranks: no memory. */
bool atn_measure_caller_prepare(atn_caller *c, atn_operation op, int64_t bytes);

/* The same for an operation whose sizes differ; `sizes` outlive the call, q.bytes is their mean. */
bool atn_measure_caller_pattern(atn_caller *c, atn_operation op, const int64_t *sizes);

/* NULL, or why a variant of the current call cannot be called in the form of the caller. */
const char *atn_measure_form_refuses(const atn_caller *c, const atn_choice *choice);
/* `callee` must not move until it is closed.  False: no memory. */
bool atn_measure_callee_open(const atn_caller *c, const atn_choice *choice, atn_callee *callee);
void atn_measure_callee_close(atn_callee *callee);

/* Carries it out; an MPI error ends the job. */
void atn_measure_call_once(atn_caller *c, const atn_callee *callee);
/* The same in steps, if it is not blocking; several may be started.  Test: it is complete. */
void atn_measure_call_start(atn_caller *c, const atn_callee *callee, atn_started_call *s_p);
bool atn_measure_call_test(atn_caller *c, atn_started_call *s);
void atn_measure_call_wait(atn_caller *c, atn_started_call *s);
/* The sum or maximum of a time over ranks, on all ranks; never 0.  The same reduction distributes
 * rank 0's clock (c->elapsed_s), so the remaining time needs no further message. */
double atn_measure_reduce_time(atn_caller *c, double own, MPI_Op op);
/* The same for several times, at most ATN_TIMES. */
enum { ATN_TIMES = 4 };
void atn_measure_reduce_times(atn_caller *c, double *v, int n, MPI_Op op);
/* Seconds of one call after a barrier: the maximum over ranks, on all ranks. */
double atn_measure_call_time(atn_caller *c, const atn_callee *callee);
/* The same, and whether the result is right on all ranks (the blocking native call defines
 * it; another form of native that is wrong is reported only). */
double atn_measure_call_check(atn_caller *c, const atn_callee *callee, bool *right_p);

/* Measures the time of a message of the call's size between rank 0 and the last one, and determines
 * which ranks are late in every call.  False, on all ranks: no memory. */
bool atn_measure_imbalance_prepare(atn_caller *c);
/* NULL, or why `late` is not a valid list for p ranks. */
const char *atn_measure_imbalance_refuses(const char *late, int p);
/* Waits according to the pattern; returns the arrival time of this rank, or of the last one. */
double atn_measure_imbalance_arrive(const atn_caller *c);

#endif
