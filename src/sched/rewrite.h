/* rewrite.h - changes to a finished schedule: new slots, operations that merge or disappear.
 *
 * A pass modifies `ops` and `into`; the original schedule stays as it is until the end.  Messages
 * keep their order, and an exchange (two messages of one step) stays one, so that a schedule
 * without deadlock remains without. */
#ifndef ATN_SCHED_REWRITE_H
#define ATN_SCHED_REWRITE_H

#include "sched/schedule.h"

enum { ATN_REWRITE_GONE = -1 };

typedef struct {
    atn_schedule *s; /* the original */
    atn_op *ops;     /* its operations, to be modified */
    int32_t *into;   /* the operation that each is part of: itself, an earlier one, or GONE */
    int32_t *paired; /* the other message of its step; -1: none */
    ATN_VEC(atn_range) ranges;
    ATN_VEC(int32_t) tmp_shape;
} atn_rewrite;

/* false: out of memory; end must be called in any case. */
bool atn_sched_rewrite_begin(atn_rewrite *w, atn_schedule *s);
/* Appends a block to the new slot of an operation, beginning with an empty slot. */
bool atn_sched_rewrite_push(atn_rewrite *w, atn_slot *slot, int block);
/* Replaces the schedule if `commit`: removes operations, moves explicit dependencies (those of an
 * operation that is gone to the operations that waited for it) and infers the others anew.
 * Without memory the schedule remains as it was. */
atn_status atn_sched_rewrite_end(atn_rewrite *w, bool commit);

#endif
