/* check.h - what the verifier checks without executing a schedule. */
#ifndef ATN_SCHED_CHECK_H
#define ATN_SCHED_CHECK_H

#include "sched/schedule.h"

/* Slots lie inside their spaces, dependencies order all conflicting operations, operands are
 * separate from the blocks written, scratch is within its limit; ATN_FINDING otherwise. */
atn_status atn_sched_check(const atn_schedule *s, atn_error *err);
/* Limit of scratch blocks: at most twice the data of all ranks, so that present and arriving data
 * are separate; a small number of ranks may need some more. */
int64_t atn_sched_max_scratch(const atn_problem *q, int split);
/* Padding would be taken for data, or data would be truncated. */
bool atn_sched_slots_unlike(const atn_schedule *s, const atn_slot *a, const atn_slot *b);

#endif
