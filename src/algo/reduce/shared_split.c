/* Split reduce in shared memory: every rank combines its share of the message from the buffers of
 * all ranks, in rank order; the root then copies the shares. */
#include "algo/shape.h"
#include "algo/shared.h"

/* The operand of the root may lie in its result: others must have read it before. */
static void collect(atn_builder *b, const atn_problem *q, atn_ref sum, int operand)
{
    atn_close(b, operand);
    atn_copy(b, sum, atn_dst(q->r, 1));
    for (int i = 1; i < q->p; i++) {
        const int from = atn_algo_ring(q, i);
        atn_read(b, from, 1, ATN_WHOLE, atn_dst(from, 1));
    }
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int p = q->p, r = q->r;
    const bool root = r == q->root;

    (void)prm;
    atn_split(b, p);
    atn_exposures(b, 2);
    const int operand = atn_expose(b, atn_src(0, p), p - 1);
    const atn_ref sum = root ? atn_algo_shared_room(b, atn_src(0, p), atn_dst(r, 1), r, 1)
                             : atn_tmp_at(atn_tmp(b, r, 1), 0, 1);
    atn_algo_shared_fold(b, q, 0, (atn_range){0, r}, atn_src(r, 1), sum);
    atn_round(b);
    if (root) {
        collect(b, q, sum, operand);
        return;
    }
    const int share = atn_expose(b, sum, 1);
    atn_close(b, operand);
    atn_close(b, share);
}

const atn_algo atn_algo_reduce_shared_split = {
    .name = "shared_split",
    .summary =
        "shared memory: every rank combines a share of all operands, the root copies the shares",
    .reference =
        "Jain, Kaleem, Balmana et al.: Framework for scalable intra-node collective operations "
        "using shared memory (MPICH release-gather), 2018",
    .cost = "(p - 1) * (2 * a + (2 * b + g) * n / p)",
    .needs = ATN_NEEDS_SHARED,
    .shares = true,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .build = build,
};
