/* text.h - schedules as text, for people, for files and for user-supplied algorithms. */
#ifndef ATN_TEXT_H
#define ATN_TEXT_H

#include "sched/schedule.h"

/* Writes the schedules of all ranks; atn_schedule_parse reads the same text back. */
void atn_schedule_print(FILE *f, atn_schedule *const *schedules, int p);
/* `file` is used in messages ("file:line: ...").  On success *schedules_p is an array of *p_p
 * schedules (free each, then the array). */
atn_status atn_schedule_parse(const char *text, const char *file, atn_schedule ***schedules_p,
                              int *p_p, atn_error *err);
/* Space-time diagram: one row per rank, time in steps of the in-order execution. */
atn_status atn_schedule_draw(FILE *f, atn_schedule *const *schedules, int p, atn_error *err);

#endif
