/* Reduce for an arrival pattern: values are combined in order of arrival, so that after the last
 * rank has arrived one message remains (see early.h).  Without an arrival pattern the tree is
 * binomial.
 *
 *   p = 6, rank 4 arrives 9 messages late   1->0 2->3   5->0   3->0   ...   4->0 */
#include "algo/early.h"
#include "algo/fold.h"

#include <stdlib.h>

static int parent_of(const atn_problem *q, const atn_early_message *list)
{
    for (int i = 0; i < q->p - 1; i++)
        if (list[i].from == q->r)
            return list[i].to;
    return -1;
}

static void combine(atn_builder *b, const atn_problem *q, const atn_early_message *list, int slots)
{
    const int parent = parent_of(q, list);
    atn_fold f = atn_algo_fold_own(q, parent, 0, 1);
    int at = 0;

    for (const atn_early_message *m = list; m < list + q->p - 1; m++) {
        if (m->from != q->r && m->to != q->r)
            continue;
        atn_algo_rounds(b, m->slot - at);
        at = m->slot;
        if (m->to == q->r)
            atn_algo_fold_recv(b, q, &f, m->from);
        else
            atn_algo_fold_end(b, &f, parent);
    }
    if (parent < 0)
        atn_algo_fold_end(b, &f, -1);
    atn_algo_rounds(b, slots - 1 - at);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    int slots;
    atn_early_message *list = atn_algo_early_make(q, (atn_early_shape)prm->v[0], true, &slots);

    if (list)
        combine(b, q, list, slots);
    else
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    free(list);
}

const atn_algo atn_algo_reduce_early = {
    .name = "early",
    .summary = "arrival-aware: combined in order of arrival, shortest path for the last rank",
    .reference = "after Faraj, Patarasuk, Yuan: A study of process arrival patterns for MPI "
                 "collective operations, 2008",
    .cost = "let(m, a + b * n / k, let(c, g * n / k, min(p - 1, 1) * (is(shape, 0) *"
            " (ceil(log2(p)) * (m + c + (k - 1) * max(m, c)) - (1 - pow2(p)) * min(m, c))"
            " + is(shape, 1) * ((p - 1) * (m + c) + (k - 1) * max(m, c)))))",
    .needs = ATN_NEEDS_LATENESS | ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .params = atn_algo_early_params,
    .build = build,
};
