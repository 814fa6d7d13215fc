/* place.c - which host each rank runs on. */
#include <stdlib.h>

#include "lab/private.h"

/* Index of the host that a node is or is part of. */
static int host_of_node(const atn_lab *lab, int node)
{
    while (node >= 0 && lab->topo->nodes[node].kind != ATN_TOPO_HOST)
        node = lab->topo->nodes[node].parent;
    for (int i = 0; i < lab->hosts.n; i++)
        if (lab->hosts.v[i] == node)
            return i;
    return -1;
}

/* The ranks of the topology define the order of hosts; without ranks, the order of the file. */
static int order_length(const atn_lab *lab)
{
    return lab->topo->p > 0 ? lab->topo->p : lab->hosts.n;
}

static int order_at(const atn_lab *lab, int i)
{
    return lab->topo->p > 0 ? host_of_node(lab, lab->topo->node_of[i]) : i;
}

atn_status atn_lab_place(const atn_lab *lab, int n, int per_host, bool cyclic, int *n_p,
                         int **host_of_p, atn_error *err)
{
    const int length = order_length(lab);
    if (n == 0)
        n = length * (per_host > 0 ? per_host : 1);
    if (per_host > 0 && n > length * per_host)
        return atn_fail(err, ATN_USAGE,
                        "%d ranks do not fit: %d hosts with %d ranks each; increase "
                        "--ranks-per-host, or omit it",
                        n, length, per_host);
    const int each = per_host > 0 ? per_host : (n + length - 1) / length;
    int *host_of = malloc((size_t)n * sizeof *host_of);
    if (host_of == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (int r = 0; r < n; r++)
        host_of[r] = order_at(lab, cyclic ? r % length : r / each);
    *n_p = n;
    *host_of_p = host_of;
    return ATN_OK;
}
