/* private.h - private communicators: copies of the user's communicators that carry Attune's
 * messages.  Each is created when a plan first needs it; their number is limited. */
#ifndef ATN_PMPI_COMM_PRIVATE_H
#define ATN_PMPI_COMM_PRIVATE_H

#include "pmpi/comm/state.h"

/* Reserves one for c; false: the limit is reached (part of the agreement). */
bool atn_comm_private_reserve(atn_comm *c);
void atn_comm_private_release(atn_comm *c);
/* Creates it when it is first needed (collective); false: c is native from now on. */
bool atn_comm_private_make(atn_comm *c);
/* Creates it if plans on c need one and there is none. */
static inline bool atn_comm_private_ready(atn_comm *c)
{
    return c->private_comm != MPI_COMM_NULL || c->p == 1 || atn_comm_private_make(c);
}
/* Frees it and its reservation. */
void atn_comm_private_free(atn_comm *c);

#endif
