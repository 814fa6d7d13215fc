/* act.h - small experiments with messages: some ranks act a pattern together, all others sleep.
 *
 * Rank 0 directs: it tells the actors which pattern, how large, how often; they meet, act, and tell
 * what they measured.  A repetition is `loops` turns of the pattern in a row, and its result the
 * time of one turn. */
#ifndef ATN_ACT_H
#define ATN_ACT_H

#include <mpi.h>

#include "base/base.h"
#include "measure/transfer.h"

enum { ATN_ACTORS = 64, ATN_REPETITIONS = 64 };

typedef enum {
    ATN_ACT_PING,    /* actor 0 sends, actor 1 answers with the same size */
    ATN_ACT_SSEND,   /* actor 0 sends synchronously */
    ATN_ACT_RING,    /* each sends to the next one */
    ATN_ACT_CROSS,   /* even actors send to the next one, then odd ones */
    ATN_ACT_FAN,     /* actor 0 asks, all others send to it */
    ATN_ACT_TRAIN,   /* actor 0 sends `count` messages and gets an answer; time of one */
    ATN_ACT_BURST,   /* the same with several messages under way */
    ATN_ACT_SEND,    /* time of the call that sends */
    ATN_ACT_RECEIVE, /* time of the call that receives, `delay` after asking for the message */
    ATN_ACT_LATE,    /* time of a send whose receive is posted `delay` later */
    ATN_ACT_TOKEN,   /* a message goes round; time from one actor to the next */
    ATN_ACT_BUSY,    /* a ring with naps; processor time of an actor */
    ATN_ACT_COPY,    /* memory to memory */
    ATN_ACT_PACK,    /* every other number of an array is packed */
    ATN_ACT_REDUCE,  /* a kernel of src/kernel: operand `count` */
    ATN_ACT_PATTERNS
} atn_pattern;

typedef struct {
    atn_pattern pattern;
    int n; /* actors */
    int reps, loops, count;
    int64_t bytes;
    double delay;
    int actor[ATN_ACTORS]; /* ranks */
} atn_act;

typedef struct atn_theatre atn_theatre;

/* Collective.  Messages have at most max_bytes; `off_cache`: each uses memory that was not touched
 * lately.  NULL: no memory. */
atn_theatre *atn_theatre_new(MPI_Comm comm, int64_t max_bytes, bool off_cache);
void atn_theatre_free(atn_theatre *t); /* collective */

/* Actor i works on processor i of those that it may use: where ranks outnumber processors, and even
 * those of different hosts share them, the scheduler would decide whether two actors meet on one.
 * Not where all ranks act to see just that. */
void atn_theatre_spread(atn_theatre *t);

/* For ranks other than 0: does what rank 0 says until it stops. */
void atn_theatre_serve(atn_theatre *t);

/* ---- for rank 0 ---- */

/* times: `reps` results, each of the actor that took longest (BUSY: the mean of all). */
void atn_theatre_act(atn_theatre *t, const atn_act *a, double *times);
/* Bulk transfers: transfer.h. */
void atn_theatre_flow(atn_theatre *t, const atn_transfer *list, int n, double *rates);
void atn_theatre_stop(atn_theatre *t);

/* "sum.f64" -> number of an operand of REDUCE; -1: none of them. */
int atn_operand_find(const char *name);

#endif
