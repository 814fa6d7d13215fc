/* Linear reduce: the root receives the operands of all ranks, from the last to the first, and
 * combines them in rank order. */
#include "algo/algo.h"
#include "algo/shape.h"

/* Combines the operand of rank i with those of higher ranks. */
static void take(atn_builder *b, const atn_problem *q, int i, atn_ref sum, atn_ref room)
{
    const bool first = i == q->p - 1;

    if (i != q->r)
        atn_recv(b, i, first ? sum : room);
    else if (first)
        atn_copy(b, atn_src(0, 1), sum);
    if (!first)
        atn_reduce(b, i == q->r ? atn_src(0, 1) : room, sum);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const bool root = q->r == q->root;
    atn_ref sum = {0}, room = {0};

    (void)prm;
    if (root) {
        sum = q->r == q->p - 1 ? atn_dst(0, 1) : atn_tmp_at(atn_tmp(b, 0, 1), 0, 1);
        room = atn_tmp_at(atn_tmp(b, 0, 1), 0, 1);
    }
    for (int i = q->p - 1; i >= 0; i--) {
        if (root)
            take(b, q, i, sum, room);
        else if (q->r == i)
            atn_send(b, q->root, atn_src(0, 1));
        atn_algo_rounds(b, i > 0);
    }
    if (root)
        atn_copy(b, sum, atn_dst(0, 1));
}

const atn_algo atn_algo_reduce_linear = {
    .name = "linear",
    .summary = "the root receives and combines all operands in rank order",
    .reference = "folklore",
    .cost = "(p - 1) * (a + b * n + g * n)",
    .passes = ATN_PASS_SYNC,
    .klass = ATN_DIRECT,
    .group = "messages",
    .build = build,
};
