/* Allreduce for an arrival pattern: operands are combined in order of arrival, up to the last rank
 * (reduce/early), which only combines its own operand and broadcasts the result; by then all ranks
 * have arrived, so any broadcast works. */
#include "algo/early.h"

static const char *const down_words[] = {"binomial",     "knomial", "chain",  "linear",
                                         "kary",         "mesh",    "postal", "scatter_allgather",
                                         "split_binary", NULL};

static const atn_param params[] = {
    {"down", ATN_WORD, 0, 0, 8, ATN_LINEAR, "broadcast algorithm", down_words},
    {"shape", ATN_WORD, 0, 0, 1, ATN_LINEAR, "shape of the reduction (reduce/early)",
     (const char *const[]){"tree", "chain", NULL}},
    {0},
};

static void run_segment(atn_builder *b, const atn_problem *q, const void *context)
{
    const atn_view whole = {.at = atn_dst(0, 1), .each = 1};
    const bool up = q->op == ATN_REDUCE;

    atn_algo_embed_part(
        b,
        &(atn_embed){
            .q = q, .src = {.at = atn_src(0, 1), .each = up}, .dst = whole, .vec = {.each = 1}},
        context);
}

static void in_segments(atn_builder *b, const atn_problem *q, const void *context)
{
    atn_pass_segment(b, q, q->segments, run_segment, context);
}

/* All segments are combined before the first is broadcast: they have all arrived at the last
 * rank. */
static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_view result = {.at = atn_dst(0, 1), .each = 1};
    const atn_algo_use second = atn_algo_part(ATN_BCAST, &params[0], prm->v[0]);
    atn_algo_use first = atn_algo_part_named(ATN_REDUCE, "early");
    atn_problem up = *q, down = *q;

    first.prm.v[0] = prm->v[1];
    up.op = ATN_REDUCE;
    down.op = ATN_BCAST;
    up.root = down.root = atn_algo_early_last(q);
    atn_embed_run(b, &(atn_embed){.q = &up,
                                  .src = {.at = atn_src(0, 1), .each = 1},
                                  .dst = result,
                                  .vec = {.each = 1},
                                  .build = in_segments,
                                  .context = &first});
    atn_round(b);
    atn_embed_run(b, &(atn_embed){.q = &down,
                                  .dst = result,
                                  .vec = {.each = 1},
                                  .build = in_segments,
                                  .context = &second});
}

static const char *refuses(const atn_problem *q, const atn_params *prm)
{
    return atn_algo_part_refuses(ATN_BCAST, &params[0], prm->v[0], q);
}

static int depth(const atn_problem *q, const atn_params *prm)
{
    return atn_algo_part_depth(ATN_BCAST, &params[0], prm->v[0], q);
}

const atn_algo atn_algo_allreduce_early = {
    .name = "early",
    .summary = "arrival-aware: combined in order of arrival, broadcast by the last rank",
    .reference = "after Faraj, Patarasuk, Yuan: A study of process arrival patterns for MPI "
                 "collective operations, 2008",
    .cost = "min(p - 1, 1) * ((a + b * n + g * n)"
            " * (is(shape, 0) * ceil(log2(p)) + is(shape, 1) * (p - 1))"
            " - is(shape, 0) * (1 - pow2(p)) * min(a + b * n, g * n)) + bcast(down, p, n)",
    .needs = ATN_NEEDS_LATENESS | ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT,
    .segments_inside = true,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .params = params,
    .parts = {ATN_BCAST},
    .depth = depth,
    .refuses = refuses,
    .build = build,
};
