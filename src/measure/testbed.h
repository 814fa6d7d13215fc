/* testbed.h - microbenchmarks, bulk transfers and round trips between any ranks of a job.
 *
 * Rank 0 sends commands to the ranks that take part; all others sleep. */
#ifndef ATN_MEASURE_TESTBED_H
#define ATN_MEASURE_TESTBED_H

#include "measure/microbench.h"
#include "measure/transfer.h"

typedef struct atn_testbed atn_testbed;

typedef struct {
    int64_t max_bytes;         /* of a message of a microbenchmark */
    int max_chunk;             /* of a transfer */
    bool off_cache;            /* each message uses memory that was not accessed recently */
    double pause;              /* of ranks that wait for a command: coordinator.h */
    struct atn_shared *shared; /* for microbenchmarks of shared memory; NULL: none */
} atn_testbed_options;

/* Collective.  NULL, on all ranks: no memory. */
atn_testbed *atn_measure_testbed_new(MPI_Comm comm, const atn_testbed_options *options);
void atn_measure_testbed_free(atn_testbed *t); /* collective */

/* Participant i runs on processor i of those that it may use: where ranks, even of different hosts,
 * share too few processors, the scheduler would decide whether two participants share one.
 * Without effect on patterns in which all ranks take part: they measure this sharing. */
void atn_measure_testbed_spread(atn_testbed *t);

/* Ranks other than 0: executes commands until atn_measure_testbed_stop. */
void atn_measure_testbed_serve(atn_testbed *t);

/* ---- rank 0 ---- */

/* times: `reps` results, each the maximum over participants (BUSY: the mean). */
void atn_measure_testbed_run(atn_testbed *t, const atn_microbench *b, double *times);
/* Transfers that start together.  A rank sends at most once and receives at most once. */
void atn_measure_testbed_transfer(atn_testbed *t, const atn_bulk_transfer *list, int n,
                                  atn_arrivals *arrivals);
atn_round_trip atn_measure_testbed_round_trip(atn_testbed *t, int a, int b);
void atn_measure_testbed_stop(atn_testbed *t);

#endif
