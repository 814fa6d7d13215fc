/* hook.h - a function in the progress loop of the MPI library.
 *
 * Nonblocking collectives must advance while the program is inside of any MPI call.  Open MPI lets
 * libraries register a function that its progress loop calls; MPICH on UCX calls UCX through a
 * symbol that a preloaded library can define. */
#ifndef ATN_PMPI_NONBLOCKING_HOOK_H
#define ATN_PMPI_NONBLOCKING_HOOK_H

#include <stdbool.h>

#include "interpose/interpose.h"

/* Whether the progress loop calls this process's hook from now on (local).  `threads`: several
 * threads may call MPI at the same time. */
bool atn_nonblocking_hook_start(bool threads);
void atn_nonblocking_hook_stop(void);

/* A hook without work for some time is removed, if one thread calls MPI. */
extern bool atn_nonblocking_hook_off ATN_HIDDEN;
void atn_nonblocking_hook_again(void);
/* Before a call is started. */
static inline void atn_nonblocking_hook_ensure(void)
{
    if (ATN_RARELY(atn_nonblocking_hook_off))
        atn_nonblocking_hook_again();
}

#endif
