/* torus.c - tori and meshes, routed dimension by dimension.
 *
 * Routers are numbered like the digits of a number, the last dimension fastest.  A route corrects
 * the first coordinate on the shorter way round, then the second, and so on.  Halfway round,
 * routers with an even coordinate go forward and others back, so that both directions carry as
 * much.
 * Literature: Dally, Towles: Principles and Practices of Interconnection Networks, 2004. */
#include "topo/synthetic.h"

/* Links along a line of dimension j.  Two routers have one link, not two. */
static int links_of_line(const atn_routes *x, int j)
{
    return x->wraps && x->count[j] > 2 ? x->count[j] : x->count[j] - 1;
}

static int coordinate(const atn_routes *x, int router, int j)
{
    return router / x->stride[j] % x->count[j];
}

/* The link from a coordinate to the next one, on the line of a router. */
static int link_at(const atn_routes *x, int router, int j, int from)
{
    const int stride = x->stride[j], line = router / (stride * x->count[j]) * stride;
    return x->first[j] + (line + router % stride) * links_of_line(x, j) + from;
}

static bool goes_forward(const atn_routes *x, int j, int from, int to)
{
    const int size = x->count[j], ahead = (to - from + size) % size;
    if (!x->wraps)
        return to > from;
    return 2 * ahead < size || (2 * ahead == size && from % 2 == 0);
}

static int next(const atn_routes *x, int at, int host)
{
    const int end = x->router_of[host];
    int j = 0;
    while (coordinate(x, at, j) == coordinate(x, end, j))
        j++;
    const int from = coordinate(x, at, j), size = x->count[j];
    if (goes_forward(x, j, from, coordinate(x, end, j)))
        return 2 * link_at(x, at, j, from);
    return 2 * link_at(x, at, j, (from + size - 1) % size) + 1;
}

static const atn_route_rule torus_rule = {"torus, dimension by dimension", next};
static const atn_route_rule mesh_rule = {"mesh, dimension by dimension", next};

/* Strides, and where the links of each dimension begin; returns how many links there are. */
static int64_t lay_out(atn_routes *x)
{
    int64_t links = 0;
    int stride = 1;
    for (int j = x->levels - 1; j >= 0; j--) {
        x->stride[j] = stride;
        stride *= x->count[j];
    }
    for (int j = 0; j < x->levels; j++) {
        x->first[j] = (int)links;
        links += (int64_t)x->nrouters / x->count[j] * links_of_line(x, j);
        x->longest += x->wraps ? x->count[j] / 2 : x->count[j] - 1;
    }
    return links;
}

static void connect(const atn_synth *s, const atn_routes *x)
{
    for (int v = 0; v < x->nrouters; v++)
        for (int j = 0; j < x->levels; j++) {
            const int from = coordinate(x, v, j), size = x->count[j];
            if (from < links_of_line(x, j))
                x->links[link_at(x, v, j, from)] =
                    (atn_route_link){v, v + ((from + 1) % size - from) * x->stride[j],
                                     s->levels[j].rate, s->levels[j].delay_ns};
        }
}

static void make(atn_synth *s, const atn_route_rule *rule, bool wraps)
{
    if (s->nlevels == ATN_SYNTH_LEVELS) {
        atn_topo_found(s->d->found, s->line, "more than seven dimensions; write fewer");
        return;
    }
    atn_routes shape = {.rule = rule, .wraps = wraps, .levels = s->nlevels, .nrouters = 1};
    for (int j = 0; j < s->nlevels; j++) {
        shape.count[j] = s->levels[j].count;
        shape.nrouters *= shape.count[j];
    }
    shape.tier[shape.tiers++] = (atn_route_tier){0, 1, s->nlevels};
    shape.lowest = s->nlevels;
    const int64_t links = lay_out(&shape);
    const atn_synth_level own = {.count = s->per,
                                 .rate = s->inject.given ? s->inject.rate
                                                         : s->levels[s->nlevels - 1].rate,
                                 .delay_ns = s->inject.delay_ns};
    const atn_routes *x = atn_topo_synth_routes(s, &shape, links, s->per);
    if (x)
        connect(s, x);
    s->levels[s->nlevels++] = own;
}

void atn_topo_synth_torus(atn_synth *s) { make(s, &torus_rule, true); }
void atn_topo_synth_mesh(atn_synth *s) { make(s, &mesh_rule, false); }
