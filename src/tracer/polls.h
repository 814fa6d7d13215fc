/* polls.h - tests and probes that do not block.  Programs call them in polling loops, and most find
 * nothing.
 *
 * Unsuccessful ones are only counted.  The processor's counter is read at the start; at the end it
 * is read only after a successful test and for a sample of the others, because reading takes longer
 * than everything else about an unsuccessful test. */
#ifndef ATN_TRACER_POLLS_H
#define ATN_TRACER_POLLS_H

#include "tracer/recorder.h"

#pragma GCC visibility push(hidden)

enum { ATN_POLLS_PER_SAMPLE = 64 };

static inline int64_t atn_tracer_enter_poll(void)
{
    atn_depth++;
    return atn_ticks();
}
/* Duration of a successful test, in ns. */
static inline int64_t atn_tracer_poll_took(int64_t enter)
{
    const int64_t took = atn_ticks() - enter;
    return took > 0 ? atn_tracer_took_ns(took) : 0;
}

static inline void atn_tracer_time_poll(int64_t enter)
{
    atn_tracer_rec.timed++;
    atn_tracer_rec.timed_ticks += atn_ticks() - enter;
}
static inline void atn_tracer_count_unsuccessful(int64_t enter)
{
    atn_tracer_lock();
    if (ATN_RARELY(atn_tracer_rec.polls++ % ATN_POLLS_PER_SAMPLE == 0))
        atn_tracer_time_poll(enter);
    atn_tracer_unlock();
}

/* The fast path, for the most frequent tests.  One word, poll_state, has a bit that is set during
 * the test, so that nested calls are not recorded, a bit that disables the fast path, and above
 * them the number of tests. */
enum { ATN_POLL_SLOW = 2, ATN_POLL_COUNT = 4 };

/* Through one pointer and memory: registers would have to be saved and restored. */
ATN_FAST atn_recorder *atn_tracer_poller(void)
{
    atn_recorder *rec = &atn_tracer_rec;
    __asm__("" : "+r"(rec));
    return rec;
}
ATN_FAST bool atn_tracer_poll_is_fast(const atn_recorder *rec)
{
    return (rec->poll_state & (ATN_POLL_ACTIVE | ATN_POLL_SLOW)) == 0 && rec->depth == 0;
}
/* Returns the poll_state to set after the test. */
ATN_FAST int64_t atn_tracer_begin_poll(atn_recorder *rec)
{
    const int64_t state = rec->poll_state;
    rec->entered = atn_ticks();
    rec->poll_state = state + ATN_POLL_ACTIVE;
    return state + ATN_POLL_COUNT;
}
/* Stores the arguments; returns the status to pass. */
ATN_FAST MPI_Status *atn_tracer_test_status(atn_recorder *rec, atn_test_arguments *arguments,
                                            MPI_Request handle, MPI_Status *status)
{
    MPI_Status *const s = status == MPI_STATUS_IGNORE ? &rec->own_status : status;
    if (ATN_RARELY(arguments->handle != handle || arguments->status != s))
        *arguments = (atn_test_arguments){handle, s};
    return s;
}
ATN_FAST int atn_tracer_poll_unsuccessful(const atn_recorder *rec, int64_t state)
{
    if (ATN_RARELY(state % (ATN_POLL_COUNT * ATN_POLLS_PER_SAMPLE) == 0))
        atn_tracer_time_poll(rec->entered);
    return MPI_SUCCESS;
}
static inline void atn_tracer_allow_fast_polls(bool allowed)
{
    atn_tracer_rec.poll_state = allowed ? atn_tracer_rec.poll_state & ~(int64_t)ATN_POLL_SLOW
                                        : atn_tracer_rec.poll_state | ATN_POLL_SLOW;
}

/* Number of unsuccessful tests. */
static inline int64_t atn_tracer_polls(void)
{
    return atn_tracer_rec.polls + atn_tracer_rec.poll_state / ATN_POLL_COUNT - atn_tracer_rec.found;
}
/* Their total time, extrapolated from the sample. */
static inline int64_t atn_tracer_polls_ns(void)
{
    const double ns = (double)atn_ticks_ns(atn_tracer_rec.timed_ticks);
    const double each = atn_tracer_rec.timed > 0 ? ns / (double)atn_tracer_rec.timed : 0;
    return each > 0 ? (int64_t)(each * (double)atn_tracer_polls()) : 0;
}

#pragma GCC visibility pop

#endif
