/* draw.h - space-time diagrams of schedules. */
#ifndef ATN_REPORT_DRAW_H
#define ATN_REPORT_DRAW_H

#include "sched/schedule.h"

/* SVG space-time diagram: one row per rank, time to the right in units of one message.
 * ATN_INPUT: too large to draw.  ATN_FINDING: the schedules deadlock. */
atn_status atn_report_schedule_draw(FILE *f, atn_schedule *const *schedules, int p, atn_error *err);

#endif
