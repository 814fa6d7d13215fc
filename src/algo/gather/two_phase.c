/* Two-phase synchronised gather: the root requests the first half of a block from one rank after
 * the other; while the second half is in flight it requests the next one.  At most two ranks send
 * at a time, and no rank sends before the root is ready to receive.
 *
 *   p = 3   0: request 1   1: half   0: request 2, 1: half   2: half   2: half */
#include "algo/algo.h"
#include "algo/shape.h"

static void run_root(atn_builder *b, const atn_problem *q)
{
    int half = -1; /* the receive of the most recent first half */

    atn_copy(b, atn_src(0, 2), atn_dst(2 * q->r, 2));
    for (int v = 1; v <= q->p; v++) {
        const int rank = atn_algo_absolute(q, v % q->p), last = atn_algo_absolute(q, v - 1);
        if (v < q->p) {
            atn_token_send(b, rank);
            atn_after(b, half);
        }
        if (v > 1)
            atn_recv(b, last, atn_dst(2 * last + 1, 1));
        atn_round(b);
        half = atn_here(b);
        if (v < q->p)
            atn_recv(b, rank, atn_dst(2 * rank, 1));
        atn_round(b);
    }
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_split(b, 2);
    if (q->r == q->root) {
        run_root(b, q);
        return;
    }
    atn_algo_rounds(b, 2 * atn_algo_relative(q) - 2);
    atn_token_recv(b, q->root);
    for (int half = 0; half < 2; half++) {
        atn_fence(b);
        atn_round(b);
        atn_send(b, q->root, atn_src(half, 1));
    }
}

const atn_algo atn_algo_gather_two_phase = {
    .name = "two_phase",
    .summary = "the root requests each block in two halves, one rank after the other",
    .reference = "linear gather with synchronisation, as in Open MPI",
    .cost = "min(p - 1, 1) * a + (p - 1) * (2 * a + b * n)",
    .klass = ATN_COORDINATED,
    .group = "contention",
    .build = build,
};
