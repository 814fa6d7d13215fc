/* writer.h - one rank's trace file, written block by block while the job runs.
 *
 * Runs inside user programs: memory is bounded, only definitions are allocated for after the start,
 * and a failing disk ends the recording, not the program.  Calls of one writer must not
 * overlap. */
#ifndef ATN_TRACE_WRITER_H
#define ATN_TRACE_WRITER_H

#include "trace/live.h"

typedef struct atn_trace_writer atn_trace_writer;

typedef struct {
    uint64_t job; /* the same on all ranks, different for every job */
    int rank, ranks;
    int64_t wall_ns;              /* of the day, when the job began */
    int64_t inside_ps, around_ps; /* what recording a call adds to its time, and outside of it */
    const char *clock, *host, *program, *library;
    int pid;
} atn_trace_start;

/* Creates the file.  `limit`: no more events after so many bytes.  *why_p on failure: an errno. */
atn_trace_writer *atn_trace_create(const char *path, int64_t limit, int *why_p);
void atn_trace_write_start(atn_trace_writer *w, const atn_trace_start *s);

/* ---- definitions: written before the events that use them ---- */

/* `ranks`: of MPI_COMM_WORLD, or NULL where another rank tells them. */
void atn_trace_define_comm(atn_trace_writer *w, int number, uint64_t id, int size, int own,
                           const int *ranks);
void atn_trace_define_type(atn_trace_writer *w, int number, int64_t bytes, const char *name);
void atn_trace_define_module(atn_trace_writer *w, int number, const char *path);
void atn_trace_define_site(atn_trace_writer *w, int number, int module, uint64_t offset);

/* ---- events ---- */

/* A call, or with an operation that is a part, something about the call recorded before.
 * `request`: which one is done (DONE only).  Returns the number of its signature, or 0. */
unsigned atn_trace_put(atn_trace_writer *w, const atn_trace_what *what, int64_t enter, int64_t exit,
                       uint32_t request);
/* What the writer has in hand, as long as it lives. */
atn_trace_hand *atn_trace_in_hand(atn_trace_writer *w);

/* A call of the first thread that is no part and has the signature `known` of the same epoch.
 * False: nothing was recorded, because it takes the long way. */
static inline bool atn_trace_repeat(atn_trace_hand *h, unsigned known, bool starts, int64_t enter,
                                    int64_t exit)
{
    if (enter < h->ended || exit < enter || enter > h->until || h->at > h->full)
        return false;
    uint8_t *const at = atn_put_varint(h->at, known);
    h->at =
        atn_put_varint(atn_put_varint(at, atn_zigzag(enter - h->last)), (uint64_t)(exit - enter));
    h->last = h->ended = exit;
    h->records++;
    h->events++;
    h->requests += starts;
    return true;
}
/* The number of the request that the last record with STARTS made; from 1. */
uint32_t atn_trace_last_request(const atn_trace_writer *w);

/* rank 0's clock minus this one at time `at`, known up to `within`. */
void atn_trace_write_sync(atn_trace_writer *w, int64_t at, int64_t offset, int64_t within);
/* How long messages of some sizes take, one way. */
void atn_trace_write_times(atn_trace_writer *w, const int64_t *bytes, const int64_t *ns, int n);
/* Polls that found nothing are not recorded, only counted. */
void atn_trace_polls(atn_trace_writer *w, int64_t n, int64_t ns);

/* Puts what is in memory onto the disk. */
void atn_trace_flush(atn_trace_writer *w);
/* Marks the file as complete; false: something could not be written. */
bool atn_trace_close(atn_trace_writer *w);
/* An errno of the write that failed; 0: none. */
int atn_trace_trouble(const atn_trace_writer *w);

#endif
