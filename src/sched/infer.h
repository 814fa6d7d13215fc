/* infer.h - dependencies that follow from the blocks which operations read and write. */
#ifndef ATN_SCHED_INFER_H
#define ATN_SCHED_INFER_H

#include "sched/schedule.h"

/* Keeps the explicit dependencies of every operation (the first nafter) and infers the others anew.
 * false: out of memory; the schedule can then only be freed. */
bool atn_sched_infer_deps(atn_schedule *s);

#endif
