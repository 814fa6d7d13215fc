/* conflict.h - which operations of one rank must not change places. */
#ifndef ATN_CONFLICT_H
#define ATN_CONFLICT_H

#include "sched/schedule.h"

/* Walks the program; calls begin(op) for each operation and then conflict(op, on) for the earlier
 * operations that touch a block of it, one of the two writing (a minimal set: what follows through
 * others may be left out; the same pair may come twice).  Stops and returns false when a callback
 * does, or when out of memory.  Slots must lie inside their spaces. */
bool atn_conflicts(const atn_schedule *s, bool (*begin)(void *context, int op),
                   bool (*conflict)(void *context, int op, int on), void *context);

#endif
