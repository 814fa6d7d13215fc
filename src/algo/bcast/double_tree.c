/* Double tree broadcast: one half of the message goes down one binary tree, the other down a second
 * one in which the inner ranks of the first are leaves, so all ranks send and receive all the
 * time.  Slots alternate between two colours, such that a rank sends and receives at most one
 * segment in each (see two_trees.h).
 *
 *   p = 5   one half 0->4 4->2 2->1 2->3, the other, mirrored, 0->1 1->3 3->4 3->2 */
#include "algo/algo.h"
#include "algo/shape.h"
#include "algo/two_trees.h"

typedef struct {
    const atn_two_trees *t;
    int slot, k; /* current slot; segments of each half */
} moment;

/* The segment sent to v in a tree in this slot, if any. */
static atn_ref segment(const moment *now, int tree, int v)
{
    const int since = v > 0 ? now->slot - now->t->slot[tree][v] : -1;
    const bool goes = since >= 0 && since % 2 == 0 && since / 2 < now->k;

    return goes ? atn_dst(tree * now->k + since / 2, 1) : atn_dst(0, 0);
}

/* In a slot a rank receives at most one segment and sends at most one. */
static void move(atn_builder *b, const atn_problem *q, const moment *now)
{
    const int v = atn_algo_relative(q);
    atn_ref in = atn_dst(0, 0), out = in;
    int from = v, to = v;

    for (int tree = 0; tree < 2; tree++) {
        if (segment(now, tree, v).one.count > 0) {
            in = segment(now, tree, v);
            from = atn_algo_two_trees_parent(now->t, tree, v);
        }
        for (int i = 0; i < 2; i++) {
            const int child = atn_algo_two_trees_child(now->t, tree, v, i);
            if (segment(now, tree, child).one.count == 0)
                continue;
            out = segment(now, tree, child);
            to = child;
        }
    }
    atn_exchange(b, atn_algo_absolute(q, to), out, atn_algo_absolute(q, from), in);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_two_trees t;
    moment now = {.t = &t, .k = q->segments};

    (void)prm;
    atn_split(b, 2 * now.k);
    if (!atn_algo_two_trees_begin(&t, q))
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    for (; now.slot < t.slots + 2 * (now.k - 1); now.slot++, atn_round(b))
        move(b, q, &now);
    atn_algo_two_trees_end(&t);
}

const atn_algo atn_algo_bcast_double_tree = {
    .name = "double_tree",
    .summary = "pipelined halves down two binary trees with disjoint inner ranks",
    .reference = "Sanders, Speck, Traff: Two-tree algorithms for full bandwidth broadcast, "
                 "reduction and scan, 2009",
    .cost = "min(p - 1, 1) * (depth + 2 * (k - 1)) * (a + b * n / (2 * k))",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .segments_inside = true,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .depth = atn_algo_two_trees_depth,
    .build = build,
};
