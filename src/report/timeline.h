/* timeline.h - start and end of each operation of a schedule if every message and every read takes
 * one unit.
 *
 * Ranks execute their steps strictly in order; a message starts when both sides have reached it. */
#ifndef ATN_REPORT_TIMELINE_H
#define ATN_REPORT_TIMELINE_H

#include "sched/schedule.h"

/* Local work, relative to a message. */
#define ATN_COPY_TIME   0.25
#define ATN_REDUCE_TIME 0.35

typedef struct {
    double start, end;
} atn_interval;

typedef struct {
    int p, messages;      /* with reads */
    atn_interval **spans; /* spans[rank][operation] */
    double end;           /* of the last rank */
} atn_timeline;

/* ATN_FINDING: deadlock. */
atn_status atn_report_timeline_make(atn_schedule *const *schedules, int p, atn_timeline *t_p,
                                    atn_error *err);
/* Time of the reduction that follows the message or the read of an operation, after the end of its
 * span. */
static inline double atn_report_timeline_reduces(const atn_op *o)
{
    return atn_sched_reduces(o) && !atn_sched_is_local(o) ? ATN_REDUCE_TIME : 0.0;
}
void atn_report_timeline_free(atn_timeline *t);

#endif
