/* shape.h - communication structures shared by algorithms: rings, trees and matchings. */
#ifndef ATN_ALGO_SHAPE_H
#define ATN_ALGO_SHAPE_H

#include "sched/builder.h"

/* Ranks counted from the root, and back. */
static inline int atn_algo_relative(const atn_problem *q) { return atn_mod(q->r - q->root, q->p); }
static inline int atn_algo_absolute(const atn_problem *q, int v) { return (v + q->root) % q->p; }

/* The rank `steps` further on (if negative, back) on the ring of all ranks. */
static inline int atn_algo_ring(const atn_problem *q, int steps)
{
    return atn_mod(q->r + steps, q->p);
}

/* Blocks first .. first + count - 1 of a ring of p: one range, or two where it wraps. */
int atn_algo_wrap(int first, int count, int p, atn_range list[2]);

/* Sends blocks r, r + 1, ... of the result to the rank `jump` back and receives those that begin
 * with r + jump from the rank `jump` ahead, `count` each. */
void atn_algo_wrap_exchange(atn_builder *b, const atn_problem *q, int jump, int count);

/* p halved i times, rounded up: the skips of circulant graphs. */
static inline int atn_algo_skip(int p, int i) { return (int)(((int64_t)p + (1LL << i) - 1) >> i); }

/* Advances by n rounds. */
void atn_algo_rounds(atn_builder *b, int n);

/* k-nomial tree in which every subtree is a run of consecutive ranks, for any root: a run is
 * divided into up to `radix` parts whose length is a power of the radix, one of which may be
 * shorter; its leader keeps its own part and sends each other part, the farthest first, to that
 * part's first rank.  Levels are message slots, counted from the root: a rank has at most one edge
 * per level.
 *
 *   p = 6, root 0, radix 2   level 0: 0->4   level 1: 0->2 4->5   level 2: 0->1 2->3
 *   p = 6, root 0, radix 3   level 0: 0->3   level 1: 0->2 3->5   level 2: 0->1 3->4 */
typedef struct {
    int peer;         /* -1: none */
    int first, count; /* the ranks of the subtree at the lower end */
} atn_edge;

enum { ATN_MAX_RADIX = 64, ATN_MAX_LEVELS = 6 * (ATN_MAX_RADIX - 1) };

typedef struct {
    int levels, up; /* up: level of the edge to the parent; -1 at the root */
    atn_edge edge[ATN_MAX_LEVELS];
} atn_tree;

atn_tree atn_algo_tree_knomial(int p, int r, int root, int radix);
static inline atn_tree atn_algo_tree_binomial(int p, int r, int root)
{
    return atn_algo_tree_knomial(p, r, root, 2);
}

/* Heap: node v has the children arity * v + 1 .. arity * v + arity.  Messages on the path to v when
 * every node serves its children one after the other; and on the longest path of n nodes. */
int atn_algo_heap_way(int v, int arity);
int atn_algo_heap_depth(int n, int arity);

/* The storage for the blocks of a rank's subtree: `all` at the root, `one` at a leaf, else scratch;
 * and the part of it for the ranks first .. first + count - 1. */
atn_ref atn_algo_tree_store(atn_builder *b, const atn_tree *t, atn_ref all, atn_ref one);
atn_ref atn_algo_tree_part(const atn_tree *t, atn_ref store, int first, int count);

/* Operations along a tree; an inner rank gathers or scatters the run of its subtree. */
void atn_algo_tree_bcast(atn_builder *b, const atn_tree *t);
void atn_algo_tree_blocks(atn_builder *b, const atn_problem *q, const atn_tree *t); /* by q->op */
void atn_algo_tree_collect(atn_builder *b, const atn_tree *t,
                           atn_ref store); /* has the own block */

/* The ranks other than the root, which is 0, as chains of consecutive ranks, longer chains first:
 * a rank's chain and its distance from the root.
 *
 *   p = 8, chains = 2   0 - 1 - 2 - 3 - 4   0 - 5 - 6 - 7 */
typedef struct {
    int chain, place;
} atn_spot;

atn_spot atn_algo_chain_spot(int v, int p, int chains);

/* Direct allgather and alltoall: sends the block for `to` and receives the block of `from` at its
 * final position; and copies the rank's own block. */
void atn_algo_direct(atn_builder *b, const atn_problem *q, int to, int from);
void atn_algo_direct_own(atn_builder *b, const atn_problem *q);

/* Round-robin tournament: each pair of ranks is matched in exactly one round. */
int atn_algo_match_rounds(int p);
int atn_algo_match(int p, int r, int round); /* -1: idle */

/* Bine butterfly on a power of two of ranks: the partner in step i is 1 - 2 + 4 - ... (i + 1
 * terms) ranks further on for even ranks, as many back for odd ones.  As in a binary butterfly, the
 * steps double a rank's data in any order, but distances are a third shorter. */
int atn_algo_bine(int p, int r, int i);

/* The largest power of two not exceeding p. */
static inline int atn_algo_pow2_below(int p) { return 1 << atn_floor_log2(p); }

#endif
