/* One-two-three doubling: a rank collects the operands of the ranks directly below, without its
 * own, so that from the third round on it forwards its result and reduces only once per round.  The
 * first two rounds, to the ranks one and two further on, include the rank's own operand.
 *
 *   p = 8, rank 4   round 1: from 3   round 2: from 2 (1, 2)   round 3: from 1 (0) */
#include "algo/algo.h"
#include "algo/shape.h"

static void take(atn_builder *b, const atn_problem *q, int d, atn_ref room)
{
    atn_recv(b, q->r - d, room);
    atn_reduce(b, room, atn_dst(0, 1));
}

/* Sends the operand one rank further on, and the sum of the last two operands two further on. */
static void begin(atn_builder *b, const atn_problem *q, atn_ref room)
{
    const atn_ref own = atn_tmp_at(atn_tmp(b, 0, 1), 0, 1);

    if (q->r + 1 < q->p) {
        atn_copy(b, atn_src(0, 1), own);
        atn_send(b, q->r + 1, own);
    }
    if (q->r > 0)
        atn_recv(b, q->r - 1, atn_dst(0, 1));
    atn_round(b);
    if (q->r + 2 < q->p) {
        if (q->r > 0)
            atn_reduce(b, atn_dst(0, 1), own);
        atn_send(b, q->r + 2, own);
    }
    if (q->r >= 2)
        take(b, q, 2, room);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_ref room = atn_tmp_at(atn_tmp(b, 0, 1), 0, 1);

    (void)prm;
    begin(b, q, room);
    for (int d = 3; d < q->p - 1; d *= 2) {
        atn_round(b);
        if (q->r > 0 && q->r + d < q->p)
            atn_send(b, q->r + d, atn_dst(0, 1));
        if (q->r > d)
            take(b, q, d, room);
    }
}

const atn_algo atn_algo_exscan_one_two_three = {
    .name = "one_two_three",
    .summary = "doubling that forwards results: one reduction per round",
    .reference = "Traff: Communication round and computation efficient exclusive prefix-sums "
                 "algorithms (for MPI_Exscan), 2025",
    .cost = "let(m, a + b * n, let(c, g * n, min(p - 1, 1) * m + min(1, max(0, p - 2)) * (m + c)"
            " + min(1, max(0, p - 3)) * c + levels((p - 1) / 3, 2) * (m + c)))",
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
