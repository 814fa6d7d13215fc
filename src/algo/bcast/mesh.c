/* Mesh broadcast: the message is divided into one share per column of a mesh of ranks; shares are
 * scattered along the root's row, each is broadcast down its column, and rows collect all shares.
 * A compromise between a tree (more bytes) and scatter-allgather (more messages).
 *
 *   p = 6 as 2 rows of 3, root 0   shares 0->2 0->1   0->3 1->4 2->5   rings 0-1-2 and 3-4-5 */
#include "algo/algo.h"
#include "algo/digits.h"
#include "algo/shape.h"

#include <stdlib.h>

typedef struct {
    atn_builder *b;
    const atn_problem *q;
    int *ranks; /* of the row or column */
} stage;

/* Runs another algorithm on n ranks: first, first + step, ... counted from the root. */
static void run(const stage *x, atn_operation op, const atn_algo *algo, int n, int first, int step,
                atn_view src, atn_view dst)
{
    const int me = (atn_algo_relative(x->q) - first) / step;
    const atn_problem inner = {.op = op, .p = n, .r = me, .segments = 1};

    for (int i = 0; i < n; i++)
        x->ranks[i] = atn_algo_absolute(x->q, first + i * step);
    atn_algo_embed_algo(
        x->b,
        &(atn_embed){.q = &inner, .ranks = x->ranks, .src = src, .dst = dst, .vec = {.each = 1}},
        algo, NULL);
    atn_round(x->b);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_digits mesh = atn_algo_digits_mesh(q->p, 2);
    const int columns = mesh.radix[1], rows = mesh.radix[0], v = atn_algo_relative(q),
              c = v % columns;
    const atn_view all = {.at = atn_dst(0, 1), .each = 1}, own = {.at = atn_dst(c, 1), .each = 1};
    const stage x = {b, q, malloc(sizeof *x.ranks * (size_t)q->p)};

    (void)prm;
    if (!x.ranks) {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
        return;
    }
    atn_split(b, columns);
    if (v < columns)
        run(&x, ATN_SCATTER, &atn_algo_rooted_binomial, columns, 0, 1, all, own);
    else
        atn_algo_rounds(b, atn_ceil_log2(columns));
    run(&x, ATN_BCAST, &atn_algo_bcast_binomial, rows, c, columns, own, own);
    run(&x, ATN_ALLGATHER, &atn_algo_allgather_ring, columns, v - c, 1, own, all);
    free(x.ranks);
}

const atn_algo atn_algo_bcast_mesh = {
    .name = "mesh",
    .summary = "scatter along a row, broadcast down the columns, allgather along rows",
    .reference = "Barnett et al.: Interprocessor collective communication library (InterCom), 1994",
    .cost = "let(r, most(i, 1, p^0.5, i * is(p / i, floor(p / i))), let(c, p / r,"
            " ceil(log2(c)) * a + (c - 1) * b * n / c + ceil(log2(r)) * (a + b * n / c)"
            " + (c - 1) * (a + b * n / c)))",
    .needs = ATN_NEEDS_COMPOSITE,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
