/* conflict.h - pairs of operations of one rank whose order matters. */
#ifndef ATN_SCHED_CONFLICT_H
#define ATN_SCHED_CONFLICT_H

#include "sched/schedule.h"

/* Traverses the program; calls begin(op) for each operation, then conflict(op, on) for every
 * earlier operation that accesses one of its blocks where at least one of the two writes.  Pairs
 * implied by others may be omitted, and a pair may be reported twice.  An exposure and its close
 * count as reading the exposed blocks.  Stops and returns false when a callback does, or when out
 * of memory.  Slots must lie inside their spaces. */
bool atn_sched_conflicts(const atn_schedule *s, bool (*begin)(void *context, int op),
                         bool (*conflict)(void *context, int op, int on), void *context);

#endif
