/* Flat broadcast in shared memory: the root exposes the message and all other ranks copy it. */
#include "algo/shared.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_exposures(b, 1);
    if (q->r == q->root)
        atn_close(b, atn_expose(b, atn_dst(0, 1), q->p - 1));
    else
        atn_read(b, q->root, 0, ATN_WHOLE, atn_dst(0, 1));
}

const atn_algo atn_algo_bcast_shared_flat = {
    .name = "shared_flat",
    .summary = "shared memory: all ranks copy the message from the root's buffer",
    .reference =
        "Chakraborty, Subramoni, Panda: Contention-aware kernel-assisted MPI collectives for "
        "multi-/many-core systems (MVAPICH), 2017",
    .cost = "min(p - 1, 1) * (a + b * n)",
    .needs = ATN_NEEDS_SHARED,
    .klass = ATN_DIRECT,
    .group = "latency",
    .build = build,
};
