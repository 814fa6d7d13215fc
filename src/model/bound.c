/* bound.c - cuts: removing a link leaves `in` ranks below it and `out` others; count the bytes that
 * must cross, whatever the algorithm. */
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
    const double p = in + out;

    switch (op) {
    case ATN_BCAST:
        return has_root ? (crossing){1, 0} : (crossing){0, 1};
    case ATN_REDUCE:
        return has_root ? (crossing){0, 1} : (crossing){1, 0};
    case ATN_GATHER:
        return gathers(in, out, has_root);
    case ATN_SCATTER: {
        const crossing c = gathers(in, out, has_root);
        return (crossing){c.down, c.up};
    }
    case ATN_ALLGATHER:
    case ATN_ALLGATHERV:
        return (crossing){in, out};
    case ATN_ALLTOALL:
        return (crossing){in * out, in * out};
    /* A rank alone on its link sends all but its share of the result's and the operands' bytes; a
     * group needs one combined operand each way. */
    case ATN_ALLREDUCE: {
        const double alone = 2 * (p - 1) / p;
        return in == 1 || out == 1 ? (crossing){alone, alone} : (crossing){1, 1};
    }
    case ATN_REDUCE_SCATTER:
    case ATN_REDUCE_SCATTER_BLOCK:
        return (crossing){out, in};
    case ATN_SCAN:
    case ATN_EXSCAN:
        return (crossing){0, 0}; /* depends on who is where; not bounded here */
    default:
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
    return (c.up > c.down ? c.up : c.down) * (double)q->bytes * 8 / ((double)rate * payload);
}

double atn_bound(const atn_problem *q)
{
    const atn_topo *t = q->topo;
    double worst = 0;

    if (!t || t->p != q->p || q->bytes < 0)
        return 0;
    int *below = malloc(sizeof *below * ((size_t)t->nnodes + 1));
    if (!below)
        return 0;
    atn_topo_below(t, below);
    for (int v = 1; v < t->nnodes; v++) {
        const double seconds = link_seconds(q, v, below[v]);
        worst = seconds > worst ? seconds : worst;
    }
    free(below);
    return worst;
}
