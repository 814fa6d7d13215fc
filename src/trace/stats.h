/* stats.h - statistics of the communication of a program.  Only calls of the program itself count
 * (depth 0); the overhead of recording is subtracted from all times. */
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
    int destinations;               /* number of different (rank, communicator) destinations */
    double mpi_s, compute_s;        /* between the end of MPI_Init and the start of MPI_Finalize */
    double least_between_s;         /* shortest computation between two sends; INFINITY: none */
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
    /* Computation between two sends of a rank, without the MPI calls between them; of all ranks,
     * ascending, in seconds. */
    ATN_VEC(double) between;
    int64_t matched; /* messages with a matching receive without wildcards */
    int64_t early;   /* of those: the receiver called the receive, or waited for the posted one,
                        before the sender sent */
    double ratio;    /* communication over computation time, mean over ranks */
} atn_trace_stats;

atn_status atn_trace_stats_make(const atn_trace *t, atn_trace_stats *s_p, atn_error *err);
void atn_trace_stats_free(atn_trace_stats *s);

/* A share in percent; 0 if `whole` is 0. */
double atn_trace_percent(int64_t part, int64_t whole);
/* Number of computations between sends that last longer. */
int64_t atn_trace_above(const atn_trace_stats *s, double seconds);
/* The value that `percent` of them do not exceed; NAN: there are none. */
double atn_trace_percentile(const atn_trace_stats *s, double percent);

#endif
