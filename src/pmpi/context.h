/* context.h - named places in a program that are tuned apart. */
#ifndef ATN_CONTEXT_H
#define ATN_CONTEXT_H

#include <stdint.h>

#include "pmpi/real.h"

struct atn_comm;

/* Of this thread: a hash of the names that were pushed; 0: none. */
extern _Thread_local uint64_t atn_context ATN_HIDDEN __attribute__((tls_model("initial-exec")));

/* That of the next call on a communicator: the thread's and the communicator's own. */
uint64_t atn_context_of(const struct atn_comm *c);
/* The info key of a communicator was set. */
void atn_context_hear(MPI_Comm comm, MPI_Info info);

#endif
