/* draw.h - a schedule as a picture. */
#ifndef ATN_DRAW_H
#define ATN_DRAW_H

#include "sched/schedule.h"

/* SVG space-time diagram: one row per rank, time to the right in units of one message.
 * ATN_INPUT when there is too much to draw, ATN_FINDING when the ranks would wait for ever. */
atn_status atn_schedule_draw(FILE *f, atn_schedule *const *schedules, int p, atn_error *err);

#endif
