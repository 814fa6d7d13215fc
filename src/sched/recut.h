/* recut.h - gives the schedules of all ranks the same split. */
#ifndef ATN_SCHED_RECUT_H
#define ATN_SCHED_RECUT_H

#include "sched/schedule.h"

/* Copies with the coarsest common refinement; *alike_p is NULL when all splits agree already.
 * ATN_FINDING when the common split would be too large. */
atn_status atn_sched_recut(atn_schedule *const *schedules, int p, atn_schedule ***alike_p,
                           atn_error *err);
void atn_sched_recut_free(atn_schedule **list, int p); /* NULL is fine */

#endif
