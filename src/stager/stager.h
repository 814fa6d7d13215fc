/* stager.h - the state of the stager.
 *
 * Staging is local to a rank: the receiver alone decides which messages it stages, from its own
 * receives.  The ranks agree only on which of them send synchronously (synchronous.h).  Staging is
 * off under MPI_THREAD_MULTIPLE, so there are no locks. */
#ifndef ATN_STAGER_STAGER_H
#define ATN_STAGER_STAGER_H

#include "predict/online.h"
#include "predict/staging.h"
#include "stager/routines.h"

typedef struct {
    int64_t probes, found; /* probes for predicted messages; messages that they found */
    int64_t matched;       /* receives that got a staged message */
    int64_t waited;        /* those whose message was still in transfer */
} atn_stager_counts;

enum { ATN_NO_HINT = -1 };

typedef struct {
    bool on;       /* receives search the staged messages first */
    bool staging;  /* messages are staged; until MPI_Finalize */
    bool gpu;      /* buffers may be in GPU memory: only MPI may copy */
    int depth;     /* nesting of MPI calls */
    MPI_Comm self; /* this rank alone */
    atn_staging_room room;
    atn_online *receives, *sends; /* predictors; sends: NULL until the program gives hints */
    int64_t receive_hint, send_hint;
    atn_stager_counts counts;
} atn_stager_state;
extern atn_stager_state atn_stager ATN_HIDDEN;

#endif
