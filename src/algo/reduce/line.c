/* Line reduce: partial results are forwarded from both ends of the line of ranks to the root, each
 * rank combining its operand on the correct side: a pipeline for every operator and every root.
 *
 *   p = 6, root 2   0->1 5->4   1->2 4->3   3->2 */
#include "algo/algo.h"
#include "algo/fold.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int above = q->p - 1 - q->root, last = q->p - 1;
    const int step = q->r < q->root ? 1 : -1; /* towards the root */
    atn_binary t = {.parent = q->r == q->root ? -1 : q->r + step,
                    .depth = step * (q->root - q->r),
                    .height = atn_max(q->root, above)};

    (void)prm;
    if (q->r > 0 && q->r <= q->root)
        t.child[t.children++] = q->r - 1;
    if (q->r < last && q->r >= q->root) /* the shorter side first */
        t.child[t.children++] = q->r + 1;
    if (t.children == 2 && above < q->root) {
        t.child[0] = q->r + 1;
        t.child[1] = q->r - 1;
    }
    atn_algo_fold_up(b, q, &t, 0, 1);
}

const atn_algo atn_algo_reduce_line = {
    .name = "line",
    .summary = "pipelined from both ends of the line of ranks to the root, in rank order",
    .reference = "Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, 2007",
    .cost = "(p - 1) * (a + b * n / k + g * n / k)"
            " + min(p - 1, 1) * (k - 1) * max(a + b * n / k, g * n / k)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
