/* writer.h - one rank's trace file, written block by block while the job runs.
 *
 * Runs inside user programs: memory is bounded, only definitions allocate after the start, and a
 * full disk ends the recording, not the program.  Calls of one writer must not overlap. */
#ifndef ATN_TRACE_WRITER_H
#define ATN_TRACE_WRITER_H

#include "trace/live.h"

typedef struct atn_trace_writer atn_trace_writer;

typedef struct {
    uint64_t job; /* the same on all ranks, different for every job */
    int rank, ranks;
    int64_t wall_ns;              /* time of day at the start of the job */
    int64_t inside_ps, around_ps; /* overhead: within the time of a call, and outside of it */
    const char *clock, *host, *program, *library;
    int pid;
} atn_trace_start;

/* Creates the file.  `limit`: maximum size in bytes; later events are dropped.  *why_p: errno on
 * failure. */
atn_trace_writer *atn_trace_create(const char *path, int64_t limit, int *why_p);
void atn_trace_write_start(atn_trace_writer *w, const atn_trace_start *s);

/* ---- definitions: written before the events that use them ---- */

/* `ranks`: of MPI_COMM_WORLD, or NULL if another rank records them. */
void atn_trace_define_comm(atn_trace_writer *w, int number, uint64_t id, int size, int own,
                           const int *ranks);
void atn_trace_define_type(atn_trace_writer *w, int number, int64_t bytes, const char *name);
void atn_trace_define_module(atn_trace_writer *w, int number, const char *path);
void atn_trace_define_site(atn_trace_writer *w, int number, int module, uint64_t offset);

/* ---- events ---- */

/* A call, or a part of the call recorded before.  `request`: the completed one (DONE only).
 * Returns the number of its signature, or 0. */
unsigned atn_trace_put(atn_trace_writer *w, const atn_trace_what *what, int64_t enter, int64_t exit,
                       uint32_t request);
/* Valid until the writer is closed. */
atn_trace_cursor *atn_trace_cursor_of(atn_trace_writer *w);

/* The fast path: a call of the first thread that is no part and has the signature `number` of the
 * same epoch.  False: nothing was recorded, call atn_trace_put. */
static inline bool atn_trace_repeat(atn_trace_cursor *h, unsigned number, bool starts,
                                    int64_t enter, int64_t exit)
{
    if (enter < h->ended || exit < enter || enter > h->until || h->at > h->full)
        return false;
    uint8_t *const at = atn_trace_put_varint(h->at, number);
    h->at = atn_trace_put_varint(atn_trace_put_varint(at, atn_trace_zigzag(enter - h->last)),
                                 (uint64_t)(exit - enter));
    h->last = h->ended = exit;
    h->records++;
    h->events++;
    h->requests += starts;
    return true;
}
/* The number of the request that the last record with STARTS made; from 1. */
uint32_t atn_trace_last_request(const atn_trace_writer *w);

/* Sizes in bytes of the blocks of calls `op` on the communicator whose sum is not enough, from time
 * `enter` on until the next row; n 0: they are not recorded any more. */
void atn_trace_write_row(atn_trace_writer *w, int64_t enter, atn_trace_op op, int comm,
                         const int64_t *sizes, int n);

/* Clock of rank 0 minus this one at time `at`, with uncertainty `within`. */
void atn_trace_write_sync(atn_trace_writer *w, int64_t at, int64_t offset, int64_t within);
/* Times of messages of several sizes, one way. */
void atn_trace_write_times(atn_trace_writer *w, const int64_t *bytes, const int64_t *ns, int n);
/* Unsuccessful tests and probes: number and total time. */
void atn_trace_polls(atn_trace_writer *w, int64_t n, int64_t ns);

/* Writes the current block to the disk. */
void atn_trace_flush(atn_trace_writer *w);
/* Marks the file as complete; false: a write failed. */
bool atn_trace_close(atn_trace_writer *w);
/* The errno of the write that failed; 0: none. */
int atn_trace_error(const atn_trace_writer *w);

#endif
