/* Reduce to rank 0, then broadcast, with any algorithms; by default along the same tree. */
#include "algo/algo.h"

static const char *const up_words[] = {"binomial", "knomial",        "chain",  "line",
                                       "binary",   "inorder_binary", "linear", NULL};
static const char *const down_words[] = {"binomial",     "knomial", "chain",  "linear",
                                         "kary",         "mesh",    "postal", "scatter_allgather",
                                         "split_binary", NULL};

static const atn_param params[] = {
    {"up", ATN_WORD, 0, 0, 6, ATN_LINEAR, "reduce algorithm", up_words},
    {"down", ATN_WORD, 0, 0, 8, ATN_LINEAR, "broadcast algorithm", down_words},
    {0},
};

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_view result = {.at = atn_dst(0, 1), .each = 1};
    const atn_algo_use reduce = atn_algo_part(ATN_REDUCE, &params[0], prm->v[0]);
    const atn_algo_use bcast = atn_algo_part(ATN_BCAST, &params[1], prm->v[1]);
    atn_problem up = *q, down = *q;

    up.op = ATN_REDUCE;
    down.op = ATN_BCAST;
    atn_algo_embed_part(
        b,
        &(atn_embed){
            .q = &up, .src = {.at = atn_src(0, 1), .each = 1}, .dst = result, .vec = {.each = 1}},
        &reduce);
    atn_round(b);
    atn_algo_embed_part(b, &(atn_embed){.q = &down, .dst = result, .vec = {.each = 1}}, &bcast);
}

static const char *refuses(const atn_problem *q, const atn_params *prm)
{
    const char *why = atn_algo_part_refuses(ATN_REDUCE, &params[0], prm->v[0], q);

    return why ? why : atn_algo_part_refuses(ATN_BCAST, &params[1], prm->v[1], q);
}

/* Of the broadcast; the closed forms of reductions do not use it. */
static int depth(const atn_problem *q, const atn_params *prm)
{
    return atn_algo_part_depth(ATN_BCAST, &params[1], prm->v[1], q);
}

const atn_algo atn_algo_allreduce_reduce_bcast = {
    .name = "reduce_bcast",
    .summary = "reduce to rank 0, then broadcast",
    .reference = "folklore",
    .cost = "reduce(up, p, n) + bcast(down, p, n)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "messages",
    .params = params,
    .parts = {ATN_REDUCE, ATN_BCAST},
    .depth = depth,
    .refuses = refuses,
    .build = build,
};
