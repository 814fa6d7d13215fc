/* arrivals.h - the arrival skew of collectives.
 *
 * For a call with arrivals a_i and exits f_i: elapsed e_i = f_i - a_i, whose mean is the cost of
 * the call; average imbalance: the mean of |a_i - mean a|; worst imbalance: max a - min a.  Divided
 * by the time of one message of the call's size they are imbalance factors; a call is balanced when
 * the worst factor is below 1. */
#ifndef ATN_TRACE_ARRIVALS_H
#define ATN_TRACE_ARRIVALS_H

#include "trace/trace.h"

typedef struct {
    int comm, index; /* index of the call on that communicator, from 0 */
    int site;        /* call site on the first rank */
    int invocation;  /* of that site, from 0 */
    atn_trace_op op;
    int p;
    int64_t bytes;          /* the largest of any rank */
    int64_t first;          /* arrival of the first rank */
    double elapsed_s;       /* mean over ranks */
    double average_s;       /* imbalance */
    double worst_s;         /* imbalance */
    double computed_s;      /* mean computation of the ranks since their last collective */
    double compute_worst_s; /* its maximum minus its minimum: the cause of skew */
    double waited_s;        /* of all ranks: from their arrival until that of the last one */
    double message_s;       /* one message of that size */
    double average, worst;  /* factors; NAN: the time of a message is unknown */
} atn_trace_call;

/* Of one rank, over the same calls. */
typedef struct {
    int64_t calls, last;       /* last: calls that it was the last to enter */
    double inside_s, waited_s; /* time in them; of this, before the last rank entered */
} atn_trace_waiting;

typedef struct {
    ATN_VEC(atn_trace_call) calls; /* by time of the first arrival */
    int64_t cut;                   /* calls left out because the calls of the ranks differ */
    atn_trace_waiting *ranks;      /* by rank of MPI_COMM_WORLD */
} atn_trace_arrivals;

/* Seconds of one message; 0: unknown. */
typedef double (*atn_message_time)(const void *context, int64_t bytes);

/* Collectives of at least two ranks, blocking and nonblocking. */
atn_status atn_trace_arrivals_make(const atn_trace *t, atn_message_time time, const void *context,
                                   atn_trace_arrivals *a_p, atn_error *err);
void atn_trace_arrivals_free(atn_trace_arrivals *a);

/* Over the calls of an operation (ATN_TRACE_OPS: of all) with at most `most` bytes and more than
 * `above`. */
typedef struct {
    int64_t calls, balanced;
    double average, worst, worst_ever; /* means of the factors, and the largest worst one; NAN */
    double elapsed_s, imbalance_s;     /* means of cost and worst imbalance */
    double compute_worst_s;            /* mean */
} atn_trace_imbalance;
atn_trace_imbalance atn_trace_imbalance_of(const atn_trace_arrivals *a, atn_trace_op op,
                                           int64_t above, int64_t most);

/* Calls whose worst factor is in [0,1), [1,2), [2,4) ... [64,128), [128,...). */
enum { ATN_TRACE_BINS = 9 };
void atn_trace_distribution(const atn_trace_arrivals *a, int64_t above, int64_t most,
                            int64_t bins[ATN_TRACE_BINS]);
/* "[2,4)" */
const char *atn_trace_bin_name(int bin, char out[16]);

#endif
