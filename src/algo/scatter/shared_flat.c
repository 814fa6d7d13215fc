/* Flat scatter in shared memory: every rank copies its block from the buffer of the root, all at
 * the same time. */
#include "algo/shared.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_exposures(b, 1);
    if (q->r != q->root) {
        atn_read(b, q->root, 0, (atn_range){0, q->r}, atn_dst(0, 1));
        return;
    }
    const int mine = atn_expose(b, atn_src(0, q->p), q->p - 1);
    atn_copy(b, atn_src(q->r, 1), atn_dst(0, 1));
    atn_close(b, mine);
}

const atn_algo atn_algo_scatter_shared_flat = {
    .name = "shared_flat",
    .summary = "shared memory: every rank copies its block from the root's buffer",
    .reference =
        "Chakraborty, Subramoni, Panda: Contention-aware kernel-assisted MPI collectives for "
        "multi-/many-core systems (MVAPICH), 2017",
    .cost = "min(p - 1, 1) * (a + b * n)",
    .needs = ATN_NEEDS_SHARED,
    .klass = ATN_DIRECT,
    .group = "bandwidth",
    .build = build,
};
