/* fold.h - an accumulator for reductions that respects operand order without needless copies.
 *
 * `reduce` is inout = in (op) inout, so the operand of lower rank must be `in`.  A value from above
 * is therefore combined where it was received, and the accumulator moves there. */
#ifndef ATN_FOLD_H
#define ATN_FOLD_H

#include "sched/builder.h"

typedef struct {
    atn_ref value; /* what was combined so far */
    bool fixed;    /* it lies in SRC, which must stay as it is */
    bool ordered;  /* the operator is not commutative */
    bool has_room;
    atn_ref room;
} atn_fold;

atn_fold atn_fold_begin(const atn_problem *q, atn_ref value);
/* The same with the first operand received into `result`, where the accumulator then stays if the
 * operator allows; copy it there at the end. */
atn_fold atn_fold_into(const atn_problem *q, atn_ref value, atn_ref result);
/* Where the next operand is to be received. */
atn_ref atn_fold_room(atn_builder *b, atn_fold *f);
/* Combines what has been received; it comes from the ranks just below, or just above. */
void atn_fold_take(atn_builder *b, atn_fold *f, bool below);

#endif
