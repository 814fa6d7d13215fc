/* bound.c - cuts: removing a link leaves `in` ranks below it and `out` others; counts the bytes
 * that must cross for any algorithm. */
#include "model/bound.h"

#include <stdlib.h>

static const double payload = 1460.0 / 1538.0;

/* Units of q->bytes that must cross a link upwards and downwards; `has_root`: the root is below. */
typedef struct {
    double up, down;
} crossing;

static crossing gathers(double in, double out, bool has_root)
{
    return has_root ? (crossing){0, out} : (crossing){in, 0};
}

static crossing crosses(atn_operation op, double in, double out, bool has_root)
{
    switch (op) {
    case ATN_BCAST:
        return has_root ? (crossing){1, 0} : (crossing){0, 1};
    case ATN_REDUCE:
        return has_root ? (crossing){0, 1} : (crossing){1, 0};
    case ATN_GATHER:
    case ATN_GATHERV:
        return gathers(in, out, has_root);
    case ATN_SCATTER:
    case ATN_SCATTERV: {
        const crossing c = gathers(in, out, has_root);
        return (crossing){c.down, c.up};
    }
    case ATN_ALLGATHER:
    case ATN_ALLGATHERV:
        return (crossing){in, out};
    case ATN_ALLTOALL:
    case ATN_ALLTOALLV:
    case ATN_ALLTOALLW:
        return (crossing){in * out, in * out};
    case ATN_ALLREDUCE: /* one combined operand each way; see also all_hosts */
        return (crossing){1, 1};
    case ATN_REDUCE_SCATTER:
    case ATN_REDUCE_SCATTER_BLOCK:
        return (crossing){out, in};
    default: /* scan, exscan: depends on the rank mapping; no bound here */
        return (crossing){0, 0};
    }
}

static bool lies_below(const atn_topo *t, int node, int above)
{
    while (node >= 0 && node != above)
        node = t->nodes[node].parent;
    return node == above;
}

static double link_seconds(const atn_problem *q, int node, int below)
{
    const atn_topo *t = q->topo;
    const int64_t rate = t->nodes[node].rate;

    if (rate <= 0 || below == 0 || below == t->p)
        return 0;
    const crossing c =
        crosses(q->op, below, t->p - below, lies_below(t, t->node_of[q->root], node));
    const double units = c.up > c.down ? c.up : c.down;
    return units * (double)q->bytes * 8 / ((double)rate * payload) +
           (units > 0 ? (double)t->nodes[node].delay_ns * 1e-9 : 0);
}

/* An allreduce among h hosts needs 2 (h - 1) messages for every element: h - 1 until one host holds
 * the sum and h - 1 to distribute it.  The sum of all host rates limits these. */
static double all_hosts(const atn_problem *q, const int *below)
{
    const atn_topo *t = q->topo;
    double rates = 0;
    int hosts = 0;

    for (int v = 0; v < t->nnodes; v++) {
        if (t->nodes[v].kind != ATN_TOPO_HOST || below[v] == 0)
            continue;
        if (t->nodes[v].rate <= 0)
            return 0;
        hosts++;
        rates += (double)t->nodes[v].rate;
    }
    return hosts < 2 ? 0 : 2.0 * (hosts - 1) * (double)q->bytes * 8 / (rates * payload);
}

double atn_model_bound(const atn_problem *q)
{
    const atn_topo *t = q->topo;
    double worst = 0;

    if (!t || t->p != q->p || q->bytes < 0)
        return 0;
    int *below = malloc(sizeof *below * ((size_t)t->nnodes + 1));
    if (!below)
        return 0;
    atn_topo_below(t, below);
    if (q->op == ATN_ALLREDUCE)
        worst = all_hosts(q, below);
    for (int v = 1; v < t->nnodes; v++) {
        const double seconds = link_seconds(q, v, below[v]);
        worst = seconds > worst ? seconds : worst;
    }
    free(below);
    return worst;
}
