/* Allgather, then reduce: every rank collects the operands of all ranks, by any allgather, and
 * combines them locally.  For messages so small that only the number of rounds matters. */
#include <stdlib.h>

#include "algo/algo.h"
#include "algo/fold.h"

static const char *const words[] = {"bruck",
                                    "recursive_doubling",
                                    "ring",
                                    "neighbor",
                                    "circulant",
                                    "sparbit",
                                    "spread",
                                    "pairwise",
                                    "xor",
                                    "double_ring",
                                    "recursive_halving",
                                    "recursive_multiplying",
                                    "mesh",
                                    "bine",
                                    "linear",
                                    NULL};

static const atn_param params[] = {
    {"gather", ATN_WORD, 0, 0, 14, ATN_LINEAR, "allgather algorithm for the operands", words},
    {0},
};

/* Scratch for the operands of all ranks, all of the same shape. */
static void collect(atn_builder *b, const atn_problem *q, const atn_algo_use *gather, int all)
{
    const atn_problem inner = {.op = ATN_ALLGATHER, .p = q->p, .r = q->r, .segments = 1};
    int *alike = calloc((size_t)q->p, sizeof *alike);

    if (!alike)
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    else
        atn_algo_embed_part(b,
                            &(atn_embed){.q = &inner,
                                         .src = {.at = atn_src(0, 1), .each = 1},
                                         .dst = {.at = atn_tmp_at(all, 0, 1), .each = 1},
                                         .vec = {.each = 1, .index = alike}},
                            gather);
    free(alike);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int all = atn_tmp_like(b, 0, q->p);
    const atn_algo_use gather = atn_algo_part(ATN_ALLGATHER, &params[0], prm->v[0]);

    collect(b, q, &gather, all);
    atn_fence(b);
    atn_algo_fold_scratch(b, all, q->p, atn_dst(0, 1));
}

static const char *refuses(const atn_problem *q, const atn_params *prm)
{
    return atn_algo_part_refuses(ATN_ALLGATHER, &params[0], prm->v[0], q);
}

const atn_algo atn_algo_allreduce_allgather_reduce = {
    .name = "allgather_reduce",
    .summary = "allgather of all operands, then local reduction",
    .reference = "Faraj, Yuan: Automatic generation and tuning of MPI collective communication "
                 "routines, 2005",
    .cost = "allgather(gather, p, n) + (p - 1) * g * n",
    .klass = ATN_COORDINATED,
    .group = "latency",
    .params = params,
    .parts = {ATN_ALLGATHER},
    .refuses = refuses,
    .build = build,
};
