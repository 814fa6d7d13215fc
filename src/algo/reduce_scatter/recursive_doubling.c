/* Recursive doubling reduce-scatter: partners that differ in one bit exchange partial results, as
 * in allreduce/recursive_doubling, but only blocks that are still needed: the other's own block,
 * and the blocks of the ranks outside both groups, which are forwarded later.  Every operator is
 * supported, and messages consist of a few long runs of blocks.
 *
 *   p = 4, rank 1   with 0: send 0, 2-3, receive 1-3   with 3: send 3, receive 1 */
#include "algo/algo.h"
#include "algo/core.h"

/* The blocks still needed by a rank that has exchanged with its group: its own, those outside. */
static int useful(const atn_core *core, int number, int group, atn_range list[3])
{
    const int lo = atn_algo_core_rank(core, number & -group);
    const int hi = atn_algo_core_rank(core, (number & -group) + group);

    list[0] = (atn_range){0, lo};
    list[1] = (atn_range){atn_algo_core_rank(core, number), 1 + atn_algo_core_extras(core, number)};
    list[2] = (atn_range){hi, core->p - hi};
    return 3;
}

static void work(atn_builder *b, const atn_problem *q, const atn_core *core, atn_fold *f,
                 const void *context)
{
    const int number = atn_algo_core_number(core, q->r);
    atn_range theirs[3], mine[3];

    (void)context;
    for (int bit = 1; bit < core->size; bit *= 2) {
        const int peer = atn_algo_core_rank(core, number ^ bit);
        atn_algo_rounds(b, bit > 1);
        int n = useful(core, number ^ bit, 2 * bit, theirs);
        atn_send(b, peer, atn_ranges(f->value, theirs, n));
        n = useful(core, number, 2 * bit, mine);
        atn_algo_fold_keep(f, mine, n);
        atn_algo_fold_recv(b, q, f, peer);
    }
    f->list = NULL;
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_core core = atn_algo_core_pow2(q->p);

    (void)prm;
    atn_algo_core_scatter(b, q, &(atn_core_work){&core, atn_floor_log2(core.size), work, NULL},
                          q->r);
}

const atn_algo atn_algo_reduce_scatter_recursive_doubling = {
    .name = "recursive_doubling",
    .summary = "recursive doubling that exchanges only blocks still needed",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    /* The last proxy starts late, and its groups have fewer own blocks than those of other
     * proxies. */
    .cost = "let(l, floor(log2(p)), let(pairs, p - 2^l, sum(i, 1, l, a + (b + g) * n * (p - 2^i + 1"
            " - min(pairs, 1) * (pairs - 1 - 2^i * floor((pairs - 1) / 2^i))))"
            " + min(pairs, 1) * (2 * a + (b + g) * n * p + b * n)))",
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
