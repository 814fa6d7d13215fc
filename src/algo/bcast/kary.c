/* k-ary tree broadcast: ranks, counted from the root, form a heap.  No rank serves more than
 * `arity` others, so with segments it is a pipeline whose time grows only with the height of the
 * tree.
 *
 *   p = 7, arity = 2   0->1 0->2   1->3 1->4   2->5 2->6 */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int arity = (int)prm->v[0], v = atn_algo_relative(q);

    atn_algo_rounds(b, atn_algo_heap_way(v, arity) - 1);
    if (v > 0)
        atn_recv(b, atn_algo_absolute(q, (v - 1) / arity), atn_dst(0, 1));
    for (int64_t c = (int64_t)arity * v + 1; c <= (int64_t)arity * (v + 1) && c < q->p; c++) {
        atn_round(b);
        atn_send(b, atn_algo_absolute(q, (int)c), atn_dst(0, 1));
    }
}

static int depth(const atn_problem *q, const atn_params *prm)
{
    return atn_algo_heap_depth(q->p, (int)prm->v[0]);
}

static const atn_param params[] = {
    {"arity", ATN_INT, 2, 2, 1024, ATN_LOG2, "children per rank", NULL},
    {0},
};

const atn_algo atn_algo_bcast_kary = {
    .name = "kary",
    .summary = "pipelined down a k-ary tree (arity 2: binary)",
    .reference = "Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, 2007",
    .cost = "(depth + (k - 1) * min(arity, p - 1)) * (a + b * n / k)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .params = params,
    .depth = depth,
    .build = build,
};
