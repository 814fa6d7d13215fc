/* Torus alltoall: ranks form a torus of nearly equal sides.  Blocks are forwarded around the rings
 * of its first dimension until they reach their column, then around those of the next: only
 * neighbours communicate, and paths are much shorter than around one ring of all ranks.
 *
 *   p = 6 as 2 x 3, rank 0   to 1: blocks 1, 3, 5   to 2: own blocks 2, 4 and those of rank 1 */
#include "algo/algo.h"
#include "algo/relay.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_digits torus = atn_algo_digits_mesh(q->p, (int)prm->v[0]);
    atn_relay x;
    const bool ok = atn_algo_relay_begin(&x, b, q, &torus);

    for (int i = 0; ok && i < torus.n; i++)
        for (int step = 1; step < torus.radix[i]; step++, atn_round(b)) {
            const int w = torus.weight[i], side = torus.radix[i];
            const atn_comb left = {step * w, (side - step) * w, side * w};
            atn_algo_relay_send(&x, atn_algo_digits_turn(&torus, q->r, i, 1), left);
            atn_algo_relay_recv(&x, atn_algo_digits_turn(&torus, q->r, i, -1), left);
            atn_algo_relay_turn(&x);
        }
    atn_algo_relay_end(&x);
}

const atn_algo atn_algo_alltoall_torus = {
    .name = "torus",
    .summary = "blocks are forwarded around the rings of a torus, dimension by dimension",
    .reference = "Scott: Efficient all-to-all communication patterns in hypercube and mesh "
                 "topologies, 1991",
    .cost = ATN_MESH_SIDES("(x + y + p / x / y - 3) * (a + b * n * p / 2)"),
    .needs = ATN_NEEDS_COMPOSITE | ATN_NEEDS_SIZES,
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "contention",
    .params = atn_algo_mesh_params,
    .refuses = atn_algo_mesh_refuses,
    .build = build,
};
