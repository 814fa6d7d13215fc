/* fast.c - links that two transfers do not fill, but many do.
 *
 * Transfers that together reach less than the sum of their rates alone cross a link that is full.
 * Of such a set one after the other is left out as long as the rest still fills the link; what
 * remains are just enough transfers, all over that link, so all senders are on one side of it and
 * all receivers on the other.  Any other branch is on the senders' side if it can stand in for one
 * of them.  Sets to begin with are drawn at random, and neighbours by number are tried together,
 * because names and ranks are usually given out along the racks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/infer/fast.h"

enum { ROUNDS = 8 };

/* ---- how much is missing? ---- */

/* The rate of a transfer alone.  Where both hosts have been seen across the switch it is about
 * known without measuring; few transfers are measured all the same, for a quick look none. */
static double alone(const atn_fast_search *w, const atn_infer_flow *f, int n, bool quick)
{
    atn_infer_state *s = w->s;
    const double out = atn_topo_infer_seen(s, w->branch_of, f->from, true);
    const double in = atn_topo_infer_seen(s, w->branch_of, f->to, false);
    const bool sure = out > 0 && in > 0 && n > s->max_flows / 2;
    if (s->base[f->from * s->hosts + f->to] > 0 || (!sure && !quick))
        return atn_topo_infer_base(s, f->from, f->to);
    return 0.95 * (sure ? fmin(out, in)
                        : atn_topo_infer_limit(
                              s, f->from, f->to)); /* the best of several is a little too good */
}

void atn_topo_fast_parts(const atn_fast_search *w, const atn_crossing *set, int n, int samples,
                         double *part)
{
    atn_infer_flow flows[n];
    double rates[n], usual[n], all[n][samples];
    memset(flows, 0, sizeof flows);
    for (int i = 0; i < n; i++) {
        flows[i] = set[i].flow;
        usual[i] = alone(w, &flows[i], n, samples == 1);
    }
    for (int k = 0; k < samples; k++) {
        atn_topo_infer_sample(w->s, flows, n, rates);
        for (int i = 0; i < n; i++)
            all[i][k] = rates[i];
    }
    for (int i = 0; i < n; i++)
        part[i] = fmin(1.1, atn_median(all[i], samples).mid / usual[i]);
}

double atn_topo_fast_missing(const atn_fast_search *w, const atn_crossing *set, int n, int samples)
{
    double part[n], sum = 0;
    atn_topo_fast_parts(w, set, n, samples, part);
    for (int i = 0; i < n; i++)
        sum += 1 - part[i];
    return sum;
}

/* When three measurements leave doubts, five more decide. */
bool atn_topo_fast_misses(const atn_fast_search *w, const atn_crossing *set, int n, double border)
{
    double over = atn_topo_fast_missing(w, set, n, 3) - border;
    if (fabs(over) < 0.25)
        over = atn_topo_fast_missing(w, set, n, 5) - border;
    return over > 0;
}

/* Many transfers miss something by chance. */
static double enough(int n) { return fmax(0.6, 0.25 * sqrt(n)); }

/* Is a link full? */
static bool full(const atn_fast_search *w, const atn_crossing *set, int n)
{
    return n >= ATN_FULL_SET && atn_topo_fast_misses(w, set, n, enough(n));
}

/* ---- a set that just fills a link ---- */

/* Leaves out some transfers, and all that are not slow without them: false when nothing else is
 * slow then. */
static bool leave_out(atn_fast_search *w, int first, int stop)
{
    double part[w->n];
    int n = 0;
    w->ntry = 0;
    for (int i = 0; i < w->n; i++)
        if (i < first || i >= stop)
            w->try[w->ntry++] = w->set[i];
    if (!full(w, w->try, w->ntry))
        return false;
    atn_topo_fast_parts(w, w->try, w->ntry, 1, part);
    for (int i = 0; i < w->ntry; i++)
        n += part[i] < 0.9;
    w->n = 0;
    for (int i = 0; i < w->ntry; i++)
        if (part[i] < 0.9 || n < ATN_FULL_SET)
            w->set[w->n++] = w->try[i];
    return true;
}

/* Leaves out halves, quarters, ... single transfers while the rest still fills a link. */
static void reduce(atn_fast_search *w)
{
    int parts = 2;
    leave_out(w, 0, 0);
    while (w->n > ATN_FULL_SET && !w->s->broken) {
        bool less = false;
        for (int i = 0; i < parts && !less; i++)
            less = leave_out(w, i * w->n / parts, (i + 1) * w->n / parts);
        if (!less && parts >= w->n)
            return;
        parts = less ? atn_max(2, parts - 1) : atn_min(2 * parts, w->n);
    }
}

/* ---- sets to begin with ---- */

/* Hosts of a unit as many as its link can serve, from different branches; returns how many. */
static int lanes_of(atn_fast_search *w, int unit, int *hosts)
{
    const atn_infer_tree *g = &w->s->tree;
    const int node = w->units[unit].node;
    const int n = atn_topo_infer_spread(w->s, w->v, node, w->units[unit].send, hosts);
    return atn_min(n, w->s->lanes[g->parent[node] == w->v ? node : w->v]);
}

/* Hosts of all units that are, or are not, marked. */
static int collect(atn_fast_search *w, const bool *marked, bool wanted, int *hosts, int *unit_of)
{
    int n = 0, some[w->s->hosts];
    for (int u = 0; u < w->d; u++) {
        const int lanes = marked[u] == wanted ? lanes_of(w, u, some) : 0;
        for (int i = 0; i < lanes; i++) {
            hosts[n] = some[i];
            unit_of[n++] = u;
        }
    }
    return n;
}

/* Marked units send to the others. */
static void pair_up(atn_fast_search *w, const bool *marked)
{
    const int hosts = w->s->hosts;
    int from[hosts], to[hosts], from_unit[hosts], to_unit[hosts], order[hosts];
    const int nfrom = collect(w, marked, true, from, from_unit);
    const int nto = collect(w, marked, false, to, to_unit);
    for (int i = 0; i < nto; i++)
        order[i] = i;
    atn_topo_infer_shuffle(w->s, order, nto);
    w->n = atn_min(4 * w->s->max_flows, atn_min(nfrom, nto));
    for (int i = 0; i < w->n; i++)
        w->set[i] = (atn_crossing){
            .flow = {from[i], to[order[i]]}, .from = from_unit[i], .to = to_unit[order[i]]};
}

static void draw(atn_fast_search *w, bool *marked)
{
    int order[w->d];
    for (int i = 0; i < w->d; i++)
        order[i] = i;
    atn_topo_infer_shuffle(w->s, order, w->d);
    for (int i = 0; i < w->d; i++)
        marked[order[i]] = i < w->d / 2;
}

/* ---- evaluation of a set that saturates a link ---- */

/* Any transfers as many as these: when they are as slow, the machines are the limit, not a link. */
static bool machines_are_busy(atn_fast_search *w)
{
    const int n = w->n;
    atn_crossing set[n];
    bool busy = true, marked[w->d];
    memcpy(set, w->set, sizeof *set * (size_t)n);
    for (int k = 0; k < 2 && busy; k++) {
        draw(w, marked);
        pair_up(w, marked);
        busy = w->n >= n && full(w, w->set, n);
    }
    memcpy(w->set, set, sizeof *set * (size_t)n);
    w->n = n;
    return busy;
}

/* Remembers how many transfers the new link between v and w serves. */
static void note_lanes(atn_infer_state *s, int v, int new, double lanes)
{
    const int n = atn_max(1, (int)floor(lanes + 0.2));
    const bool above = s->tree.parent[v] == new;
    if (above)
        s->lanes[new] = s->lanes[v];
    s->lanes[above ? v : new] = n;
}

/* A link below the new one that is no slower, and that what hangs between the two cannot fill, has
 * only been seen through the new one: some of its branches had been missed. */
static void drop_shadow(atn_infer_state *s, int new)
{
    const atn_infer_tree *g = &s->tree;
    int hosts[g->hosts], all = 0, can[g->nnodes];
    for (int u = 0; u < g->nnodes; u++) {
        can[u] = 0;
        if (g->parent[u] == new)
            can[u] = atn_min(atn_topo_tree_beyond(g, new, u, hosts), s->lanes[u]);
        all += can[u];
    }
    for (int u = g->hosts; u < g->nnodes; u++)
        if (can[u] > 1 && s->lanes[u] >= s->lanes[new] && all - can[u] <= s->lanes[u])
            atn_topo_tree_merge(&s->tree, u);
}

/* The smaller side goes behind a new switch. */
static bool put_link(atn_fast_search *w)
{
    bool member[w->d];
    int side[w->d], n = 0, hosts = 0;
    const double missing = atn_topo_fast_missing(w, w->set, w->n, 5);
    const int members = atn_topo_fast_side(w, missing, member);
    if (members < 2 || w->d - members < 2 || w->s->broken)
        return false;
    for (int u = 0; u < w->d; u++)
        hosts += member[u] ? w->units[u].size : -w->units[u].size;
    for (int u = 0; u < w->d; u++)
        if (member[u] == (hosts <= 0))
            side[n++] = w->units[u].node;
    const int new = atn_topo_tree_join(&w->s->tree, w->v, side, n);
    note_lanes(w->s, w->v, new, w->n - missing);
    drop_shadow(w->s, new);
    return true;
}

/* True when it led to a link. */
static bool try_set(atn_fast_search *w, const bool *marked)
{
    pair_up(w, marked);
    if (w->n < ATN_FULL_SET || atn_topo_fast_missing(w, w->set, w->n, 1) <= enough(w->n) ||
        !full(w, w->set, w->n))
        return false;
    reduce(w);
    return !machines_are_busy(w) && full(w, w->set, w->n) && put_link(w);
}

/* ---- where to look ---- */

static bool try_random(atn_fast_search *w)
{
    bool marked[w->d];
    for (int k = 0; k < ROUNDS + w->d / 2 && !w->s->broken; k++) {
        draw(w, marked);
        if (try_set(w, marked))
            return true;
    }
    return false;
}

/* Blocks of neighbours, and every k-th unit, in sizes d / 2, d / 3 and so on. */
static bool try_neighbours(atn_fast_search *w)
{
    bool block[w->d], comb[w->d];
    for (int parts = 2; w->d / parts >= ATN_FULL_SET && !w->s->broken;
         parts += atn_max(1, parts / 2))
        for (int k = 0; k < parts; k++) {
            for (int u = 0; u < w->d; u++) {
                block[u] = u * parts / w->d == k;
                comb[u] = u % parts == k;
            }
            if (try_set(w, block) || try_set(w, comb))
                return true;
        }
    return false;
}

static int by_host(const void *a, const void *b)
{
    const atn_branch *x = a, *y = b;
    return x->send - y->send;
}

/* True when a link was found at v. */
static bool search_at(atn_infer_state *s, int v)
{
    atn_branch units[s->tree.nnodes];
    atn_crossing set[s->hosts], try[s->hosts];
    int branch_of[s->hosts];
    atn_fast_search w = {
        .s = s, .v = v, .branch_of = branch_of, .units = units, .set = set, .try = try};
    atn_topo_tree_branches(&s->tree, v, branch_of);
    w.d = atn_topo_infer_near_units(s, v, 0, units);
    if (w.d < 4)
        return false;
    qsort(units, (size_t)w.d, sizeof *units, by_host);
    s->searched_fast = true;
    return try_neighbours(&w) || try_random(&w);
}

void atn_topo_infer_fast(atn_infer_state *s)
{
    for (int v = s->hosts; v < s->tree.nnodes && !s->broken; v++)
        while (atn_topo_is_switch(&s->tree, v) && search_at(s, v) && !s->broken)
            ;
}
