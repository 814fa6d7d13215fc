/* Tree broadcast in shared memory: ranks, counted from the root, form a heap; a rank copies the
 * message from its parent's buffer and exposes it to its children, segment by segment, so that no
 * buffer has more than `degree` readers.
 *
 *   p = 7, degree = 2   0->1,2   1->3,4   2->5,6 */
#include "algo/shape.h"
#include "algo/shared.h"

/* The root exposes the whole message at once, other ranks every segment when they have it. */
static void pass_on(atn_builder *b, const atn_problem *q, int parent, int children)
{
    for (int k = 0; k < q->segments; k++) {
        const atn_range before = {0, parent == q->root ? k : 0};
        atn_algo_rounds(b, k > 0);
        atn_read(b, parent, parent == q->root ? 0 : k, before, atn_dst(k, 1));
        atn_round(b);
        atn_expose(b, atn_dst(k, 1), children);
    }
    for (int k = 0; k < q->segments; k++)
        atn_close(b, k);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int degree = (int)prm->v[0], v = atn_algo_relative(q);
    const int children = atn_algo_shared_children(v, q->p, degree);

    atn_split(b, q->segments);
    atn_exposures(b, q->segments);
    if (v == 0)
        atn_close(b, atn_expose(b, atn_dst(0, q->segments), children * q->segments));
    else
        pass_on(b, q, atn_algo_absolute(q, (v - 1) / degree), children);
}

static int depth(const atn_problem *q, const atn_params *prm)
{
    return atn_algo_shared_height(q->p, (int)prm->v[0]);
}

static const atn_param params[] = {
    {"degree", ATN_INT, 4, 2, 64, ATN_LOG2, "children per rank", NULL},
    {0},
};

const atn_algo atn_algo_bcast_shared_tree = {
    .name = "shared_tree",
    .summary = "shared memory: pipelined copies down a tree of ranks",
    .reference =
        "Katevenis et al.: A framework for hierarchical single-copy MPI collectives on multicore "
        "nodes (XHC of Open MPI), 2022",
    .cost = "min(depth, 1) * (depth + k - 1) * (a + b * n / k)",
    .needs = ATN_NEEDS_SHARED,
    .passes = ATN_PASS_SEGMENT,
    .segments_inside = true,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .params = params,
    .depth = depth,
    .build = build,
};
