/* Doubling exscan: as the doubling scan, with two sums per rank: of the run of ranks that ends with
 * it, which it forwards, and of the same run without itself, which is its result.  Two receive
 * buffers let a message arrive while the previous one is combined. */
#include "algo/algo.h"
#include "algo/shape.h"

static atn_ref scratch(atn_builder *b) { return atn_tmp_at(atn_tmp(b, 0, 1), 0, 1); }

/* Combines the sum of the rank d below; the first one becomes the result. */
static void take(atn_builder *b, const atn_problem *q, int d, atn_ref run, atn_ref room)
{
    const atn_ref got = d == 1 ? atn_dst(0, 1) : room;

    atn_recv(b, q->r - d, got);
    if (q->r + 2 * d < q->p) /* the rank sends in the next round */
        atn_reduce(b, got, run);
    if (d > 1)
        atn_reduce(b, room, atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_ref run = scratch(b), room[2] = {scratch(b), scratch(b)};

    (void)prm;
    if (q->r < q->p - 1)
        atn_copy(b, atn_src(0, 1), run);
    for (int d = 1, i = 0; d < q->p; d *= 2, i++) {
        atn_algo_rounds(b, i > 0);
        if (q->r + d < q->p)
            atn_send(b, q->r + d, run);
        if (q->r - d >= 0)
            take(b, q, d, run, room[i % 2]);
    }
}

const atn_algo atn_algo_exscan_recursive_doubling = {
    .name = "recursive_doubling",
    .summary = "runs of ranks double in length",
    .reference = "Hillis, Steele: Data parallel algorithms, 1986",
    /* Reductions for the result overlap with messages unless they are slower (the second max). */
    .cost = "let(m, a + b * n, let(c, g * n, let(l, ceil(log2(p)),"
            " let(late, ceil(p / (3 * 2^(l - 2))) - 1,"
            " max(l * m + min(1, max(0, p - 2)) * (l - 1 + late) * c,"
            " min(1, max(0, p - 4)) * max(2 * m + 3 * c, 3 * m + (2 * l - 4 + late) * c))))))",
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
