/* Recursive doubling: partners that differ in one bit exchange their partial results; after log2 p
 * rounds all ranks have the result.  A partial result always covers a run of consecutive ranks, so
 * every operator is supported.  Beyond a power of two, the first ranks work in pairs of which only
 * the lower one takes part in the exchanges.
 *
 *   p = 6   1->0 3->2   (01)-(23) 4-5   (01)-4 (23)-5   0->1 2->3 */
#include "algo/algo.h"
#include "algo/core.h"

static void play(atn_builder *b, const atn_problem *q, const atn_core *core, atn_fold *f,
                 const void *context)
{
    (void)context;
    for (int bit = 1; bit < core->size; bit *= 2) {
        const int peer = atn_algo_core_rank(core, atn_algo_core_number(core, q->r) ^ bit);
        atn_algo_rounds(b, bit > 1);
        atn_send(b, peer, f->value);
        atn_algo_fold_recv(b, q, f, peer);
    }
    atn_copy(b, f->value, atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_core core = atn_algo_core_pow2(q->p);

    (void)prm;
    atn_algo_core_allreduce(b, q, &(atn_core_work){&core, atn_floor_log2(core.size), play, NULL},
                            1);
}

const atn_algo atn_algo_allreduce_recursive_doubling = {
    .name = "recursive_doubling",
    .summary =
        "recursive doubling: partners at doubling distances exchange and combine partial results",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "(floor(log2(p)) + 1 - pow2(p)) * (a + b * n + g * n) + (1 - pow2(p)) * (a + b * n)",
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
