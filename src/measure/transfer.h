/* transfer.h - bulk transfers between ranks that run at the same time, and round trips.
 *
 * Rank 0 directs: it tells the ranks that take part what to do, waits until all of them have met
 * their partners, lets them start together, and collects when every piece arrived.  All other ranks
 * wait asleep, so that they take no time away from those that measure. */
#ifndef ATN_TRANSFER_H
#define ATN_TRANSFER_H

#include <mpi.h>

#include "base/base.h"

enum { ATN_CHUNKS = 32 }; /* pieces of a transfer */

typedef struct {
    int from, to; /* ranks */
    int chunk;    /* bytes of a piece */
} atn_transfer;

typedef struct {
    double arrival[ATN_CHUNKS]; /* seconds from the receiver's start */
} atn_arrivals;

typedef struct atn_stage atn_stage;

/* Collective.  `nap`: seconds that a rank sleeps when nothing has come during a transfer.
 * NULL: no memory. */
atn_stage *atn_stage_new(MPI_Comm comm, int max_chunk, double nap);
void atn_stage_free(atn_stage *s); /* collective */

/* For ranks other than 0: does what rank 0 says until rank 0 stops. */
void atn_stage_serve(atn_stage *s);

/* ---- for rank 0 ---- */

/* A rank sends at most once and receives at most once; chunks are at most max_chunk. */
void atn_stage_run(atn_stage *s, const atn_transfer *list, int n, atn_arrivals *arrivals);
/* Best round trip of an empty message, and by how much the best of several series differ. */
void atn_stage_ping(atn_stage *s, int a, int b, double *best, double *spread);
void atn_stage_stop(atn_stage *s);

/* Rates in bits per second while all transfers were under way: from the time when the last one had
 * begun until the first one was complete.  Returns which part of the shortest transfer that was:
 * when it is small, some began late and the rates mean little.
 * Of a transfer that runs alone, and so evenly, `arrivals` are made even: a busy receiver may have
 * taken some chunks late. */
double atn_transfer_rates(const atn_transfer *list, int n, atn_arrivals *arrivals, double *rates);

#endif
