/* Dual root allreduce: the lower and the upper half of the ranks reduce to separate roots, up
 * in-order binary trees; the roots exchange their results and broadcast down the same trees.  No
 * rank has more than three neighbours, and with segments messages flow up and down at the same
 * time: a pipeline for every operator.
 *
 *   p = 6   0->1 2->1 3->4 5->4   1-4   1->0 1->2 4->3 4->5 */
#include "algo/algo.h"
#include "algo/fold.h"

/* The tree of the rank's half, and the root of the other half. */
static atn_binary tree_of(const atn_problem *q, int *other_p)
{
    const int lower = (q->p + 1) / 2, upper = q->p - lower;
    const bool below = q->r < lower;
    const int first = below ? 0 : lower, count = below ? lower : upper;
    atn_binary t = atn_algo_binary_inorder(count, q->r - first, count / 2);

    *other_p = below ? lower + upper / 2 : lower / 2;
    t.parent += t.parent >= 0 ? first : 0;
    for (int i = 0; i < t.children; i++)
        t.child[i] += first;
    t.height = atn_floor_log2(lower);
    return t;
}

static void climb(atn_builder *b, const atn_problem *q, const atn_binary *t, int other)
{
    const bool root = t->parent < 0;
    atn_fold f = atn_algo_fold_own(q, t->parent, 0, 1);

    for (int i = 0; i < t->children; i++)
        atn_algo_fold_recv(b, q, &f, t->child[i]);
    atn_round(b);
    if (root && q->p > 1) {
        atn_fence(b); /* both roots have finished */
        atn_send(b, other, f.value);
        atn_algo_fold_recv(b, q, &f, other);
    }
    atn_algo_fold_end(b, &f, t->parent);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    int other;
    const atn_binary t = tree_of(q, &other);

    (void)prm;
    atn_algo_rounds(b, t.height - t.depth);
    climb(b, q, &t, other);
    atn_algo_rounds(b, 2 * t.depth);
    if (t.parent >= 0)
        atn_recv(b, t.parent, atn_dst(0, 1));
    atn_round(b);
    for (int i = t.children - 1; i >= 0; i--)
        atn_send(b, t.child[i], atn_dst(0, 1));
    atn_algo_rounds(b, t.height - t.depth);
}

const atn_algo atn_algo_allreduce_dual_root = {
    .name = "dual_root",
    .summary = "two in-order binary trees whose roots exchange, pipelined up and down",
    .reference = "Traff: A doubly-pipelined, dual-root reduction-to-all algorithm, 2021",
    .cost = "let(m, a + b * n, let(c, g * n, let(pair, m + max(m, c) + c, let(h, ceil(p / 2),"
            " let(l, floor(log2(h)), let(u, floor(log2(h - 2^l + 1)),"
            " let(full, floor(log2(h + 1)) - 1, min(p - 1, 1) * (m + c"
            " + max(full * pair, (l - u) * (m + c) + u * pair)"
            " + max(2 * full, l + u) * m))))))))",
    .passes = ATN_PASS_SEGMENT,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
