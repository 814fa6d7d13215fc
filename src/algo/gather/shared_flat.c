/* Flat gather in shared memory: the root copies the blocks of all ranks from their buffers. */
#include "algo/shape.h"
#include "algo/shared.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_exposures(b, 1);
    if (q->r != q->root) {
        atn_close(b, atn_expose(b, atn_src(0, 1), 1));
        return;
    }
    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    for (int i = 1; i < q->p; i++) {
        const int from = atn_algo_ring(q, i);
        atn_read(b, from, 0, ATN_WHOLE, atn_dst(from, 1));
    }
}

const atn_algo atn_algo_gather_shared_flat = {
    .name = "shared_flat",
    .summary = "shared memory: the root copies the blocks of all ranks from their buffers",
    .reference =
        "Chakraborty, Subramoni, Panda: Contention-aware kernel-assisted MPI collectives for "
        "multi-/many-core systems (MVAPICH), 2017",
    .cost = "(p - 1) * (a + b * n)",
    .needs = ATN_NEEDS_SHARED,
    .klass = ATN_DIRECT,
    .group = "bandwidth",
    .build = build,
};
