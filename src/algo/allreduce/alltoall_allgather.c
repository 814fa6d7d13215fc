/* Alltoall, then allgather: every rank receives all operands of its share at once, combines them in
 * rank order, and distributes the result.  Optimal in bytes, for every operator; only the second
 * half waits for a reduction.
 *
 *   p = 3, rank 1   receive share 1 of 0 and 2, send shares 0 and 2   combine   allgather */
#include "algo/fold.h"
#include "algo/shares.h"

static const char *const exchange_words[] = {"spread", "pairwise", "xor", NULL};

static const atn_param params[] = {
    {"exchange", ATN_WORD, 0, 0, 2, ATN_LINEAR, "exchange algorithm for the operands of each share",
     exchange_words},
    {"gather", ATN_WORD, 0, 0, ATN_GATHER_LAST, ATN_LINEAR,
     "allgather algorithm for the reduced shares", atn_algo_gather_words},
    {0},
};

/* Scratch for the operands of the rank's own share, all of its shape. */
static void exchange(atn_builder *b, const atn_problem *q, const atn_algo_use *part, int operands)
{
    const atn_problem inner = {.op = ATN_ALLTOALL, .p = q->p, .r = q->r, .segments = 1};

    atn_algo_embed_part(b,
                        &(atn_embed){.q = &inner,
                                     .src = {.at = atn_src(0, 1), .each = 1},
                                     .dst = {.at = atn_tmp_at(operands, 0, 1), .each = 1},
                                     .vec = {.each = 1}},
                        part);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_group all = atn_algo_group_all(b, q);
    const int operands = atn_tmp_like(b, q->r, q->p);
    const atn_algo_use first = atn_algo_part(ATN_ALLTOALL, &params[0], prm->v[0]);
    const atn_algo_use gather = atn_algo_part(ATN_ALLGATHER, &params[1], prm->v[1]);

    exchange(b, q, &first, operands);
    atn_fence(b);
    atn_algo_fold_scratch(b, operands, q->p, atn_algo_own_share(&all));
    atn_round(b);
    atn_algo_shares_gather(b, &all, &gather);
}

static const char *refuses(const atn_problem *q, const atn_params *prm)
{
    const char *why = atn_algo_part_refuses(ATN_ALLTOALL, &params[0], prm->v[0], q);

    return why ? why : atn_algo_part_refuses(ATN_ALLGATHER, &params[1], prm->v[1], q);
}

const atn_algo atn_algo_allreduce_alltoall_allgather = {
    .name = "alltoall_allgather",
    .summary = "alltoall of shares, local reduction, then allgather",
    .reference = "Faraj, Yuan: Automatic generation and tuning of MPI collective communication "
                 "routines, 2005",
    .cost = "alltoall(exchange, p, n / p) + (p - 1) * g * n / p + allgather(gather, p, n / p)",
    .most_ranks = 1024,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .params = params,
    .parts = {ATN_ALLTOALL, ATN_ALLGATHER},
    .refuses = refuses,
    .build = build,
};
