/* binary.h - binary trees: parent and children of a rank. */
#ifndef ATN_ALGO_BINARY_H
#define ATN_ALGO_BINARY_H

#include "sched/builder.h"

typedef struct {
    int parent;             /* -1 at the root */
    int children, child[2]; /* the one with the smaller subtree first */
    int depth, height;      /* of this rank; of the whole tree */
    int first, end;         /* in-order only: the ranks of its subtree are first .. end - 1 */
} atn_binary;

/* Complete: all levels but the last are full.  Ranks are numbered level by level from the root.
 *
 *   p = 6, root 0   0->1 0->2   1->3 1->4 2->5 */
atn_binary atn_algo_binary_complete(int p, int r, int root);

/* In-order: the ranks below a rank form its lower subtree, those above it its upper subtree, and
 * the root of a subtree is its middle rank, so that every subtree is a run of consecutive ranks.
 *
 *   p = 8, root 3   3->1 3->6   1->0 1->2 6->5 6->7   5->4 */
atn_binary atn_algo_binary_inorder(int p, int r, int root);

#endif
