/* Direct allreduce: every rank sends its operand to all others at once and combines the received
 * operands locally, in rank order.  There is a single wait, so with oversubscription and tiny
 * messages context switches are fewest.
 *
 *   p = 3, rank 1   send to 2 and 0, receive from 0 and 2   combine 0, 1, 2 */
#include <stdlib.h>

#include "algo/algo.h"
#include "algo/fold.h"

static void exchange(atn_builder *b, const atn_problem *q, const atn_ref *operand)
{
    for (int i = 1; i < q->p; i++) {
        const int from = atn_algo_ring(q, -i);
        atn_algo_rounds(b, i > 1);
        atn_send(b, atn_algo_ring(q, i), atn_src(0, 1));
        atn_recv(b, from, operand[from]);
    }
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int rooms = q->p > 1 ? atn_tmp_like(b, 0, q->p - 1) : 0;
    atn_ref *operand = malloc(sizeof *operand * (size_t)q->p);

    (void)prm;
    if (!operand) {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
        return;
    }
    for (int i = 0; i < q->p; i++)
        operand[i] = i == q->r ? atn_src(0, 1) : atn_tmp_at(rooms, i - (i > q->r), 1);
    exchange(b, q, operand);
    atn_fence(b);
    atn_copy(b, atn_algo_fold_list(b, operand, q->p, atn_dst(0, 1)), atn_dst(0, 1));
    free(operand);
}

const atn_algo atn_algo_allreduce_direct = {
    .name = "direct",
    .summary = "every rank sends its operand to all others and reduces locally",
    .reference = "folklore",
    .cost = "(p - 1) * (a + b * n + g * n)",
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC,
    .most_ranks = 1024,
    .klass = ATN_DIRECT,
    .group = "latency",
    .build = build,
};
