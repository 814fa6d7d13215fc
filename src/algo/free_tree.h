/* free_tree.h - contention-free trees for pipelines on a topology: no two ranks ever send over the
 * same directed link, so all segments may be in flight at once.
 *
 * Ranks are ordered by a walk from the root (walk.h); a subtree is a run of places i .. j whose
 * root i sends to the first places of up to `arity` runs that partition i + 1 .. j.  The child
 * after child c may be c' if no branch that holds c' but not i begins strictly between c and c',
 * and no branch that holds i ends strictly between them: where a branch begins (ends) inside a run,
 * that run sends into (out of) the branch itself.  The tree has the minimum height for such
 * runs. */
#ifndef ATN_ALGO_FREE_TREE_H
#define ATN_ALGO_FREE_TREE_H

#include "algo/algo.h"
#include "topo/topo.h"

typedef struct {
    int p;
    int *rank, *place;  /* place -> rank, rank -> place; the root has place 0 */
    int *parent;        /* place -> place; -1: the root */
    int *first, *child; /* children: child[first[i] .. first[i + 1]), highest subtree first */
    int *slot;          /* sequential messages until a place has received its own; root: 0 */
    int height, slots;  /* edges on the longest path; the latest slot */
    int *memory;
} atn_free_tree;

enum { ATN_MAX_ARITY = 16 };

/* 1 <= arity <= ATN_MAX_ARITY.  False: no memory. */
bool atn_algo_free_tree_begin(const atn_topo *t, int root, int arity, atn_free_tree *x);
void atn_algo_free_tree_end(atn_free_tree *x);

/* For algorithms whose only parameter is the arity: builds the tree and runs them. */
extern const atn_param atn_algo_free_tree_params[];
const char *atn_algo_free_tree_refuses(const atn_problem *q, const atn_params *prm);
void atn_algo_free_tree_run(atn_builder *b, const atn_problem *q, const atn_params *prm,
                            void (*emit)(atn_builder *b, const atn_problem *q,
                                         const atn_free_tree *t));

#endif
