/* early.h - messages that are received before the program asks for them.
 *
 * All of this is a matter of one rank: nothing is agreed with others but who sends synchronously
 * (notice.c).  It is off when threads may call MPI at once, so there are no locks. */
#ifndef ATN_MESSAGES_EARLY_H
#define ATN_MESSAGES_EARLY_H

#include "pmpi/messages/doors.h"
#include "predict/online.h"
#include "predict/staging.h"

/* A communicator.  Its ranks are in MPI_COMM_WORLD, or `world` is NULL: then nothing is done. */
typedef struct atn_known {
    struct atn_known *next;
    MPI_Comm comm; /* MPI_COMM_NULL: gone; only persistent receives still name it */
    int64_t number;
    int p, r, *world;
    bool foreign; /* not the program's own */
    int users;    /* persistent receives */
    atn_staging queue;
} atn_known;

/* A message that is here, or on its way. */
typedef struct {
    atn_staged head;     /* first: the queue knows this part */
    MPI_Status status;   /* of the probe that matched it: what a receive would tell */
    MPI_Request request; /* MPI_REQUEST_NULL: all of it is here */
    int code;            /* of receiving it */
    MPI_Comm comm;       /* that it came by */
    char bytes[];
} atn_early_message;

typedef struct {
    int64_t looks, found; /* for foreseen messages */
    int64_t bound;        /* messages that a receive got from here */
    int64_t waited;       /* those that were still on their way then */
} atn_early_counts;

typedef struct {
    bool on;       /* receives look here first */
    bool draining; /* messages are taken; until MPI_Finalize */
    bool gpu;      /* buffers may be anywhere: only MPI may copy */
    int depth;     /* calls of MPI that the program is inside of */
    MPI_Comm own;  /* this rank alone */
    atn_staging_room room;
    atn_online *receives, *sends; /* sends: NULL until the program hints */
    int64_t receive_hint, send_hint;
    atn_early_counts counts;
} atn_early_state;
extern atn_early_state atn_early ATN_HIDDEN;

enum { ATN_NO_HINT = -1 };

/* Where a message is to go. */
typedef struct {
    void *buf;
    MPI_Count count;
    MPI_Datatype type;
    MPI_Comm comm; /* whose error handler hears of trouble */
} atn_target;
#define ATN_TARGET(buf, count, type, comm) (&(const atn_target){buf, count, type, comm})

/* ---- communicators (known.c) ---- */

/* NULL: not one of the program's, or not to be touched. */
atn_known *atn_known_comm(MPI_Comm comm, const void *from);
atn_known *atn_known_number(int64_t number);
void atn_known_leave(atn_known *c); /* a persistent receive ends */
bool atn_known_start(void);

/* ---- taking messages (early.c) ---- */

/* Around each call.  The outermost one takes messages that are foreseen. */
void atn_early_enter(void);
int atn_early_exit(int code);
/* The program is about to receive: learns, and finds the message if it is here; NULL: the call goes
 * on.  It is no longer in the queue. */
atn_early_message *atn_early_claim(int source, int tag, MPI_Comm comm, const void *from);
/* The same for a communicator that is known. */
atn_early_message *atn_early_claim_of(atn_known *c, int source, int tag, const void *from);
/* For probes: it stays in the queue, and nothing is learned. */
const atn_early_message *atn_early_peek(int source, int tag, MPI_Comm comm, const void *from);
/* Whether all of it is here by now. */
bool atn_early_arrived(atn_early_message *m);
void atn_early_await(atn_early_message *m);
/* Copies it to where it is wanted, and frees it; errors are returned, not raised. */
int atn_early_deliver(atn_early_message *m, const atn_target *t);
/* All of a blocking receive. */
int atn_early_receive(atn_early_message *m, const atn_target *t, MPI_Status *status);
void atn_early_status(const atn_early_message *m, MPI_Status *status);
void atn_early_drop(atn_early_message *m);
void atn_early_hint_recv(int tag);
void atn_early_hint_send(int tag);
void atn_early_saw_send(int dest, int tag, MPI_Comm comm, const void *from);

/* ---- requests (later.c) ---- */

/* A request of the program that gets the message; `send`: one more request that it is made of. */
int atn_later_bind(atn_early_message *m, const atn_target *t, MPI_Request send, void *packed,
                   MPI_Request *request);
bool atn_later_busy(void);
/* Completes what has arrived. */
void atn_later_poll(void);
/* Waits for all, some time. */
void atn_later_finish(void);
int atn_later_prepare(atn_known *c, int source, int tag, const atn_target *t, const void *from,
                      MPI_Request handle);

/* ---- who sends synchronously (notice.c) ---- */

bool atn_notice_start(MPI_Comm world);
void atn_notice_stop(void);
/* Before the first such send to a rank of MPI_COMM_WORLD. */
void atn_notice_tell(MPI_Comm comm, int dest, const void *from);
bool atn_notice_came(int world_rank);

#endif
