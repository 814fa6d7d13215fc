/* Gather, then broadcast: all blocks are gathered at rank 0 along a binomial tree and broadcast as
 * one message.
 *
 *   p = 4   1->0 3->2   2-3: 2->0   all: 0->2   all: 0->1 2->3 */
#include "algo/algo.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_problem up = {.op = ATN_GATHER, .p = q->p, .r = q->r, .segments = 1};
    const atn_problem down = {.op = ATN_BCAST, .p = q->p, .r = q->r, .segments = 1};
    const int all[] = {0, q->p}; /* all blocks form one message */
    const atn_view blocks = {.at = atn_dst(0, 1), .each = 1};
    const atn_view message = {.at = atn_dst(0, 1), .each = 1, .first = all};

    (void)prm;
    atn_algo_embed_algo(
        b,
        &(atn_embed){
            .q = &up, .src = {.at = atn_src(0, 1), .each = 1}, .dst = blocks, .vec = blocks},
        &atn_algo_rooted_binomial, NULL);
    atn_round(b);
    atn_algo_embed_algo(b, &(atn_embed){.q = &down, .dst = message, .vec = message},
                        &atn_algo_bcast_binomial, NULL);
}

const atn_algo atn_algo_allgather_gather_bcast = {
    .name = "gather_bcast",
    .summary = "binomial gather to rank 0, then binomial broadcast",
    .reference = "Faraj, Yuan: Automatic generation and tuning of MPI collective communication "
                 "routines, 2005",
    .cost = "ceil(log2(p)) * (2 * a + b * n * p) + (p - 1) * b * n",
    .passes = ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .build = build,
};
