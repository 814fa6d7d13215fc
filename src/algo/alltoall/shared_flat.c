/* Flat alltoall in shared memory: every rank exposes its blocks and copies the one for it from
 * every other rank, beginning with its successor. */
#include "algo/shape.h"
#include "algo/shared.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_ref own = atn_src(q->r, 1);
    const bool hollow = !atn_overlap(b, own, own); /* levels exchange own blocks elsewhere */

    (void)prm;
    atn_exposures(b, 1);
    const int mine = atn_expose(b, atn_src(0, q->p), q->p - 1);
    atn_copy(b, own, atn_dst(q->r, 1));
    for (int i = 1; i < q->p; i++) {
        const int from = atn_algo_ring(q, i);
        const int before = q->r - (hollow && from < q->r);
        atn_read(b, from, 0, (atn_range){0, before}, atn_dst(from, 1));
    }
    atn_close(b, mine);
}

const atn_algo atn_algo_alltoall_shared_flat = {
    .name = "shared_flat",
    .summary = "shared memory: every rank copies its block from the buffers of all others",
    .reference =
        "Chakraborty, Subramoni, Panda: Contention-aware kernel-assisted MPI collectives for "
        "multi-/many-core systems (MVAPICH), 2017",
    .cost = "(p - 1) * (a + b * n)",
    .needs = ATN_NEEDS_SHARED,
    .klass = ATN_DIRECT,
    .group = "bandwidth",
    .build = build,
};
