/* context.h - contexts: named program phases that are tuned separately.
 *
 * Ranks must push and pop alike around the calls on a communicator, as they must call collectives
 * in the same order.  Each thread has its own stack, so threads with communicators of their own do
 * not interfere. */
#ifndef ATN_PMPI_COMM_CONTEXT_H
#define ATN_PMPI_COMM_CONTEXT_H

#include "pmpi/comm/state.h"

/* Of this thread: a hash of the names that were pushed; 0: none. */
extern _Thread_local uint64_t atn_comm_context ATN_HIDDEN
    __attribute__((tls_model("initial-exec")));

void atn_comm_context_push(const void *name, size_t bytes);
void atn_comm_context_pop(void);
/* The hash of a name within another context; never 0. */
uint64_t atn_comm_context_within(uint64_t outer, const void *name, size_t bytes);
/* That of the next call on c: the thread's combined with the communicator's own. */
uint64_t atn_comm_context_of(const atn_comm *c);

#endif
