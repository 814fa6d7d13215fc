/* hook.h - a function in the progress loop of the MPI library.
 *
 * Nonblocking collectives must advance while the program is inside of any MPI call.  Open MPI lets
 * libraries register a function that its progress loop calls; MPICH on UCX calls UCX through a
 * symbol that a preloaded library can define. */
#ifndef ATN_PMPI_NONBLOCKING_HOOK_H
#define ATN_PMPI_NONBLOCKING_HOOK_H

#include <stdbool.h>

/* Whether the progress loop calls this process's hook from now on (local).  `threads`: several
 * threads may call MPI at the same time. */
bool atn_nonblocking_hook_start(bool threads);
void atn_nonblocking_hook_stop(void);

#endif
