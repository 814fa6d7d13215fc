/* Reduce-scatter, then allgather, with any algorithms: every rank has a share, for any number of
 * ranks. */
#include "algo/shares.h"

static const char *const scatter_words[] = {"pairwise",  "butterfly", "recursive_halving",
                                            "circulant", "ring",      NULL};

static const atn_param params[] = {
    {"scatter", ATN_WORD, 0, 0, 4, ATN_LINEAR, "reduce-scatter algorithm", scatter_words},
    {"gather", ATN_WORD, 0, 0, ATN_GATHER_LAST, ATN_LINEAR,
     "allgather algorithm for the reduced shares", atn_algo_gather_words},
    {0},
};

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_group all = atn_algo_group_all(b, q);
    const atn_algo_use scatter = atn_algo_part(ATN_REDUCE_SCATTER_BLOCK, &params[0], prm->v[0]);
    const atn_algo_use gather = atn_algo_part(ATN_ALLGATHER, &params[1], prm->v[1]);

    atn_algo_shares_allreduce(b, &all, atn_src(0, 1), &scatter, &gather);
}

static const char *refuses(const atn_problem *q, const atn_params *prm)
{
    const char *why = atn_algo_part_refuses(ATN_REDUCE_SCATTER_BLOCK, &params[0], prm->v[0], q);

    return why ? why : atn_algo_part_refuses(ATN_ALLGATHER, &params[1], prm->v[1], q);
}

const atn_algo atn_algo_allreduce_reduce_scatter_allgather = {
    .name = "reduce_scatter_allgather",
    .summary = "reduce-scatter of p shares, then allgather",
    .reference = "Faraj, Yuan: Automatic generation and tuning of MPI collective communication "
                 "routines, 2005",
    .cost = "reduce_scatter_block(scatter, p, n / p) + allgather(gather, p, n / p)",
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .params = params,
    .parts = {ATN_REDUCE_SCATTER_BLOCK, ATN_ALLGATHER},
    .refuses = refuses,
    .build = build,
};
