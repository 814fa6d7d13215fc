/* capacity.c - see capacity.h. */
#include "algo/capacity.h"

#include <limits.h>

/* The rate of the slowest link between ranks; 0: no rate is known.  Children follow their parents,
 * so `below` is complete when a node is visited. */
static int64_t slowest(const atn_topo *t, int *below)
{
    int64_t least = 0;

    for (int e = 2 * (t->p + t->nnodes); e < atn_topo_edges(t); e += 2) { /* of routes */
        const int64_t rate = atn_topo_rate(t, e);
        if (rate > 0 && (least == 0 || rate < least))
            least = rate;
    }
    atn_topo_below(t, below);
    for (int v = 1; v < t->nnodes; v++) {
        const int64_t rate = t->nodes[v].rate;
        if (below[v] > 0 && below[v] < t->p && rate > 0 && (least == 0 || rate < least))
            least = rate;
    }
    return least;
}

void atn_algo_capacities(const atn_topo *t, bool rated, int *capacity)
{
    const int64_t least = rated ? slowest(t, capacity) : 0;

    for (int e = 0; e < 2 * t->p; e++)
        capacity[e] = 1;
    for (int e = 2 * t->p; e < atn_topo_edges(t); e++) {
        const int64_t rate = atn_topo_rate(t, e);
        const int64_t times = least == 0 ? 1 : rate == 0 ? INT_MAX : rate / least;
        capacity[e] = times < 1 ? 1 : times > INT_MAX ? INT_MAX : (int)times;
    }
}
