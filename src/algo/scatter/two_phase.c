/* Two-phase synchronised scatter: a rank signals the root that it is ready; the root sends it the
 * first half of its block and, while the second half is in flight, continues with the next rank.
 * Nothing is sent to a rank that is not ready to receive.
 *
 *   p = 3   1 and 2: ready   0: half to 1   0: half to 1   0: half to 2   0: half to 2 */
#include "algo/algo.h"
#include "algo/shape.h"

/* The halves for a rank wait only for its signal. */
static void serve(atn_builder *b, int rank)
{
    const int word = atn_here(b);

    atn_token_recv(b, rank);
    for (int half = 0; half < 2; half++) {
        atn_round(b);
        atn_send(b, rank, atn_src(2 * rank + half, 1));
        atn_after(b, word);
    }
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_split(b, 2);
    if (q->r != q->root) {
        atn_token_send(b, q->root);
        atn_algo_rounds(b, 2 * atn_algo_relative(q) - 1);
        atn_recv(b, q->root, atn_dst(0, 1));
        atn_round(b);
        atn_recv(b, q->root, atn_dst(1, 1));
        return;
    }
    for (int v = 1; v < q->p; v++)
        serve(b, atn_algo_absolute(q, v));
    atn_copy(b, atn_src(2 * q->r, 2), atn_dst(0, 2));
}

const atn_algo atn_algo_scatter_two_phase = {
    .name = "two_phase",
    .summary = "ranks signal that they are ready; the root sends each block in two halves",
    .reference = "linear scatter with synchronisation, folklore",
    .cost = "min(p - 1, 1) * a + (p - 1) * (2 * a + b * n)",
    .klass = ATN_COORDINATED,
    .group = "contention",
    .build = build,
};
