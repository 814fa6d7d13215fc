/* torus.c - tori and meshes, routed dimension by dimension.
 *
 * Routers are numbered like the digits of a number, the last dimension fastest.  A route corrects
 * the first coordinate on the shorter way round, then the second, and so on.  Halfway round,
 * routers with an even coordinate go forward and others back, so that both directions carry as
 * much.
 * Literature: Dally, Towles: Principles and Practices of Interconnection Networks, 2004. */
#include <stdlib.h>
#include <string.h>

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

/* ---- loads ----
 *
 * While a message corrects coordinate j, it has the first ones of its end and the last ones of its
 * origin.  So the messages from one coordinate to another on a line are the product of two numbers:
 * ranks with the last coordinates, and ranks with the first ones. */

/* Messages from one coordinate to another on the line of a router. */
static void add_way(const atn_routes *x, int router, int j, int from, int to, int64_t messages,
                    int64_t *loads)
{
    const int size = x->count[j];
    const bool forward = goes_forward(x, j, from, to);
    for (int at = from; at != to; at = (at + (forward ? 1 : size - 1)) % size)
        loads[2 * link_at(x, router, j, forward ? at : (at + size - 1) % size) + !forward] +=
            messages;
}

/* Lines of dimension j; `last`: ranks with the coordinates from j on, `first`: with those up to
 * j. */
static void add_lines(const atn_routes *x, int j, const int64_t *last, const int64_t *first,
                      int64_t *loads)
{
    const int size = x->count[j], stride = x->stride[j], before = x->nrouters / size / stride;
    for (int i = 0; i < before; i++)
        for (int k = 0; k < stride; k++)
            for (int from = 0; from < size; from++)
                for (int to = 0; to < size; to++)
                    add_way(x, i * size * stride + k, j, from, to,
                            last[from * stride + k] * first[i * size + to], loads);
}

static bool add_loads(const atn_routes *x, const int64_t *ranks, int64_t *loads)
{
    const size_t n = (size_t)x->nrouters;
    int64_t *const last = malloc(sizeof *last * n), *const first = malloc(sizeof *first * n);
    for (int j = 0; last && first && j < x->levels; j++) {
        const int stride = x->stride[j], whole = stride * x->count[j];
        memset(last, 0, sizeof *last * n);
        memset(first, 0, sizeof *first * n);
        for (int v = 0; v < x->nrouters; v++) {
            last[v % whole] += ranks[v];
            first[v / stride] += ranks[v];
        }
        add_lines(x, j, last, first, loads);
    }
    const bool done = last && first;
    free(last);
    free(first);
    return done;
}

static const atn_route_rule torus_rule = {"torus, dimension by dimension", next, add_loads};
static const atn_route_rule mesh_rule = {"mesh, dimension by dimension", next, add_loads};

/* ---- the network ---- */

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
