/* text.h - the text format of schedules, for display, files and user-supplied algorithms. */
#ifndef ATN_SCHED_TEXT_H
#define ATN_SCHED_TEXT_H

#include "sched/schedule.h"

enum { ATN_SCHEDULE_VERSION = 1 }; /* of the format: "attune-schedule 1" is the first line */

/* Writes the schedules of all ranks; atn_sched_schedule_parse reads the same text back. */
void atn_sched_schedule_print(FILE *f, atn_schedule *const *schedules, int p);
/* `file` is used in messages ("file:line: ...").  On success *schedules_p is an array of *p_p
 * schedules (free each, then the array).  Only the syntax is checked; atn_sched_verify proves
 * that the schedules solve their problem. */
atn_status atn_sched_schedule_parse(const char *text, const char *file, atn_schedule ***schedules_p,
                                    int *p_p, atn_error *err);

/* The keywords of the format, also for tables and drawings. */
const char *atn_sched_op_name(const atn_op *o); /* "send", "ssend", "recv", "copy" ... */
const char *atn_sched_space_name(atn_space space);
void atn_sched_slot_print(FILE *f, const atn_schedule *s, const atn_slot *slot); /* "dst[0..3,5]" */

#endif
