/* setup.h - set-up of communicators: one agreement makes each served, or native for life. */
#ifndef ATN_PMPI_COMM_SETUP_H
#define ATN_PMPI_COMM_SETUP_H

#include "pmpi/comm/state.h"

/* A call on a communicator that is not served (yet).  Returns the state if it takes part in the
 * call: it has just been set up, or calls are observed. */
atn_comm *atn_comm_enter_unserved(atn_comm *c, atn_operation op);
/* Collective over c: set-up, if it has not been set up. */
void atn_comm_set_up_now(atn_comm *c);
/* Collective over c, which a routine has just made: the same, unless the program made many
 * communicators without starting a nonblocking call on them. */
void atn_comm_set_up_made(atn_comm *c);
/* The first nonblocking call on c is about to start. */
void atn_comm_used(atn_comm *c);
/* Collective over MPI_COMM_WORLD: the attribute key, and the set-up of MPI_COMM_WORLD. */
bool atn_comms_start(const atn_comm_hooks *hooks);

#endif
