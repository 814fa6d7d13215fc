/* fattree.c - fat trees: every switch has several links up, to different switches.
 *
 * The switches above that a branch can reach act as one: a message between two branches crosses one
 * of the links up of the first and one of the links down of the second, and routing that spreads
 * messages evenly (adaptive routing, or D-mod-k with all hosts) loads these equally.  So a tree
 * with the rate of all of them together has the same loads and bounds.  It has no faster flow than
 * the fat tree as long as one link up is as fast as the link of a host. */
#include "topo/synthetic.h"

/* The entry of a level of switches, counted from the top; lists are for the last levels. */
static int listed(const atn_synth *s, const atn_synth_list *list, int level)
{
    const int i = level - (s->nlevels - 1 - list->n);
    return i < 0 ? 0 : list->v[i];
}

static void check(atn_synth *s)
{
    const int64_t host = s->levels[s->nlevels - 1].rate;
    if (s->up.n > 0 && s->over.n > 0)
        atn_topo_found(s->d->found, s->line,
                       "both up= and oversubscribe=; one follows from the other, "
                       "give one of them");
    if (s->over.n > 0 && host == 0)
        atn_topo_found(s->d->found, s->line,
                       "oversubscribe= without a rate of hosts; write one, as in 4x16@10G");
    if (s->dmodk && host == 0)
        atn_topo_found(s->d->found, s->line,
                       "routes=dmodk without a rate of hosts; write one, as in 4x16@10G");
    for (int i = s->nlevels - 2; i >= 0; i--) {
        if (s->levels[i].rate == 0) /* only a delay is given */
            s->levels[i].rate = s->levels[i + 1].rate;
        if (s->levels[i].rate < host && !s->dmodk)
            atn_topo_remark(s->d->found, s->line,
                            "a link up of level %d is slower than the link of a host; a single "
                            "message is slower than the tree shows",
                            i + 1);
    }
}

/* ---- fixed routes: D-mod-k ----
 *
 * Tier 0 are the leaf switches, tier i + 1 those above tier i; a branch at tier i has each[i]
 * switches, one for each way to go up.  On the way up to a host, its number selects the link: the
 * hosts of a leaf switch use different switches above, and all messages to a host come down the
 * same way.  If hosts have several rails, they are tier 0, and every leaf has a switch for each
 * rail.
 * Literature: Zahavi: Fat-trees routing and node ordering providing contention free
 * traffic for MPI global collectives, 2012 (also the routes of SimGrid's fat trees). */

static int next(const atn_routes *x, int at, int host)
{
    int i = x->tiers - 1;
    while (x->tier[i].first > at)
        i--;
    const int inside = at - x->tier[i].first, each = x->tier[i].each;
    if (host / x->stride[i] != inside / each)
        return 2 * (x->first[i] + inside * x->up[i] + host / each % x->up[i]);
    const int below = x->tier[i - 1].each, way = inside % each;
    const int child = host / x->stride[i - 1] * below + way % below;
    return 2 * (x->first[i - 1] + child * x->up[i - 1] + way / below) + 1;
}

static const atn_route_rule rule = {"fat tree, D-mod-k", next, NULL};

/* Tiers, and where their links up begin; returns how many links there are. */
static int64_t lay_out(const atn_synth *s, const int *up, atn_routes *x)
{
    int64_t links = 0, routers = 0, each = 1;
    int branches = s->nhosts, hosts = 1, depth = s->nlevels;
    if (s->rails == 1) { /* routes begin at the leaf switches */
        depth--;
        branches /= s->levels[depth].count;
        hosts = s->levels[depth].count;
    }
    for (int i = 0; depth >= 0 && routers < INT32_MAX / 2; i++, depth--) {
        x->tier[i] = (atn_route_tier){(int)routers, (int)each, depth};
        x->stride[i] = hosts;
        x->first[i] = (int)links;
        x->up[i] = up[i];
        routers += branches * each;
        links += branches * each * up[i];
        each *= up[i];
        x->tiers = i + 1;
        branches /= depth > 0 ? s->levels[depth - 1].count : 1;
        hosts *= depth > 0 ? s->levels[depth - 1].count : 1;
    }
    x->nrouters = (int)routers;
    x->longest = 2 * (x->tiers - 1);
    return routers < INT32_MAX / 2 ? links : INT64_MAX;
}

static void connect(const atn_synth *s, const int64_t *rate, const atn_routes *x)
{
    for (int i = 0; i + 1 < x->tiers; i++) {
        const int level = x->tier[i].depth - 1, each = x->tier[i].each, up = x->up[i];
        const int switches = x->tier[i + 1].first - x->tier[i].first;
        for (int v = 0; v < switches; v++)
            for (int q = 0; q < up; q++)
                x->links[x->first[i] + v * up + q] = (atn_route_link){
                    x->tier[i].first + v,
                    x->tier[i + 1].first + v / each / s->levels[level].count * x->tier[i + 1].each +
                        v % each + q * each,
                    rate[i], level == s->nlevels - 1 ? 0 : s->levels[level].delay_ns};
    }
}

/* up and rate: number and rate of the links up of each tier. */
static void route(atn_synth *s, const int *up, const int64_t *rate)
{
    atn_routes shape = {.rule = &rule,
                        .by_host = true,
                        .levels = s->nlevels,
                        .lowest = s->nlevels - 1,
                        .rails = s->rails};
    for (int i = 0; i < s->nlevels; i++)
        shape.count[i] = s->levels[i].count;
    const int64_t links = lay_out(s, up, &shape);
    const int each = s->rails > 1 ? 1 : s->levels[s->nlevels - 1].count;
    const atn_routes *x = atn_topo_synth_routes(s, &shape, links, each);
    if (x)
        connect(s, rate, x);
}

/* ---- rates ---- */

/* Links up of each switch, if they are a whole number; else reported. */
static int links_up(const atn_synth *s, int level, int64_t rate, int64_t switches)
{
    const int64_t all = s->levels[level].rate, one = rate * switches;
    if (one > 0 && all % one == 0 && all / one > 0 && all / one < 1 << 16)
        return (int)(all / one);
    atn_topo_found(s->d->found, s->line,
                   "routes=dmodk: the links up of a switch of level %d are no whole number; write "
                   "rates and oversubscribe= that divide, or up=",
                   level + 1);
    return 1;
}

/* With fixed routes, hosts with several rails are the lowest tier.  Their links in the tree have
 * all rates together, and the delay. */
static int add_host_tier(atn_synth *s, int *ups, int64_t *rates)
{
    atn_synth_level *hosts = &s->levels[s->nlevels - 1];
    if (!s->dmodk || s->rails == 1)
        return 0;
    ups[0] = s->rails;
    rates[0] = hosts->rate;
    if (__builtin_mul_overflow(hosts->rate, s->rails, &hosts->rate))
        atn_topo_found(s->d->found, s->line, "rates beyond all numbers; write fewer rails");
    return 1;
}

void atn_topo_synth_fattree(atn_synth *s)
{
    int ups[ATN_ROUTE_LEVELS] = {0};
    int64_t rates[ATN_ROUTE_LEVELS] = {0};
    check(s);
    int tier = add_host_tier(s, ups, rates);
    int64_t switches = tier > 0 ? s->rails : 1; /* that a branch consists of at this level */
    for (int i = s->nlevels - 2; i >= 0 && s->d->found->wrong == 0; i--, tier++) {
        const int up = listed(s, &s->up, i), over = listed(s, &s->over, i);
        const atn_synth_level *below = &s->levels[i + 1];
        int64_t rate = rates[tier] = s->levels[i].rate;
        const bool far = up > 0 ? __builtin_mul_overflow(rate, up, &rate) ||
                                      __builtin_mul_overflow(rate, switches, &rate)
                                : __builtin_mul_overflow(below->rate, below->count, &rate);
        if (far)
            atn_topo_found(s->d->found, s->line, "rates beyond all numbers; write lower ones");
        s->levels[i].rate = over > 1 ? rate / over : rate;
        ups[tier] = s->dmodk && !far ? links_up(s, i, rates[tier], switches) : 0;
        switches = rates[tier] > 0 ? s->levels[i].rate / rates[tier] : 1;
    }
    if (s->dmodk && s->d->found->wrong == 0)
        route(s, ups, rates);
}
