/* dragonfly.c - groups of routers, each router linked with all others of its group, and each group
 * with all other groups; minimal routes.
 *
 * The links of a group to other groups, in the order of those, are spread over its routers from the
 * first on.  A route takes at most one link between groups: to the router of its group that has it,
 * over it, and to the router of the host.  Of several links between two groups, the host at the end
 * selects one.
 * Literature: Kim, Dally, Scott, Abts: Technology-driven, highly-scalable dragonfly topology,
 * 2008. */
#include "topo/synthetic.h"

static int64_t pairs(int64_t n) { return n * (n - 1) / 2; }

/* Number of the pair i < j of n. */
static int pair_number(int i, int j, int n) { return i * (2 * n - i - 1) / 2 + j - i - 1; }

/* The link between two routers of a group. */
static int local_link(const atn_routes *x, int at, int to)
{
    const int routers = x->count[1], group = at / routers;
    const int i = atn_min(at, to) % routers, j = atn_max(at, to) % routers;
    return 2 * (group * (int)pairs(routers) + pair_number(i, j, routers)) + (at > to);
}

/* The router of a group that has link c to another group. */
static int gateway(const atn_routes *x, int group, int other, int c)
{
    const int port = (other < group ? other : other - 1) * x->global + c;
    return group * x->count[1] + port / x->ports;
}

static int global_link(const atn_routes *x, int group, int other, int c)
{
    const int i = atn_min(group, other), j = atn_max(group, other);
    return x->first[1] + pair_number(i, j, x->count[0]) * x->global + c;
}

static int next(const atn_routes *x, int at, int host)
{
    const int end = x->router_of[host], group = at / x->count[1], other = end / x->count[1];
    if (group == other)
        return local_link(x, at, end);
    const int c = host % x->global, out = gateway(x, group, other, c);
    return at == out ? 2 * global_link(x, group, other, c) + (group > other)
                     : local_link(x, at, out);
}

static const atn_route_rule rule = {"dragonfly, minimal", next, NULL};

static void connect(const atn_synth *s, const atn_routes *x)
{
    const int groups = x->count[0], routers = x->count[1];
    for (int at = 0; at < x->nrouters; at++)
        for (int to = at + 1; to < (at / routers + 1) * routers; to++)
            x->links[local_link(x, at, to) / 2] =
                (atn_route_link){at, to, s->levels[1].rate, s->levels[1].delay_ns};
    for (int i = 0; i < groups; i++)
        for (int j = i + 1; j < groups; j++)
            for (int c = 0; c < x->global; c++)
                x->links[global_link(x, i, j, c)] =
                    (atn_route_link){gateway(x, i, j, c), gateway(x, j, i, c), s->levels[0].rate,
                                     s->levels[0].delay_ns};
}

void atn_topo_synth_dragonfly(atn_synth *s)
{
    if (s->nlevels != 3) {
        atn_topo_found(s->d->found, s->line,
                       "a dragonfly has three levels; write groups, routers of a group and hosts "
                       "of a router, as in dragonfly:9x8x4@25G");
        return;
    }
    const int groups = s->levels[0].count, routers = s->levels[1].count;
    const int64_t local = pairs(routers) * groups, between = (int64_t)(groups - 1) * s->global;
    const atn_routes shape = {.rule = &rule,
                              .levels = 3,
                              .count = {groups, routers, s->levels[2].count},
                              .nrouters = groups * routers,
                              .by_host = s->global > 1,
                              .global = s->global,
                              .ports = atn_max(1, (int)((between + routers - 1) / routers)),
                              .first = {0, (int)local},
                              .longest = 3,
                              .tiers = 1,
                              .lowest = 2,
                              .tier = {{0, 1, 2}}};
    const atn_routes *x =
        atn_topo_synth_routes(s, &shape, local + pairs(groups) * s->global, s->levels[2].count);
    if (x)
        connect(s, x);
}
