/* Bine broadcast: down a binomial tree whose distances alternate in direction and are a third
 * shorter, so that fewer messages leave a group of neighbouring ranks (see atn_algo_bine); the
 * longest distance is first.
 *
 *   p = 8   0->3   0->7 3->4   0->1 3->2 4->5 7->6 */
#include "algo/algo.h"
#include "algo/shape.h"

#include <stdlib.h>

/* The step in which a rank receives the message, counted down; the root has it before all steps. */
static void fill_steps(int p, int *step)
{
    for (int v = 0; v < p; v++)
        step[v] = v == 0 ? atn_ceil_log2(p) : -1;
    for (int i = atn_ceil_log2(p) - 1; i >= 0; i--)
        for (int v = 0; v < p; v++)
            if (step[v] > i)
                step[atn_algo_bine(p, v, i)] = i;
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    int *step = malloc(sizeof *step * (size_t)q->p);
    const int v = atn_algo_relative(q);

    (void)prm;
    if (!step) {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
        return;
    }
    fill_steps(q->p, step);
    for (int i = atn_ceil_log2(q->p) - 1; i >= 0; i--, atn_round(b)) {
        const int partner = atn_algo_absolute(q, atn_algo_bine(q->p, v, i));
        if (step[v] > i)
            atn_send(b, partner, atn_dst(0, 1));
        else if (step[v] == i)
            atn_recv(b, partner, atn_dst(0, 1));
    }
    free(step);
}

const atn_algo atn_algo_bcast_bine = {
    .name = "bine",
    .summary = "binomial tree with shorter, alternating distances",
    .reference = "De Sensi et al.: Bine trees: enhancing collective operations by optimizing "
                 "communication locality, 2025",
    .cost = "log2(p) * (k * a + b * n)",
    .needs = ATN_NEEDS_POW2,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .build = build,
};
