/* load.c - what the busiest rank, link or host takes for all operations of a graph: no schedule is
 * faster, and a pipeline needs as much for each of its segments once it is filled. */
#include <math.h>
#include <stdlib.h>

#include "model/links_private.h"
#include "model/model.h"

typedef struct {
    const atn_model_case *c;
    atn_links_cost channels[ATN_CHANNEL_SLOTS];
    double *edge, *rank, *memory; /* seconds of each */
    int *host, *path;
    double most, work; /* of a message alone; of all processors */
} loads;

static void add_path(loads *x, int from, int to, double bytes)
{
    const atn_topo *const t = x->c->t;
    const int n = atn_topo_path(t, from, to, x->path);
    for (int i = 0; i < n; i++) {
        const double rate = atn_model_edge_rate(x->c->m, t, x->path[i]);
        x->edge[x->path[i]] += rate > 0 ? bytes / rate : 0;
    }
}

static void add_message(loads *x, const atn_op_node *send)
{
    const atn_op_node *const recv = &x->c->g->nodes[send->other];
    const int c = atn_model_machine_channel_of(x->c->m, x->c->t, send->rank, recv->rank);
    const atn_links_cost *const w = &x->channels[c];
    const double bytes = (double)send->bytes;
    x->rank[send->rank] += w->more;
    x->rank[recv->rank] += w->more;
    x->work += 2 * (w->more + w->cpu_byte * bytes);
    x->most = fmax(x->most, bytes / w->rate);
    if (atn_model_channel_inside(c))
        x->memory[x->host[send->rank]] += bytes / atn_model_machine_memory(x->c->m);
    else if (x->c->t != NULL)
        add_path(x, send->rank, recv->rank, bytes);
}

static void add_node(loads *x, const atn_op_node *node)
{
    if (node->other < 0) {
        const double seconds = atn_model_local_cost(x->c, node, 1);
        x->rank[node->rank] += seconds;
        x->work += seconds;
    } else if (node->kind == ATN_OP_SEND) {
        add_message(x, node);
    }
}

static bool begin(loads *x)
{
    const atn_topo *const t = x->c->t;
    const size_t p = (size_t)x->c->g->p, edges = t ? (size_t)atn_topo_edges(t) : 0;
    x->edge = calloc(edges + 2 * p + 1, sizeof *x->edge);
    x->host = malloc(sizeof *x->host * 2 * (p + 1));
    x->path = malloc(sizeof *x->path * (size_t)(t ? atn_topo_longest(t) + 1 : 1));
    if (!x->edge || !x->host || !x->path)
        return false;
    x->rank = x->edge + edges;
    x->memory = x->rank + p;
    atn_model_hosts(x->c->m, t, x->c->g->p, x->host);
    for (int i = -1; (i = atn_model_machine_next(x->c->m, i)) >= 0;)
        x->channels[i] = atn_model_links_cost(x->c->m, i);
    return true;
}

bool atn_model_links_load(const atn_model_case *c, double *seconds_p)
{
    loads x = {.c = c};
    const bool ok = begin(&x);
    const size_t n = 2 * (size_t)c->g->p + (c->t ? (size_t)atn_topo_edges(c->t) : 0);
    for (int i = 0; ok && i < c->g->n; i++)
        add_node(&x, &c->g->nodes[i]);
    for (size_t i = 0; ok && i < n; i++)
        x.most = fmax(x.most, x.edge[i]);
    if (c->m->processors > 0)
        x.most = fmax(x.most, x.work / c->m->processors);
    free(x.edge);
    free(x.host);
    free(x.path);
    *seconds_p = x.most;
    return ok;
}
