/* serve.h - executes a collective call on a served communicator. */
#ifndef ATN_PMPI_SELECT_SERVE_H
#define ATN_PMPI_SELECT_SERVE_H

#include "pmpi/comm/fastpath.h"

/* Selects and executes; false: call the native routine instead. */
bool atn_select_serve(atn_comm *c, const atn_call *call, atn_turn *turn, int *code_p);
/* The steps of it.  The plan of a call; NULL: the native routine, or an error in *code_p. */
atn_plan *atn_select_plan(atn_comm *c, const atn_call *call, atn_turn *turn, int *code_p);
/* The plan of a nonblocking or persistent call: by rules or wisdom, because other ways of selection
 * may have to wait for ranks.  NULL: the native routine, or an error in *code_p. */
atn_plan *atn_select_started(atn_comm *c, const atn_call *call, int *code_p);
/* Executes a plan, on the private communicator, which is made if necessary. */
bool atn_select_run(atn_comm *c, atn_plan *plan, const atn_call *call, int *code_p);

/* After a call that was not tuned: enters its outcome into the call cache.  `whole`: key and
 * buffers are all its arguments. */
void atn_select_remember(atn_comm *c, const atn_call *call, atn_call_key k, bool served,
                         bool whole);

#endif
