/* Tree barrier in shared memory: ranks form a heap.  A rank waits for the flags of its children and
 * raises its own; when the root has seen all, every rank that finds the flag of its parent raises
 * one for its children.
 *
 *   p = 7, degree = 2   up: 3,4 -> 1, 5,6 -> 2, 1,2 -> 0   down: 0 -> 1,2, 1 -> 3,4, 2 -> 5,6 */
#include "algo/shared.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int degree = (int)prm->v[0], children = atn_algo_shared_children(q->r, q->p, degree);
    const int parent = (q->r - 1) / degree;

    atn_exposures(b, 2);
    for (int i = 0; i < children; i++)
        atn_await(b, atn_algo_shared_child(q->r, degree, i), 0);
    atn_round(b);
    const int arrival = atn_expose(b, (atn_ref){.n = 0}, q->r > 0);
    atn_round(b);
    if (q->r > 0)
        atn_await(b, parent, 1);
    atn_round(b);
    const int release = atn_expose(b, (atn_ref){.n = 0}, children);
    atn_close(b, arrival);
    atn_close(b, release);
}

/* Flags on the longest path up to v: a rank looks at its children one after the other. */
static int way_up(int v, int p, int degree)
{
    const int children = atn_algo_shared_children(v, p, degree);
    int way = 0;

    for (int i = 0; i < children; i++)
        way = atn_max(way, way_up(atn_algo_shared_child(v, degree, i), p, degree)) + 1;
    return way;
}

static int depth(const atn_problem *q, const atn_params *prm)
{
    return way_up(0, q->p, (int)prm->v[0]) + atn_algo_shared_height(q->p, (int)prm->v[0]);
}

static const atn_param params[] = {
    {"degree", ATN_INT, 4, 2, 64, ATN_LOG2, "children per rank", NULL},
    {0},
};

const atn_algo atn_algo_barrier_shared_tree = {
    .name = "shared_tree",
    .summary = "shared memory: flags up a tree of ranks, then down",
    .reference =
        "Jain, Kaleem, Balmana et al.: Framework for scalable intra-node collective operations "
        "using shared memory (MPICH release-gather), 2018",
    .cost = "depth * a",
    .needs = ATN_NEEDS_SHARED,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .params = params,
    .depth = depth,
    .build = build,
};
