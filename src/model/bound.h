/* bound.h - what the wires alone forbid: no algorithm can be faster than this. */
#ifndef ATN_BOUND_H
#define ATN_BOUND_H

#include "sched/operation.h"
#include "topo/topo.h"

/* Seconds that the busiest link needs at least for an operation of q->bytes on q->topo, when every
 * full Ethernet frame (1538 bytes on the wire) brings 1460 bytes of payload, and that the last byte
 * travels.  0 when the topology is
 * not known, has no rates, or the size is not shared. */
double atn_bound(const atn_problem *q);

#endif
