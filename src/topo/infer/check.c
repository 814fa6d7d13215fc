/* check.c - the finished tree against measurements that did not make it.
 *
 * A host in a branch where it does not belong keeps its rate when all others there send across the
 * branch's link; two branches of a switch that should be one disturb each other.  What is found
 * wrong is confirmed by two transfers alone, then mended: a host is put in anew, a missing link is
 * put between the branches that it parts, a link without effect is dropped. */
#include <math.h>

#include "topo/infer/private.h"

/* ---- traffic across a link ---- */

/* Branches whose hosts are far away from `here` go to the end. */
static void far_ones_last(const atn_infer_state *s, int here, const int *branch_of, int *near,
                          int d)
{
    int far[d], n = 0, m = 0;
    for (int b = 0; b < d; b++) {
        bool apart = true;
        for (int h = 0; h < s->hosts; h++)
            apart = apart && (branch_of[h] != near[b] || atn_infer_apart(s, here, h));
        if (apart)
            far[m++] = near[b];
        else
            near[n++] = near[b];
    }
    for (int b = 0; b < m; b++)
        near[n + b] = far[b];
}

/* Hosts of a branch in an order that takes from all branches behind it in turn, those that are not
 * far away from `here` first. */
static int spread(atn_infer_state *s, int v, int u, int here, int *hosts)
{
    const atn_guess *g = &s->guess;
    int branch_of[g->hosts], near[g->nnodes], taken = 0;
    const int n = atn_guess_beyond(g, v, u, hosts);
    bool used[g->hosts];
    if (!atn_is_switch(g, u))
        return n;
    int pool[n];
    for (int i = 0; i < n; i++)
        pool[i] = hosts[i];
    atn_infer_shuffle(s, pool, n);
    atn_guess_branches(g, u, branch_of);
    const int d = atn_guess_near(g, u, near);
    far_ones_last(s, here, branch_of, near, d);
    for (int h = 0; h < g->hosts; h++)
        used[h] = false;
    while (taken < n)
        for (int b = 0; b < d; b++)
            for (int i = 0; i < n; i++)
                if (!used[pool[i]] && branch_of[pool[i]] == near[b]) {
                    used[pool[i]] = true;
                    hosts[taken++] = pool[i];
                    break;
                }
    return n;
}

int atn_infer_across(atn_infer_state *s, int w, bool backwards, atn_flow *flows)
{
    const int above = s->guess.parent[w];
    int below_hosts[s->hosts], above_hosts[s->hosts];
    atn_guess_beyond(&s->guess, above, w, below_hosts);
    const int here = below_hosts[0];
    const int below = spread(s, above, w, here, below_hosts);
    const int others = spread(s, w, above, here, above_hosts);
    const bool from_below = (below <= others) != backwards;
    const int n = atn_min(below, others);
    for (int i = 0; i < n; i++)
        flows[i] = from_below ? (atn_flow){below_hosts[i], above_hosts[i]}
                              : (atn_flow){above_hosts[i], below_hosts[i]};
    return n;
}

/* ---- a link: is it there, and who is behind it? ---- */

static bool pair_shares(atn_infer_state *s, const atn_flow *a, const atn_flow *b)
{
    return atn_infer_share(s, a->from, b->from, a->to, b->to, 0);
}

/* A sender that is much faster than the others beside it seems to use other wires. */
static int stranger(atn_infer_state *s, const atn_flow *flows, int n)
{
    enum { SAMPLES = 2 };
    double rates[n], sum[n], sorted[n];
    int fastest = 0;
    for (int i = 0; i < n; i++)
        sum[i] = 0;
    for (int k = 0; k < SAMPLES; k++) {
        atn_infer_sample(s, flows, n, rates);
        for (int i = 0; i < n; i++)
            sum[i] += rates[i];
    }
    for (int i = 0; i < n; i++) {
        sorted[i] = sum[i];
        fastest = sum[i] > sum[fastest] ? i : fastest;
    }
    return sum[fastest] > 1.6 * atn_median(sorted, n).mid ? fastest : ATN_NONE;
}

static void insert_again(atn_infer_state *s, int host)
{
    atn_guess_remove(&s->guess, host);
    atn_infer_insert(s, host);
}

/* Looks at n pairs across the link above w; true when a host had to go elsewhere. */
static bool check_members(atn_infer_state *s, const atn_flow *flows, int n)
{
    if (n < 3)
        return false;
    const int odd = stranger(s, flows, n);
    if (odd < 0 || pair_shares(s, &flows[odd], &flows[(odd + 1) % n]) ||
        pair_shares(s, &flows[odd], &flows[(odd + 2) % n]))
        return false;
    insert_again(s, flows[odd].from);
    return true;
}

/* The first two pairs begin in different branches at one end of the link and lead to different
 * branches at the other: only the link itself can make them one. */
static bool is_real(atn_infer_state *s, int w, atn_flow *flows, int *n_p)
{
    enum { TRIES = 2 };
    for (int i = 0; i < TRIES; i++) {
        *n_p = atn_infer_across(s, w, i % 2, flows);
        if (pair_shares(s, &flows[0], &flows[1]))
            return true;
    }
    return false;
}

/* True when the tree was changed. */
static bool check_link(atn_infer_state *s, int w)
{
    atn_flow flows[s->hosts];
    int n;
    if (atn_infer_by_delay(s, w))
        return false;
    if (!is_real(s, w, flows, &n)) {
        atn_guess_merge(&s->guess, w);
        return true;
    }
    const int batches = (n + s->max_flows - 1) / s->max_flows;
    for (int b = 0; b < batches; b++) {
        const int first = b * n / batches;
        if (check_members(s, flows + first, (b + 1) * n / batches - first))
            return true;
    }
    return false;
}

/* ---- a switch: are its branches apart? ---- */

/* A link parts units i, j from x, y: all that is on the side of i goes behind it. */
static void put_link(atn_infer_state *s, int v, const atn_unit *units, int d, const int at[4])
{
    const int i = at[0], j = at[1], x = at[2], y = at[3];
    int side[d], n = 0;
    side[n++] = units[i].node;
    side[n++] = units[j].node;
    for (int u = 0; u < d; u++)
        if (u != i && u != j && u != x && u != y &&
            atn_infer_share(s, units[u].send, units[i].send, units[x].recv, units[y].recv, 0))
            side[n++] = units[u].node;
    atn_guess_join(&s->guess, v, side, n);
}

/* Which transfers of a circle are slower than alone; returns how many. */
static int find_slow(atn_infer_state *s, const atn_flow *flows, int m, int *slow)
{
    double rates[m], part[m];
    int n = 0;
    atn_infer_sample(s, flows, m, rates);
    for (int i = 0; i < m; i++)
        part[i] = rates[i] / atn_infer_limit(s, flows[i].from, flows[i].to);
    const double level = atn_infer_level(part, m);
    for (int i = 0; i < m; i++)
        if (part[i] < 0.8 * level &&
            rates[i] < 0.8 * level * atn_infer_base(s, flows[i].from, flows[i].to))
            slow[n++] = i;
    return n;
}

/* True when two units use one link, which is then put into the tree. */
static bool check_circle(atn_infer_state *s, int v, const atn_unit *units, int d, const int *batch,
                         int m)
{
    atn_flow flows[m];
    int slow[m];
    if (m < 4)
        return false;
    for (int i = 0; i < m; i++)
        flows[i] = (atn_flow){units[batch[i]].send, units[batch[(i + 1) % m]].recv};
    const int n = find_slow(s, flows, m, slow);
    for (int k = 0; k < n; k++)
        for (int l = 0; l < k; l++) {
            const int i = slow[l], j = slow[k];
            const int at[4] = {batch[i], batch[j], batch[(i + 1) % m], batch[(j + 1) % m]};
            if (at[0] != at[3] && at[1] != at[2] &&
                atn_infer_share(s, flows[i].from, flows[j].from, flows[i].to, flows[j].to, 0)) {
                put_link(s, v, units, d, at);
                return true;
            }
        }
    return false;
}

/* Neighbours in a circle do not disturb each other, so there is a second circle in which they are
 * no neighbours: every other unit first.  Four units have three circles. */
static bool check_batch(atn_infer_state *s, int v, const atn_unit *units, int d, const int *batch,
                        int m)
{
    int order[m], n = 0;
    for (int i = 0; i < m; i += 2)
        order[n++] = batch[i];
    for (int i = 1; i < m; i += 2)
        order[n++] = batch[i];
    return check_circle(s, v, units, d, batch, m) || check_circle(s, v, units, d, order, m) ||
           (m == 4 &&
            check_circle(s, v, units, d, (int[]){batch[0], batch[1], batch[3], batch[2]}, m));
}

/* Blocks of units in pairs, so that any two units meet in a circle. */
static bool check_switch(atn_infer_state *s, int v, int turn)
{
    atn_unit units[s->guess.nnodes];
    const int d = atn_infer_near_units(s, v, turn, units);
    if (d < 4)
        return false;
    const int most = atn_max(2, atn_max(s->max_flows, d / atn_ceil_log2(d)) / 2);
    const int blocks = (d + most - 1) / most;
    int order[d], batch[d];
    for (int i = 0; i < d; i++)
        order[i] = i;
    atn_infer_shuffle(s, order, d);
    for (int a = 0; a < blocks; a++)
        for (int b = a + (blocks > 1 ? 1 : 0); b < blocks; b++) {
            int m = 0;
            for (int i = a * d / blocks; i < (a + 1) * d / blocks; i++)
                batch[m++] = order[i];
            for (int i = b * d / blocks; i < (b + 1) * d / blocks && a != b; i++)
                batch[m++] = order[i];
            if (check_batch(s, v, units, d, batch, m))
                return true;
        }
    return false;
}

/* ---- all of them ---- */

bool atn_infer_check(atn_infer_state *s)
{
    const atn_guess *g = &s->guess;
    bool changed = false;
    for (int v = g->hosts; v < g->nnodes && !s->broken; v++)
        if (atn_is_switch(g, v))
            changed = check_switch(s, v, 1) || changed;
    for (int v = g->hosts; v < g->nnodes && !s->broken; v++)
        if (atn_is_switch(g, v) && g->parent[v] >= 0)
            changed = check_link(s, v) || changed;
    return changed;
}
