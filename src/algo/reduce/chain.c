/* Chain reduce: a partial result travels from the root's left neighbour round the ring to the root,
 * every rank adding its operand; in pieces it is a pipeline whose time hardly depends on p. */
#include "algo/algo.h"
#include "algo/fold.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int v = atn_relative(q);
    const bool root = v == 0;
    atn_fold f = atn_fold_begin(q, root ? atn_dst(0, 1) : atn_src(0, 1));

    (void)prm;
    if (root)
        atn_copy(b, atn_src(0, 1), atn_dst(0, 1));
    if (v < q->p - 1) {
        atn_rounds(b, q->p - 2 - v);
        atn_recv(b, atn_ring(q, 1), atn_fold_room(b, &f));
        atn_fold_take(b, &f, false);
    }
    if (root)
        return;
    atn_rounds(b, v < q->p - 1);
    atn_send(b, atn_ring(q, -1), f.value);
    atn_rounds(b, v - 1);
}

const atn_algo atn_algo_reduce_chain = {
    .name = "chain",
    .summary = "a partial result travels from rank to rank; in pieces, a pipeline",
    .reference = "Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, 2007",
    .cost = "(p - 1) * (a + b * n / k + g * n / k)"
            " + min(p - 1, 1) * (k - 1) * max(a + b * n / k, g * n / k)",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
