/* optimise.h - passes over a finished schedule that save copies in memory.
 *
 * The messages of a rank stay the same, in the same order, so ranks may be optimised independently
 * of each other; results are combined in the same order.  Time is linear in operations and
 * blocks.  ATN_MEMORY leaves the schedule as it was. */
#ifndef ATN_SCHED_OPTIMISE_H
#define ATN_SCHED_OPTIMISE_H

#include "sched/schedule.h"

/* All passes, in this order. */
atn_status atn_sched_optimise(atn_schedule *s);
/* A reduction in scratch whose result is only copied writes to the destination of the copy. */
atn_status atn_sched_retarget_copies(atn_schedule *s);
/* Operations read the source of a copy instead of its destination; reductions of a copy get three
 * operands; copies that are then never read disappear, or the parts of them. */
atn_status atn_sched_forward_copies(atn_schedule *s);
/* A receive and the reduction that alone reads its message become one recv_reduce.  Operands are
 * exchanged only if the operator is commutative (not `ordered`). */
atn_status atn_sched_fuse(atn_schedule *s);

#endif
