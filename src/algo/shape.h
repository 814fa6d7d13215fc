/* shape.h - who talks to whom: rings, trees and matchings that algorithms share. */
#ifndef ATN_SHAPE_H
#define ATN_SHAPE_H

#include "sched/builder.h"

/* Ranks counted from the root, and back. */
static inline int atn_relative(const atn_problem *q) { return atn_mod(q->r - q->root, q->p); }
static inline int atn_absolute(const atn_problem *q, int v) { return (v + q->root) % q->p; }

/* The rank `steps` further on (or, negative, back) on the ring of all ranks. */
static inline int atn_ring(const atn_problem *q, int steps) { return atn_mod(q->r + steps, q->p); }

/* Blocks first .. first + count - 1 of a ring of p: one range, or two where it wraps. */
int atn_wrap(int first, int count, int p, atn_range list[2]);

/* Sends the blocks r, r + 1, ... of the result `jump` ranks back and receives from `jump` ranks
 * ahead those that begin there, `count` each. */
void atn_wrap_exchange(atn_builder *b, const atn_problem *q, int jump, int count);

/* p halved i times, rounded up: the jumps of circulant graphs. */
static inline int atn_skip(int p, int i) { return (int)(((int64_t)p + (1LL << i) - 1) >> i); }

/* Begins n further rounds. */
void atn_rounds(atn_builder *b, int n);

/* k-nomial tree in which every subtree is a run of consecutive ranks, whatever the root: a run is
 * cut into up to `radix` parts of equal length, a power of the radix, of which one may be shorter;
 * its leader keeps the part that it is in and hands each other one, the farthest first, to that
 * part's first rank.  Levels are message slots, counted from the root: in each a rank has at most
 * one edge.
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

atn_tree atn_tree_knomial(int p, int r, int root, int radix);
static inline atn_tree atn_tree_binomial(int p, int r, int root)
{
    return atn_tree_knomial(p, r, root, 2);
}

/* Heap: node v has the children arity * v + 1 .. arity * v + arity.  Messages on the way to v when
 * every node serves its children one after the other; and on the longest way of n nodes. */
int atn_heap_way(int v, int arity);
int atn_heap_depth(int n, int arity);

/* Where a rank keeps the blocks of its subtree: in `all` at the root, in `one` at a leaf, else in
 * scratch; and the part of it that belongs to the ranks first .. first + count - 1. */
atn_ref atn_tree_store(atn_builder *b, const atn_tree *t, atn_ref all, atn_ref one);
atn_ref atn_tree_part(const atn_tree *t, atn_ref store, int first, int count);

/* Operations along a tree; what an inner rank gathers or scatters is the run of its subtree. */
void atn_tree_bcast(atn_builder *b, const atn_tree *t);
void atn_tree_blocks(atn_builder *b, const atn_problem *q, const atn_tree *t); /* by q->op */
void atn_tree_collect(atn_builder *b, const atn_tree *t, atn_ref store); /* own block is there */

/* Ranks other than the root, which is 0, as chains of consecutive ranks, the longer ones first:
 * which chain a rank is in, and how far from the root.
 *
 *   p = 8, chains = 2   0 - 1 - 2 - 3 - 4   0 - 5 - 6 - 7 */
typedef struct {
    int chain, place;
} atn_spot;

atn_spot atn_chain_spot(int v, int p, int chains);

/* Allgather and alltoall without detours: `to` is sent the block that it shall have, the block of
 * `from` is received where it belongs; and the block that stays. */
void atn_direct(atn_builder *b, const atn_problem *q, int to, int from);
void atn_direct_own(atn_builder *b, const atn_problem *q);

/* Matchings: every two ranks meet in exactly one of the rounds of a round-robin tournament. */
int atn_match_rounds(int p);
int atn_match(int p, int r, int round); /* -1: idle */

/* Bine butterfly of a power of two of ranks: the partner in step i is 1 - 2 + 4 - ... (i + 1
 * terms) ranks further on for even ranks, as many back for odd ones.  Steps in any order double
 * what a rank has, as with a bit each, but jumps are a third shorter. */
int atn_bine(int p, int r, int i);

/* The largest power of two that is not above p. */
static inline int atn_pow2_below(int p) { return 1 << atn_floor_log2(p); }

#endif
