/* two_trees.h - two binary trees over the ranks 1 .. p - 1, both hanging from rank 0, such that
 * inner ranks of one are leaves of the other, and slots in which their edges are used.
 *
 * The first tree is numbered in order, so that odd ranks are leaves; the second is its mirror image
 * or, where that would keep leaves leaves, the same moved by one.  Edges have two colours: the two
 * edges into a rank differ and the two out of it differ, so a rank sends and receives at most one
 * piece per slot when slots alternate between the colours. */
#ifndef ATN_TWO_TREES_H
#define ATN_TWO_TREES_H

#include "algo/algo.h"

typedef struct {
    int n;                 /* ranks below rank 0 */
    int slots;             /* until the first piece of both halves is everywhere */
    unsigned char *colour; /* of the edge into a rank in the first tree; in the second the other */
    int *slot[2];          /* of the first piece to a rank in each tree */
} atn_two_trees;

bool atn_two_trees_begin(atn_two_trees *t, int p); /* false: out of memory */
void atn_two_trees_end(atn_two_trees *t);

int atn_two_trees_parent(const atn_two_trees *t, int tree, int v);
/* Child 0 or 1 of a rank (0 included); 0: none. */
int atn_two_trees_child(const atn_two_trees *t, int tree, int v, int i);

/* `slots` for closed forms (atn_algo.depth).  Two ranks below the root pass on their halves at the
 * same time, one slot earlier than others. */
int atn_two_trees_depth(const atn_problem *q, const atn_params *prm);

#endif
