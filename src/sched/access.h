/* access.h - which operations of a program access a block: the last ones before an operation, and
 * whether any follows. */
#ifndef ATN_SCHED_ACCESS_H
#define ATN_SCHED_ACCESS_H

#include "sched/schedule.h"

/* The last operation that has written or read each block so far; -1: none. */
typedef struct {
    int32_t *writer[ATN_SPACES], *reader[ATN_SPACES];
} atn_accesses;

/* false: out of memory; free in any case. */
bool atn_sched_accesses_init(atn_accesses *x, const atn_schedule *s);
void atn_sched_accesses_free(atn_accesses *x);
/* Operation `op` accesses a slot of the schedule, or all slots of operation `o`. */
void atn_sched_access_slot(atn_accesses *x, const atn_schedule *s, const atn_slot *slot, int op,
                           bool writes);
void atn_sched_access_op(atn_accesses *x, const atn_schedule *s, const atn_op *o, int op);
/* The operation that wrote all blocks of the slot last; -1: none, or several. */
int atn_sched_access_writer(const atn_accesses *x, const atn_schedule *s, const atn_slot *slot);
/* The last operation that has read a block of the slot, or written one. */
int atn_sched_access_last_read(const atn_accesses *x, const atn_schedule *s, const atn_slot *slot);
int atn_sched_access_last_write(const atn_accesses *x, const atn_schedule *s, const atn_slot *slot);

/* Whether two slots are the same blocks in the same order. */
bool atn_sched_slots_equal(const atn_schedule *s, const atn_slot *x, const atn_slot *y);

/* last[i]: the slots of operation i whose blocks nothing reads after it before they are written
 * again.  Results are read at the end. */
enum { ATN_LAST_A = 1, ATN_LAST_C = 2 };
bool atn_sched_last_reads(const atn_schedule *s, uint8_t *last);

#endif
