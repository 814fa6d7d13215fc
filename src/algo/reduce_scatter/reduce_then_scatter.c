/* Reduce, then scatter: the whole vector is reduced to rank 0, which then scatters it. */
#include "algo/algo.h"

static const char *const reduce_words[] = {"binomial", "knomial",        "chain", "line",
                                           "binary",   "inorder_binary", NULL};
static const char *const scatter_words[] = {"binomial", "knomial", "linear", NULL};

static const atn_param params[] = {
    {"up", ATN_WORD, 0, 0, 5, ATN_LINEAR, "reduce algorithm", reduce_words},
    {"down", ATN_WORD, 0, 0, 2, ATN_LINEAR, "scatter algorithm", scatter_words},
    {0},
};

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_problem up = {
        .op = ATN_REDUCE, .p = q->p, .r = q->r, .ordered = q->ordered, .segments = 1};
    const atn_problem down = {.op = ATN_SCATTER, .p = q->p, .r = q->r, .segments = 1};
    const int all = q->r == 0 ? atn_tmp(b, 0, q->p) : -1;
    const atn_algo_use reduce = atn_algo_part(ATN_REDUCE, &params[0], prm->v[0]);
    const atn_algo_use scatter = atn_algo_part(ATN_SCATTER, &params[1], prm->v[1]);

    atn_algo_embed_part(b,
                        &(atn_embed){.q = &up,
                                     .src = {.at = atn_src(0, 1), .each = q->p},
                                     .dst = {.at = atn_tmp_at(all, 0, 1), .each = q->p},
                                     .vec = {.each = q->p}},
                        &reduce);
    atn_round(b);
    atn_algo_embed_part(b,
                        &(atn_embed){.q = &down,
                                     .src = {.at = atn_tmp_at(all, 0, 1), .each = 1},
                                     .dst = {.at = atn_dst(0, 1), .each = 1},
                                     .vec = {.each = 1}},
                        &scatter);
}

static const char *refuses(const atn_problem *q, const atn_params *prm)
{
    const char *why = atn_algo_part_refuses(ATN_REDUCE, &params[0], prm->v[0], q);

    return why ? why : atn_algo_part_refuses(ATN_SCATTER, &params[1], prm->v[1], q);
}

const atn_algo atn_algo_reduce_scatter_reduce_then_scatter = {
    .name = "reduce_then_scatter",
    .summary = "reduce the whole vector to rank 0, then scatter it",
    .reference = "folklore",
    .cost = "reduce(up, p, p * n) + scatter(down, p, n)",
    .klass = ATN_STORE_FORWARD,
    .group = "messages",
    .params = params,
    .parts = {ATN_REDUCE, ATN_SCATTER},
    .refuses = refuses,
    .build = build,
};
