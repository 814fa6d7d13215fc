/* transfer.h - bulk transfers between ranks that run at the same time, and round trips: what one
 * rank does in them (testbed.h coordinates), and the rates that follow from arrival times. */
#ifndef ATN_MEASURE_TRANSFER_H
#define ATN_MEASURE_TRANSFER_H

#include <mpi.h>

#include "base/base.h"

enum { ATN_CHUNKS = 32 };      /* of a transfer */
enum { ATN_CHUNK_WINDOW = 8 }; /* chunks in flight; each has its own part of a buffer */

typedef struct {
    int from, to; /* ranks */
    int chunk;    /* bytes */
} atn_bulk_transfer;

typedef struct {
    double arrival[ATN_CHUNKS]; /* seconds from the receiver's start */
} atn_arrivals;

/* The transfers of one rank: at most one in each direction. */
typedef struct {
    int to, from; /* ranks; -1: none */
    int to_chunk, from_chunk;
} atn_ends;

typedef struct {
    double best, spread; /* seconds */
} atn_round_trip;

/* Exchanges an empty message with each peer, so that the connection exists. */
void atn_measure_transfer_connect(MPI_Comm comm, const atn_ends *e);
/* Carries out both transfers; each buffer holds ATN_CHUNK_WINDOW chunks. */
void atn_measure_transfer_run(MPI_Comm comm, const atn_ends *e, char *out, char *in,
                              atn_arrivals *arrivals);

/* Best round trip of a message of one byte, and by how much the best of several series differ.  The
 * peer calls atn_measure_round_trip_reflect meanwhile. */
atn_round_trip atn_measure_round_trip_measure(MPI_Comm comm, int peer);
void atn_measure_round_trip_reflect(MPI_Comm comm, int peer);

/* Rates in bits per second while all transfers were under way: from the time when the last one had
 * begun until the first one was complete.  Returns this interval as a fraction of the shortest
 * transfer: when it is small, some began late and the rates mean little.
 * The `arrivals` of a transfer that runs alone, and thus at a constant rate, are smoothed: a busy
 * receiver may have taken some chunks late. */
double atn_measure_transfer_rates(const atn_bulk_transfer *list, int n, atn_arrivals *arrivals,
                                  double *rates);

#endif
