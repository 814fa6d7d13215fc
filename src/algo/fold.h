/* fold.h - an accumulator for reductions that keeps operand order without needless copies.
 *
 * `reduce` is inout = in (op) inout, so the operand of lower rank must be `in`.  An operand from a
 * higher rank is therefore combined where it was received, and the accumulator moves there.  Two
 * receive buffers let an operand arrive while the previous one is combined. */
#ifndef ATN_ALGO_FOLD_H
#define ATN_ALGO_FOLD_H

#include "algo/binary.h"
#include "algo/shape.h"

typedef struct {
    atn_ref value;   /* the accumulator */
    atn_range shape; /* blocks of the shape vector with its shape */
    bool fixed;      /* it lies in SRC, which must not change */
    bool ordered;    /* the operator is not commutative */
    bool has_room[2];
    atn_ref room[2];       /* receive buffers */
    int next;              /* the buffer for the next operand */
    bool one_room;         /* an operand waits until the previous one is combined */
    const atn_range *list; /* restricts the blocks; NULL: all */
    int n;
} atn_fold;

/* Begins with blocks that have the shape of the blocks with the same numbers of the shape
 * vector. */
atn_fold atn_algo_fold_begin(const atn_problem *q, atn_ref value);
/* The same, receiving the first operand into `result`, where the accumulator stays if the operator
 * is commutative; copy it there at the end. */
atn_fold atn_algo_fold_into(const atn_problem *q, atn_ref value, atn_ref result);
/* Begins with blocks of the rank's own operand; the end sends the value to the parent or, at the
 * root (-1), stores it in the result. */
atn_fold atn_algo_fold_own(const atn_problem *q, int parent, int first, int count);
void atn_algo_fold_end(atn_builder *b, const atn_fold *f, int parent);
/* Some blocks of the value; restricts the value to these blocks. */
atn_ref atn_algo_fold_part(const atn_fold *f, int first, int count);
void atn_algo_fold_narrow(atn_fold *f, int first, int count);
/* Restricts a value that begins with block 0 to a list of blocks, which is not copied. */
void atn_algo_fold_keep(atn_fold *f, const atn_range *list, int n);
/* The buffer for the next operand. */
atn_ref atn_algo_fold_room(atn_builder *b, atn_fold *f);
/* Combines the received operand, which stems from the ranks directly below, or directly above. */
void atn_algo_fold_take(atn_builder *b, atn_fold *f, bool below);
/* Receives and combines the value of `peer`, which covers ranks directly below or above. */
void atn_algo_fold_recv(atn_builder *b, const atn_problem *q, atn_fold *f, int peer);

/* Combines the operands of n consecutive ranks in order, in place of the last one, or in `spare` if
 * that is SRC; returns the location. */
atn_ref atn_algo_fold_list(atn_builder *b, const atn_ref *operand, int n, atn_ref spare);
/* The same for n blocks of scratch, into `result`. */
void atn_algo_fold_scratch(atn_builder *b, int region, int n, atn_ref result);

/* Reduces the message up a k-nomial tree. */
void atn_algo_fold_tree(atn_builder *b, const atn_problem *q, const atn_tree *t);
/* Its cost (atn_algo.cost), with m for the message of a segment, c for combining one, and k
 * segments.  A single short last part is ready before its parent. */
#define ATN_FOLD_TREE_COST                                                                         \
    "let(l, max(1, levels(p, radix)),"                                                             \
    " let(s, radix^(l - 1), let(top, ceil(p / s) - 1, let(short, p - top * s,"                     \
    " (l - 1) * (min(m, c) + (radix - 1) * max(m, c))"                                             \
    " + min(top, 1) * (min(m, c) + top * max(m, c))"                                               \
    " + (k - 1) * (top + (l - 1) * (radix - 1)) * max(m, c)"                                       \
    " - min(m, c) * is(top, 1) * min(l - 1, 1) * min(1, max(0,"                                    \
    " max(is(radix, 2) * (s - short), s * (radix - 1) / radix - short + 1)))))))"
/* Reduces blocks up a binary tree, one child after the other.  A rank receives in the round before
 * it sends; all ranks of the same depth do so in the same round. */
void atn_algo_fold_up(atn_builder *b, const atn_problem *q, const atn_binary *t, int first,
                      int count);

#endif
