/* fold.h - an accumulator for reductions that respects operand order without needless copies.
 *
 * `reduce` is inout = in (op) inout, so the operand of lower rank must be `in`.  A value from above
 * is therefore combined where it was received, and the accumulator moves there.  There are two
 * rooms to receive in, so that an operand may arrive while the one before is combined. */
#ifndef ATN_FOLD_H
#define ATN_FOLD_H

#include "algo/binary.h"
#include "algo/shape.h"

typedef struct {
    atn_ref value;   /* what was combined so far */
    atn_range shape; /* blocks of the shape vector that it is like */
    bool fixed;      /* it lies in SRC, which must stay as it is */
    bool ordered;    /* the operator is not commutative */
    bool has_room[2];
    atn_ref room[2];
    int next;              /* which room is to be received in */
    bool one_room;         /* an operand waits until the one before is combined */
    const atn_range *list; /* only these blocks count; NULL: all */
    int n;
} atn_fold;

/* Begins with blocks that are like those of the same numbers of the shape vector. */
atn_fold atn_fold_begin(const atn_problem *q, atn_ref value);
/* The same with the first operand received into `result`, where the accumulator then stays if the
 * operator allows; copy it there at the end. */
atn_fold atn_fold_into(const atn_problem *q, atn_ref value, atn_ref result);
/* Begins with blocks of the own operand, and ends by sending the value to the parent or, where
 * there is none (-1), as blocks of the result. */
atn_fold atn_fold_own(const atn_problem *q, int parent, int first, int count);
void atn_fold_end(atn_builder *b, const atn_fold *f, int parent);
/* Some of the blocks of the value; and only these from now on. */
atn_ref atn_fold_part(const atn_fold *f, int first, int count);
void atn_fold_narrow(atn_fold *f, int first, int count);
/* Only these blocks from now on, where the value began with block 0; the list is not copied. */
void atn_fold_keep(atn_fold *f, const atn_range *list, int n);
/* Where the next operand is to be received. */
atn_ref atn_fold_room(atn_builder *b, atn_fold *f);
/* Combines what has been received; it comes from the ranks just below, or just above. */
void atn_fold_take(atn_builder *b, atn_fold *f, bool below);
/* Receives and combines what `peer`, a rank just below or just above, has. */
void atn_fold_recv(atn_builder *b, const atn_problem *q, atn_fold *f, int peer);

/* Operands of n consecutive ranks in their order: combined where the last one lies, or in `spare`
 * if that is SRC; returns where. */
atn_ref atn_fold_list(atn_builder *b, const atn_ref *operand, int n, atn_ref spare);
/* The same for n blocks of scratch, into `result`. */
void atn_fold_scratch(atn_builder *b, int region, int n, atn_ref result);

/* Reduces the message up a k-nomial tree. */
void atn_fold_tree(atn_builder *b, const atn_problem *q, const atn_tree *t);
/* What that costs (atn_algo.cost), with m for the message of a piece, c for combining one, and k
 * pieces.  A last part that is short and alone is ready before the leader is. */
#define ATN_FOLD_TREE_COST                                                                         \
    "let(l, max(1, levels(p, radix)),"                                                             \
    " let(s, radix^(l - 1), let(top, ceil(p / s) - 1, let(short, p - top * s,"                     \
    " (l - 1) * (min(m, c) + (radix - 1) * max(m, c))"                                             \
    " + min(top, 1) * (min(m, c) + top * max(m, c))"                                               \
    " + (k - 1) * (top + (l - 1) * (radix - 1)) * max(m, c)"                                       \
    " - min(m, c) * is(top, 1) * min(l - 1, 1) * min(1, max(0,"                                    \
    " max(is(radix, 2) * (s - short), s * (radix - 1) / radix - short + 1)))))))"
/* Reduces blocks up a binary tree, one child after the other; a rank receives in the round before
 * it sends, and all that are equally deep do so in the same round. */
void atn_fold_up(atn_builder *b, const atn_problem *q, const atn_binary *t, int first, int count);

#endif
