/* shares.c - see shares.h. */
#include "algo/shares.h"

const char *const atn_algo_gather_words[] = {"ring",        "bruck", "bine",     "circulant",
                                             "double_ring", "mesh",  "neighbor", "sparbit",
                                             "spread",      "xor",   NULL};

atn_group atn_algo_group_all(atn_builder *b, const atn_problem *q)
{
    atn_split(b, q->p);
    return (atn_group){.p = q->p, .r = q->r, .each = 1, .ordered = q->ordered};
}

static atn_view view(const atn_group *g, atn_ref at)
{
    return (atn_view){.at = at, .each = g->each};
}

atn_ref atn_algo_own_share(const atn_group *g)
{
    return atn_dst(g->first + g->r * g->each, g->each);
}

void atn_algo_shares_scatter(atn_builder *b, const atn_group *g, atn_ref from, atn_ref to,
                             const atn_algo_use *part)
{
    const atn_problem q = {
        .op = ATN_REDUCE_SCATTER_BLOCK, .p = g->p, .r = g->r, .ordered = g->ordered, .segments = 1};

    atn_algo_embed_part(b,
                        &(atn_embed){.q = &q,
                                     .ranks = g->ranks,
                                     .src = view(g, from),
                                     .dst = view(g, to),
                                     .vec = view(g, atn_dst(g->first, 1))},
                        part);
}

void atn_algo_shares_gather(atn_builder *b, const atn_group *g, const atn_algo_use *part)
{
    const atn_problem q = {.op = ATN_ALLGATHER, .p = g->p, .r = g->r, .segments = 1};
    const atn_ref all = atn_dst(g->first, 1);

    atn_algo_embed_part(b,
                        &(atn_embed){.q = &q,
                                     .ranks = g->ranks,
                                     .src = view(g, atn_algo_own_share(g)),
                                     .dst = view(g, all),
                                     .vec = view(g, all)},
                        part);
}

void atn_algo_shares_allreduce(atn_builder *b, const atn_group *g, atn_ref from,
                               const atn_algo_use *scatter, const atn_algo_use *gather)
{
    atn_algo_shares_scatter(b, g, from, atn_algo_own_share(g), scatter);
    atn_round(b);
    atn_algo_shares_gather(b, g, gather);
}
