/* recut.h - schedules whose ranks cut blocks differently, cut alike. */
#ifndef ATN_RECUT_H
#define ATN_RECUT_H

#include "sched/schedule.h"

/* Copies with the finest common cut; *alike_p is NULL when all are cut alike already.  ATN_FINDING
 * when it would be finer than makes sense. */
atn_status atn_recut(atn_schedule *const *schedules, int p, atn_schedule ***alike_p,
                     atn_error *err);
void atn_recut_free(atn_schedule **list, int p); /* NULL is fine */

#endif
