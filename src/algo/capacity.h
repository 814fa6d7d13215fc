/* capacity.h - how many messages of one phase a directed link can carry. */
#ifndef ATN_CAPACITY_H
#define ATN_CAPACITY_H

#include "topo/topo.h"

/* A link that is c times as fast as the slowest one in use carries c messages (room for
 * atn_topo_edges).  A link of unknown rate carries any number; but where no rate is known, or when
 * `rated` is false, all links are alike and carry one.  A rank sends one message at a time and
 * receives one: that never costs phases, because over the slowest link p - 1 messages must go. */
void atn_capacities(const atn_topo *t, bool rated, int *capacity);

#endif
