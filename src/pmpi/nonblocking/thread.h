/* thread.h - an optional thread that advances nonblocking collectives while the program computes.
 *
 * It sleeps while none is outstanding.  It calls MPI like any other thread, so it needs
 * MPI_THREAD_MULTIPLE; in return it needs no hook in the progress loop (hook.h). */
#ifndef ATN_PMPI_NONBLOCKING_THREAD_H
#define ATN_PMPI_NONBLOCKING_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "interpose/interpose.h"

/* False: the thread cannot be started. */
bool atn_nonblocking_thread_start(void);
/* Nothing is outstanding, or will not be advanced by the thread. */
void atn_nonblocking_thread_stop(void);

extern _Atomic bool atn_nonblocking_thread_sleeps ATN_HIDDEN;
void atn_nonblocking_thread_rouse(void);

/* After a start. */
static inline void atn_nonblocking_thread_wake(void)
{
    if (ATN_RARELY(atomic_load(&atn_nonblocking_thread_sleeps)))
        atn_nonblocking_thread_rouse();
}

#endif
