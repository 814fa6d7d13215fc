/* shared.h - the shared-memory transport: which ranks of a communicator are reached through it, and
 * the transfers of operations.
 *
 * The transport of a message is a property of the pair of ranks, the same on both sides: a rank
 * with an index here has a channel, every other rank is reached by MPI.  Several executors of one
 * communicator may use it, because their calls follow each other in the same order on all ranks. */
#ifndef ATN_EXEC_SHARED_H
#define ATN_EXEC_SHARED_H

#include "exec/exec_private.h"
#include "exec/place.h"
#include "shm/channel.h"
#include "shm/region.h"
#include "shm/wait.h"

typedef struct {
    atn_shm_end out, in;
    int32_t turn[2]; /* number of the next message received and sent in a run of the dag */
    atn_shm_board *board;
} atn_shared_peer;

/* An exposure of this rank: the reads that it expects, and a packed copy until the next one. */
typedef struct {
    uint32_t owed;
    char *held;
} atn_exposed;

struct atn_shared {
    int *index;            /* of a rank on this host; -1: on another one, or this rank */
    atn_shared_peer *peer; /* by index */
    atn_shm_waiting waiting;
    atn_shm_region region;
    atn_shm_board *board; /* of this rank */
    atn_exposed *exposed; /* by entry of the board; NULL: none yet */
    uint64_t call;        /* executions so far, on all ranks alike */
    bool reads;           /* ranks can read each other's memory */
    char *buffer;         /* for data that are combined while they are received; NULL: none yet */
    MPI_Comm comm;
};

static inline int atn_exec_shared_index(const struct atn_shared *m, int peer)
{
    return m == NULL ? -1 : m->index[peer];
}

/* A message in transfer. */
typedef struct {
    atn_shm_transfer t;
    atn_shm_end *end;
    char *packed; /* elements with holes: the data of the message, allocated */
    bool sends, combines;
} atn_shared_message;

/* The sink of data that are combined segment by segment where they are. */
typedef struct {
    const atn_run *x;
    const atn_xop *o;
    int code;
} atn_combination;
void atn_exec_combine_segment(void *context, const char *segment, int64_t at, int64_t bytes);
/* Bytes of a unit in messages and exposures: without its holes. */
int atn_exec_shared_each(const atn_exec_unit *u, int64_t *bytes_p);
/* Packs or unpacks units with holes to or from `bytes` packed bytes. */
int atn_exec_shared_convert(const atn_exec_unit *u, bool pack, char *user, int64_t units,
                            char *packed, int64_t bytes);
/* The buffer; NULL: no memory. */
char *atn_exec_shared_buffer(struct atn_shared *m);
/* Begins a transfer.  `data`: of the message, see atn_exec_message. */
int atn_exec_shared_begin(const atn_run *x, const atn_xop *o, char *data, atn_shared_message *m);
/* *done_p: the message has been sent, or received and unpacked or combined.  Returns an error
 * code. */
int atn_exec_shared_step(const atn_run *x, const atn_xop *o, atn_shared_message *m, bool *done_p);
/* Without completing it: after an error. */
void atn_exec_shared_drop(atn_shared_message *m);

#endif
