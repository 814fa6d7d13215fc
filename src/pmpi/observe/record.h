/* record.h - ATTUNE_RECORD: the sizes of calls on MPI_COMM_WORLD whose sizes differ between ranks,
 * as patterns for `attune tune` (algo/pattern.h). */
#ifndef ATN_PMPI_OBSERVE_RECORD_H
#define ATN_PMPI_OBSERVE_RECORD_H

#include "pmpi/comm/state.h"

void atn_observe_record_add(const atn_comm *c, const atn_call *call);
/* Collective over MPI_COMM_WORLD. */
void atn_observe_record_write(const char *path);

#endif
