/* stats.h - what a trace says about how a program communicates.  Only the program's own calls count
 * (depth 0); the cost of recording is subtracted from all times. */
#ifndef ATN_TRACE_STATS_H
#define ATN_TRACE_STATS_H

#include "trace/trace.h"

typedef struct {
    int64_t calls, bytes; /* parts count as calls of their own operation */
    int64_t least, most;  /* calls of one rank */
    double seconds;       /* summed over ranks; parts have none */
} atn_trace_op_stats;

typedef struct {
    int64_t sends, receives, bytes; /* bytes: sent */
    int destinations;               /* different (rank, communicator) that it sent to */
    double mpi_s, compute_s;        /* between the end of MPI_Init and the begin of MPI_Finalize */
    double least_between_s;         /* shortest computation between two sends; INFINITY: no two */
} atn_trace_rank_stats;

typedef struct {
    int64_t bytes, messages;
} atn_trace_size;

typedef struct {
    int p;
    atn_trace_op_stats ops[ATN_TRACE_OPS];
    atn_trace_rank_stats *ranks;
    int64_t *messages, *bytes;     /* [from * p + to] */
    ATN_VEC(atn_trace_size) sizes; /* of messages sent, ascending */
    /* Pure computation between two sends of a rank, without any MPI call that lies between; of all
     * ranks, ascending, in seconds. */
    ATN_VEC(double) between;
    int64_t matched; /* messages whose receive is known, but for receives from anybody */
    int64_t early;   /* of those: the receiver asked (called a receive, or waited for one that was
                        posted) before the sender sent */
    double ratio;    /* communication over computation time, mean over ranks */
} atn_trace_stats;

atn_status atn_trace_stats_make(const atn_trace *t, atn_trace_stats *s_p, atn_error *err);
void atn_trace_stats_free(atn_trace_stats *s);

/* A share in percent; 0 of nothing is 0. */
double atn_trace_percent(int64_t part, int64_t whole);
/* How many of the computations between sends last longer. */
int64_t atn_trace_above(const atn_trace_stats *s, double seconds);
/* The value that `percent` of them do not exceed; NAN: there are none. */
double atn_trace_percentile(const atn_trace_stats *s, double percent);

#endif
