/* clusters.c - data for programs: the depth of each rank, and its cluster at each level. */
#include <stdlib.h>

#include "topo/topo.h"

/* The nodes from the root down to where a rank is; returns how many. */
static int descent(const atn_topo *t, int r, int *nodes)
{
    const int depth = t->nodes[t->node_of[r]].depth + 1;

    for (int v = t->node_of[r], i = depth - 1; i >= 0; i--, v = t->nodes[v].parent)
        nodes[i] = v;
    return depth;
}

bool atn_topo_descents(const atn_topo *t, int levels, int *depth, int *cluster, const char **name)
{
    int *number = malloc(sizeof *number * (size_t)t->nnodes);
    int *next = calloc((size_t)levels, sizeof *next),
        *nodes = malloc(sizeof *nodes * (size_t)levels);
    const bool ok = number && next && nodes;

    for (int v = 0; ok && v < t->nnodes; v++)
        number[v] = -1;
    for (int r = 0; ok && r < t->p; r++) {
        depth[r] = descent(t, r, nodes);
        for (int i = 0; i < levels; i++) {
            const int v = i < depth[r] ? nodes[i] : -1;
            if (v >= 0 && number[v] < 0)
                number[v] = next[i]++;
            cluster[r * levels + i] = v < 0 ? -1 : number[v];
            name[r * levels + i] = v < 0 ? NULL : atn_topo_level_name(t, v);
        }
    }
    free(number);
    free(next);
    free(nodes);
    return ok;
}
