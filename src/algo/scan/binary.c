/* Binary tree scan: ranks form an in-order binary tree.  On the way up a rank receives the totals
 * of its subtrees; on the way down it receives the prefix of its subtree, forwards it to its lower
 * subtree, and sends its own result to the upper one.  With segments it is a pipeline whose first
 * segment takes log p steps, where that of the linear scan takes p.
 *
 *   p = 7   up: 0->1 4->5 2->1   1->3   down: 3->5 1->2   5->4 5->6 */
#include "algo/binary.h"
#include "algo/algo.h"
#include "algo/shape.h"

typedef struct {
    int parent, lower, upper; /* -1: none */
    bool climbs, has_prefix;  /* ranks follow its subtree; ranks precede it */
    int depth, height;
} node;

static node node_of(const atn_problem *q)
{
    const atn_binary t = atn_algo_binary_inorder(q->p, q->r, q->p / 2);
    node x = {.parent = t.parent,
              .lower = -1,
              .upper = -1,
              .climbs = t.end<q->p, .has_prefix = t.first> 0,
              .depth = t.depth,
              .height = t.height};

    for (int i = 0; i < t.children; i++)
        *(t.child[i] < q->r ? &x.lower : &x.upper) = t.child[i];
    return x;
}

static void climb(atn_builder *b, const node *x, atn_ref room, atn_ref sum)
{
    const bool both = x->climbs && x->upper >= 0;

    if (x->lower >= 0) {
        atn_recv(b, x->lower, room);
        atn_reduce(b, room, atn_dst(0, 1));
    }
    if (both) {
        atn_recv(b, x->upper, sum);
        atn_reduce(b, atn_dst(0, 1), sum);
    }
    atn_round(b);
    if (x->climbs)
        atn_send(b, x->parent, both ? sum : atn_dst(0, 1));
}

static void descend(atn_builder *b, const node *x, atn_ref room)
{
    if (x->has_prefix)
        atn_recv(b, x->parent, room);
    atn_round(b);
    if (x->has_prefix && x->lower >= 0)
        atn_send(b, x->lower, room);
    if (x->has_prefix)
        atn_reduce(b, room, atn_dst(0, 1));
    if (x->upper >= 0)
        atn_send(b, x->upper, atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const node x = node_of(q);
    const atn_ref room = atn_tmp_at(atn_tmp(b, 0, 1), 0, 1);
    const atn_ref sum = atn_tmp_at(atn_tmp(b, 0, 1), 0, 1);

    (void)prm;
    atn_copy(b, atn_src(0, 1), atn_dst(0, 1));
    atn_algo_rounds(b, x.height - x.depth);
    climb(b, &x, room, sum);
    atn_algo_rounds(b, 2 * x.depth);
    descend(b, &x, room);
    atn_algo_rounds(b, x.height - x.depth);
}

const atn_algo atn_algo_scan_binary = {
    .name = "binary",
    .summary = "pipelined up and down an in-order binary tree",
    .reference = "Sanders, Traff: Parallel prefix (scan) algorithms for MPI, 2006",
    /* Up to the root through the lower subtree, then down to the end of the upper one. */
    .cost = "let(m, a + b * n, let(c, g * n, let(pair, m + max(m, c),"
            " let(low, floor(p / 2), let(l, floor(log2(max(1, low))), let(up, ceil(p / 2) - 1,"
            " let(h, floor(log2(max(1, up))), let(u, floor(log2(max(1, up - 2^h + 1))),"
            " min(low, 1) * (m + c + min(l, 1) * ((l - 1) * (pair + c)"
            " + m + c + min(1, max(0, low - 1.5 * 2^l + 1)) * max(m, c)))"
            " + min(up, 1) * (m + c + max((floor(log2(up + 1)) - 1) * pair,"
            " (h - u) * m + u * pair))))))))))",
    .passes = ATN_PASS_SEGMENT,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
