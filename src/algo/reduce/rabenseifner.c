/* Rabenseifner's reduce: recursive halving leaves each rank with one combined share, a binomial
 * tree gathers the shares at the root.  Halving needs a power of two: ranks beyond it, counted from
 * the root, first give their operand to a rank below it.
 *
 *   p = 5, root 0   4->0   halves 0-2 1-3   quarters 0-1 2-3   1->0 3->2   2->0 */
#include <stdlib.h>

#include "algo/algo.h"
#include "algo/halving.h"

/* Inside the power of two, where the root is rank 0. */
static void halve_and_gather(atn_builder *b, const atn_problem *q, const void *context)
{
    const atn_halving h = {.core = {q->p, q->p}, .meeting = ATN_FAR};
    const atn_tree t = atn_tree_binomial(q->p, q->r, 0);
    atn_fold f = atn_fold_begin(q, atn_src(0, q->p));

    (void)context;
    atn_split(b, q->p);
    f.one_room = true;
    atn_halve(b, q, &h, &f);
    const atn_ref store = atn_tree_store(b, &t, atn_dst(0, q->p), f.value);
    if (q->r % 2 == 0) /* odd ranks are leaves: they send what they have */
        atn_copy(b, f.value, atn_tree_part(&t, store, q->r, 1));
    atn_round(b);
    atn_tree_collect(b, &t, store);
}

/* What a rank of the core begins with: its operand, or the sum of it and a guest's. */
static atn_ref begin(atn_builder *b, const atn_problem *q, int size)
{
    const int v = atn_relative(q), guest = v + size;
    atn_fold f = atn_fold_own(q, v == 0 ? -1 : q->root, 0, size);

    if (guest < q->p)
        atn_fold_recv(b, q, &f, atn_absolute(q, guest));
    atn_round(b);
    return f.value;
}

static void work(atn_builder *b, const atn_problem *q, int size)
{
    const atn_problem core = {.op = ATN_REDUCE, .p = size, .r = atn_relative(q), .pieces = 1};
    int *ranks = malloc(sizeof *ranks * (size_t)size);

    for (int i = 0; ranks && i < size; i++)
        ranks[i] = atn_absolute(q, i);
    if (ranks)
        atn_embed_run(b, &(atn_embed){.q = &core,
                                      .ranks = ranks,
                                      .src = {.at = begin(b, q, size), .each = size},
                                      .dst = {.at = atn_dst(0, 1), .each = size},
                                      .vec = {.each = size},
                                      .build = halve_and_gather});
    else
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    free(ranks);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int size = atn_pow2_below(q->p), v = atn_relative(q);

    (void)prm;
    atn_split(b, size);
    if (v < size)
        work(b, q, size);
    else
        atn_send(b, atn_absolute(q, v - size), atn_src(0, size));
}

const atn_algo atn_algo_reduce_rabenseifner = {
    .name = "rabenseifner",
    .summary = "recursive halving, then a binomial gather",
    .reference = "Rabenseifner: Optimization of collective reduction operations, 2004",
    .cost = "let(core, 2^floor(log2(p)), 2 * log2(core) * a + (2 * b + g) * n * (1 - 1 / core)"
            " + (1 - pow2(p)) * (a + (b + g) * n))",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .build = build,
};
