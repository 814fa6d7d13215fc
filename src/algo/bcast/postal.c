/* Postal broadcast: the tree of minimum height when a message takes `latency` times as long to
 * arrive as to be sent: a rank that has it sends it repeatedly, so earlier children get larger
 * subtrees.  In t steps n(t) = n(t - 1) + n(t - latency) ranks are reached: with a latency of 2,
 * the Fibonacci numbers.
 *
 *   p = 8, latency = 2   0->5   0->3 5->7   0->2 3->4 5->6   0->1 */
#include "algo/algo.h"
#include "algo/shape.h"

/* How many of n ranks the first one keeps after its first send: as many as it can reach with one
 * step less. */
static int kept(int n, int latency)
{
    int64_t reach[64] = {0}; /* n(t - 1), n(t - 2), ... */

    for (int i = 0; i < latency; i++)
        reach[i] = 1;
    while (reach[0] + reach[latency - 1] < n) {
        const int64_t next = reach[0] + reach[latency - 1];
        for (int i = latency - 1; i > 0; i--)
            reach[i] = reach[i - 1];
        reach[0] = next;
    }
    return (int)reach[0];
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int v = atn_algo_relative(q);
    int first = 0;

    for (int n = q->p; n > 1; atn_round(b)) {
        const int keep = kept(n, (int)prm->v[0]), child = first + keep;
        if (v == first)
            atn_send(b, atn_algo_absolute(q, child), atn_dst(0, 1));
        if (v == child)
            atn_recv(b, atn_algo_absolute(q, first), atn_dst(0, 1));
        n = v < child ? keep : n - keep;
        first = v < child ? first : child;
    }
}

/* The first rank serves the most others. */
static int depth(const atn_problem *q, const atn_params *prm)
{
    int children = 0;

    for (int n = q->p; n > 1; children++)
        n = kept(n, (int)prm->v[0]);
    return children;
}

static const atn_param params[] = {
    {"latency", ATN_INT, 2, 2, 64, ATN_LOG2, "steps from sending a message to its arrival", NULL},
    {0},
};

const atn_algo atn_algo_bcast_postal = {
    .name = "postal",
    .summary = "tree of minimum height for a network with latency (postal model)",
    .reference = "Bar-Noy, Kipnis: Designing broadcasting algorithms in the postal model for "
                 "message-passing systems, 1994",
    .cost = "depth * (k * a + b * n)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .params = params,
    .depth = depth,
    .build = build,
};
