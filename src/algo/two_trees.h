/* two_trees.h - two binary trees over the ranks 1 .. p - 1, both attached to rank 0, such that
 * inner ranks of one are leaves of the other, and the slots in which their edges are used.
 *
 * The first tree is numbered in order, so that odd ranks are leaves; the second is its mirror image
 * or, where mirroring maps leaves to leaves, the first shifted by one.  Edges have two colours: the
 * two edges into a rank differ and the two out of it differ, so a rank sends and receives at most
 * one segment per slot when slots alternate between the colours. */
#ifndef ATN_ALGO_TWO_TREES_H
#define ATN_ALGO_TWO_TREES_H

#include "algo/algo.h"

typedef struct {
    int n;                 /* ranks below rank 0 */
    int slots;             /* until all ranks have the first segment of both halves */
    unsigned char *colour; /* of the edge into a rank in the first tree; the second has the other */
    int *slot[2];          /* in which a rank receives its first segment, per tree */
    void *memory;          /* NULL: kept with what is derived from the topology */
} atn_two_trees;

/* Of the ranks of q; false: out of memory. */
bool atn_algo_two_trees_begin(atn_two_trees *t, const atn_problem *q);
void atn_algo_two_trees_end(atn_two_trees *t);

int atn_algo_two_trees_parent(const atn_two_trees *t, int tree, int v);
/* Child 0 or 1 of a rank (0 included); 0: none. */
int atn_algo_two_trees_child(const atn_two_trees *t, int tree, int v, int i);

/* `slots` for closed forms (atn_algo.depth).  The two ranks below the root forward their halves at
 * the same time, one slot earlier than others. */
int atn_algo_two_trees_depth(const atn_problem *q, const atn_params *prm);

#endif
