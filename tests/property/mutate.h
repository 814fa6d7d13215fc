/* mutate.h - random changes of the schedule of one rank: harmless ones, and faults. */
#ifndef MUTATE_H
#define MUTATE_H

#include "sched/schedule.h"

/* Makes one change; its name, or NULL if none could be made.  The schedule remains one that the
 * verifier can read, not one that is right. */
const char *mutate(atn_schedule *s, uint64_t *random);

#endif
