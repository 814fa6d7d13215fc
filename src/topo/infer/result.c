/* result.c - what was inferred as a topology. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/draft.h"
#include "topo/infer.h"

/* 1460 bytes of payload take 1538 on an Ethernet. */
static const double header_factor = 1538.0 / 1460.0;

int64_t atn_topo_link_rate(double payload_rate)
{
    static const double usual[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
    enum { USUAL = sizeof usual / sizeof *usual };
    if (payload_rate <= 0)
        return 0;
    const double rate = payload_rate * header_factor;
    const double unit = pow(10, floor(log10(rate)));
    for (int i = 0; i < USUAL; i++)
        if (fabs(rate / (usual[i] * unit) - 1) < 0.08)
            return (int64_t)llround(usual[i] * unit);
    return (int64_t)(llround(rate / unit * 100) * llround(unit) / 100);
}

/* Two digits are more than is known. */
static int64_t round_delay(double seconds)
{
    const double ns = seconds * 1e9;
    if (ns < 1)
        return 0;
    const double unit = pow(10, floor(log10(ns)) - 1);
    return (int64_t)llround(round(ns / unit) * unit);
}

/* A link that was never full may be as fast as it likes. */
static int64_t rate_of(const atn_inferred_link *l)
{
    return l->full ? atn_topo_link_rate(fmax(l->up, l->down)) : 0;
}

static int count_rate(const atn_topo_node *nodes, int n, int64_t rate)
{
    int count = 0;
    for (int v = 0; v < n; v++)
        count += nodes[v].rate == rate;
    return count;
}

/* A link that seems a little faster or slower than many others is one of them: schedules for links
 * that are alike are better. */
static void even_out(const atn_topo_node *nodes, int n, int64_t *rates)
{
    for (int v = 0; v < n; v++) {
        int most = count_rate(nodes, n, nodes[v].rate);
        rates[v] = nodes[v].rate;
        for (int u = 0; u < n && nodes[v].rate > 0; u++) {
            const double ratio = (double)nodes[u].rate / (double)nodes[v].rate;
            const int count = count_rate(nodes, n, nodes[u].rate);
            if (ratio > 0.88 && ratio < 1.12 && count > most) {
                most = count;
                rates[v] = nodes[u].rate;
            }
        }
    }
}

atn_status atn_topo_inferred_topo(const atn_inferred *r, const char *const *names,
                                  const int *host_of, int p, atn_topo **topo_p, atn_error *err)
{
    atn_topo_node *nodes = calloc((size_t)r->nnodes, sizeof *nodes);
    char(*made)[24] = calloc((size_t)r->nnodes, sizeof *made);
    int64_t rates[r->nnodes];
    for (int v = 0; nodes && made && v < r->nnodes; v++) {
        const bool host = v < r->hosts;
        snprintf(made[v], sizeof made[v], v == r->nnodes - 1 ? "top" : "s%d", v - r->hosts);
        nodes[v] = (atn_topo_node){
            .name = host ? (char *)names[v] : made[v],
            .kind = host ? ATN_TOPO_HOST : ATN_TOPO_SWITCH,
            .parent = r->parent[v],
            .rate = rate_of(&r->links[v]),
            .delay_ns = round_delay(r->links[v].delay),
        };
    }
    if (nodes && made)
        even_out(nodes, r->nnodes, rates);
    for (int v = 0; nodes && made && v < r->nnodes; v++)
        nodes[v].rate = rates[v];
    atn_topo *t = nodes && made ? atn_topo_make(nodes, r->nnodes, host_of, p, "discovered") : NULL;
    free(nodes);
    free(made);
    if (!t)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    *topo_p = t;
    return ATN_OK;
}
