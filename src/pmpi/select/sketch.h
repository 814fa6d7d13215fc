/* sketch.h - a job on unknown hosts measures its network once: a few transfers between hosts, from
 * which a first topology follows (topo/sketch.h).
 *
 * Rank 0 decides when, as part of its advice: on a communicator of all ranks, once collectives have
 * taken a noticeable part of the time and the budget covers the cost.  All ranks then measure
 * together and share every rate, so all derive the same topology.  It replaces that of the job, and
 * the classes of the communicator are tuned anew. */
#ifndef ATN_PMPI_SELECT_SKETCH_H
#define ATN_PMPI_SELECT_SKETCH_H

#include "pmpi/comm/state.h"

/* On rank 0: whether to measure before candidates for the class are determined, and the time until
 * the budget covers that. */
bool atn_select_sketch_is_wanted(const atn_comm *c, const atn_call_class *x);
int64_t atn_select_sketch_wait(void);
/* Collective on c. */
void atn_select_sketch_run(atn_comm *c);

#endif
