/* Scatter-allgather broadcast in shared memory: every rank first copies its share of the message
 * from the root and then exposes it, so that the other shares are read from the buffers (and
 * caches) of all ranks instead of one. */
#include "algo/shape.h"
#include "algo/shared.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int p = q->p, r = q->r, root = q->root;

    (void)prm;
    atn_split(b, p);
    atn_exposures(b, 1);
    if (r == root) { /* every rank reads its own share here, and that of the root */
        atn_close(b, atn_expose(b, atn_dst(0, p), 2 * (p - 1)));
        return;
    }
    atn_read(b, root, 0, (atn_range){0, r}, atn_dst(r, 1));
    atn_round(b);
    const int mine = atn_expose(b, atn_dst(r, 1), p - 2);
    for (int i = 1; i < p; i++) {
        const int from = atn_algo_ring(q, i);
        const atn_range before = {0, from == root ? root : 0};
        atn_read(b, from, 0, before, atn_dst(from, 1));
    }
    atn_close(b, mine);
}

const atn_algo atn_algo_bcast_shared_scatter_allgather = {
    .name = "shared_scatter_allgather",
    .summary = "shared memory: every rank copies a share from the root, the others from all ranks",
    .reference =
        "Chakraborty, Subramoni, Panda: Contention-aware kernel-assisted MPI collectives for "
        "multi-/many-core systems (MVAPICH), 2017",
    .cost = "min(p - 1, 1) * (p * a + b * n)",
    .needs = ATN_NEEDS_SHARED,
    .shares = true,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
