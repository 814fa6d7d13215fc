/* bound.h - lower bound of an operation: the least time that the links of the topology allow. */
#ifndef ATN_MODEL_BOUND_H
#define ATN_MODEL_BOUND_H

#include "sched/operation.h"
#include "topo/topo.h"

/* The least time in seconds of the busiest link for an operation of q->bytes on q->topo, plus its
 * delay.  A full Ethernet frame (1538 bytes on the link) carries 1460 bytes of payload.  0: the
 * topology is unknown or has no rates, or the size is not shared by all ranks. */
double atn_model_bound(const atn_problem *q);

#endif
