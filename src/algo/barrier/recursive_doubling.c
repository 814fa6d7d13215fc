/* Recursive doubling: partners whose numbers differ in one bit signal each other, bit by bit.
 * Ranks beyond the largest power of two signal, and are released by, a rank below it.
 *
 *   p = 6   in: 4->0 5->1   bits: 0-1 2-3, 0-2 1-3   out: 0->4 1->5 */
#include "algo/algo.h"
#include "algo/shape.h"

static void run_extra(atn_builder *b, int proxy, int rounds)
{
    atn_sync_send(b, proxy);
    atn_algo_rounds(b, rounds + 1);
    atn_sync_recv(b, proxy);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int core = atn_algo_pow2_below(q->p), r = q->r;

    (void)prm;
    if (r >= core) {
        run_extra(b, r - core, atn_floor_log2(q->p));
        return;
    }
    if (r + core < q->p)
        atn_sync_recv(b, r + core);
    for (int bit = 1; bit < core; bit *= 2) {
        atn_round(b);
        atn_sync_send(b, r ^ bit);
        atn_sync_recv(b, r ^ bit);
    }
    atn_round(b);
    if (r + core < q->p)
        atn_sync_send(b, r + core);
}

const atn_algo atn_algo_barrier_recursive_doubling = {
    .name = "recursive_doubling",
    .summary = "recursive doubling: partners that differ in one bit signal each other",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "(floor(log2(p)) + 2 * (1 - pow2(p))) * a",
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
