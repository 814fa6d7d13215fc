/* thread.h - an optional thread that advances nonblocking collectives while the program computes.
 *
 * It sleeps while none is outstanding.  It calls MPI like any other thread, so it needs
 * MPI_THREAD_MULTIPLE; in return it needs no hook in the progress loop (hook.h). */
#ifndef ATN_PMPI_NONBLOCKING_THREAD_H
#define ATN_PMPI_NONBLOCKING_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "interpose/interpose.h"

/* `alone`: nothing else advances calls.  False: the thread cannot be started. */
bool atn_nonblocking_thread_start(bool alone);
/* Nothing is outstanding, or will not be advanced by the thread. */
void atn_nonblocking_thread_stop(void);

/* From the opening of a file until it is closed, several at a time.  In Open MPI, two threads that
 * advance requests of files damage its memory (seen with 4.1, without Attune as well); a
 * program whose other threads are outside of MPI must not get a second one.  Calls of MPI advance
 * everything meanwhile. */
void atn_nonblocking_thread_rest(void);
void atn_nonblocking_thread_resume(void);

extern _Atomic bool atn_nonblocking_thread_sleeps ATN_HIDDEN;
void atn_nonblocking_thread_rouse(void);

/* After a start. */
static inline void atn_nonblocking_thread_wake(void)
{
    if (ATN_RARELY(atomic_load(&atn_nonblocking_thread_sleeps)))
        atn_nonblocking_thread_rouse();
}

#endif
