/* made_up.h - random schedules without an algorithm: blocks travel along random ways, partial
 * results are combined in random pairs. */
#ifndef MADE_UP_H
#define MADE_UP_H

#include "sched/schedule.h"

/* Schedules of all ranks of a random problem with p ranks, to be freed by the caller; NULL: a
 * defect, with the reason in err.  They are right, unless `shuffled`: then every rank emits some of
 * its operations in another order. */
atn_schedule **make_up(int p, bool shuffled, uint64_t *random, atn_error *err);

#endif
