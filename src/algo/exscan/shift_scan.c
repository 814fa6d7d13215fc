/* Shift, then scan: every rank sends its operand to the next one; the ranks from 1 on then run any
 * scan on the shifted operands.
 *
 *   p = 4   0->1 1->2 2->3, then a scan of ranks 1 to 3 */
#include "algo/algo.h"

#include <stdlib.h>

static const char *const words[] = {"binomial", "binary", "linear", "recursive_doubling", NULL};

static const atn_param params[] = {
    {"scan", ATN_WORD, 0, 0, 3, ATN_LINEAR, "scan algorithm for the shifted operands", words},
    {0},
};

/* In place, the receive must not wait until the rank's own operand has been sent. */
static void shift(atn_builder *b, const atn_problem *q)
{
    const bool aside = q->in_place && q->r > 0 && q->r < q->p - 1;
    const atn_ref to = aside ? atn_tmp_at(atn_tmp(b, 0, 1), 0, 1) : atn_dst(0, 1);

    if (q->r < q->p - 1)
        atn_send(b, q->r + 1, atn_src(0, 1));
    if (q->r > 0)
        atn_recv(b, q->r - 1, to);
    if (aside)
        atn_copy(b, to, atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_problem inner = {.op = ATN_SCAN,
                               .p = q->p - 1,
                               .r = q->r - 1,
                               .in_place = true,
                               .ordered = q->ordered,
                               .segments = 1};
    const atn_view operand = {.at = atn_dst(0, 1), .each = 1};
    const atn_algo_use scan = atn_algo_part(ATN_SCAN, &params[0], prm->v[0]);
    int *ranks = malloc(sizeof *ranks * (size_t)q->p);

    for (int i = 0; ranks && i < q->p - 1; i++)
        ranks[i] = i + 1;
    shift(b, q);
    atn_round(b);
    if (!ranks)
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    else if (q->r > 0)
        atn_algo_embed_part(
            b,
            &(atn_embed){
                .q = &inner, .ranks = ranks, .src = operand, .dst = operand, .vec = {.each = 1}},
            &scan);
    free(ranks);
}

const atn_algo atn_algo_exscan_shift_scan = {
    .name = "shift_scan",
    .summary = "shift operands by one rank, then scan",
    .reference = "folklore",
    .cost = "min(p - 1, 1) * (a + b * n) + scan(scan, max(1, p - 1), n)",
    .passes = ATN_PASS_SEGMENT,
    .klass = ATN_STORE_FORWARD,
    .group = "messages",
    .params = params,
    .parts = {ATN_SCAN},
    .build = build,
};
