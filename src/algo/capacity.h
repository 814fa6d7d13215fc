/* capacity.h - how many messages of one phase a directed link can carry. */
#ifndef ATN_ALGO_CAPACITY_H
#define ATN_ALGO_CAPACITY_H

#include "topo/topo.h"

/* A link that is c times as fast as the slowest one in use carries c messages (`capacity` has
 * atn_topo_edges entries).  A link of unknown rate carries any number; if no rate is known, or
 * `rated` is false, every link carries one.  A rank sends one message at a time and receives one:
 * this never costs phases, because p - 1 messages cross the slowest link. */
void atn_algo_capacities(const atn_topo *t, bool rated, int *capacity);

#endif
