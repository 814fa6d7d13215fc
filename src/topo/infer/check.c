/* check.c - the finished tree against measurements that did not make it.
 *
 * A host in a branch where it does not belong keeps its rate when all others there send across the
 * branch's link; two branches of a switch that should be one disturb each other.  What is found
 * wrong is confirmed by two transfers alone, then mended: a host is put in anew, a missing link is
 * put between the branches that it parts, a link without effect is dropped. */
#include <math.h>

#include "topo/infer/private.h"

/* ---- traffic across a link ---- */

/* How useful a branch is for traffic with `here`: as its fastest host, but far ones come last. */
static double worth(const atn_infer_state *s, int here, const int *branch_of, int node)
{
    double best = 0;
    for (int h = 0; h < s->hosts; h++)
        if (branch_of[h] == node)
            best = fmax(best, s->speed[h] * (atn_topo_infer_apart(s, here, h) ? 1e-6 : 1));
    return best;
}

/* The most useful ones first, those about equal as they are. */
static void sort_branches(const atn_infer_state *s, int here, const int *branch_of, int *near,
                          int d)
{
    for (int i = 1; i < d; i++)
        for (int k = i; k > 0 && worth(s, here, branch_of, near[k]) >
                                     1.2 * worth(s, here, branch_of, near[k - 1]);
             k--) {
            const int old = near[k];
            near[k] = near[k - 1];
            near[k - 1] = old;
        }
}

int atn_topo_infer_spread(atn_infer_state *s, int v, int u, int here, int *hosts)
{
    const atn_infer_tree *g = &s->tree;
    int branch_of[g->hosts], near[g->nnodes], taken = 0;
    const int n = atn_topo_tree_beyond(g, v, u, hosts);
    bool used[g->hosts];
    if (!atn_topo_is_switch(g, u))
        return n;
    int pool[n];
    for (int i = 0; i < n; i++)
        pool[i] = hosts[i];
    atn_topo_infer_shuffle(s, pool, n);
    atn_topo_infer_by_speed(s, pool, n);
    atn_topo_tree_branches(g, u, branch_of);
    const int d = atn_topo_tree_near(g, u, near);
    atn_topo_infer_shuffle(s, near, d);
    sort_branches(s, here, branch_of, near, d);
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

int atn_topo_infer_across(atn_infer_state *s, int w, bool backwards, atn_infer_flow *flows)
{
    const int above = s->tree.parent[w];
    int below_hosts[s->hosts], above_hosts[s->hosts];
    atn_topo_tree_beyond(&s->tree, above, w, below_hosts);
    const int here = below_hosts[0];
    const int below = atn_topo_infer_spread(s, above, w, here, below_hosts);
    const int others = atn_topo_infer_spread(s, w, above, here, above_hosts);
    const bool from_below = (below <= others) != backwards;
    const int n = atn_min(below, others);
    for (int i = 0; i < n; i++)
        flows[i] = from_below ? (atn_infer_flow){below_hosts[i], above_hosts[i]}
                              : (atn_infer_flow){above_hosts[i], below_hosts[i]};
    return n;
}

/* ---- does a link exist, and which hosts are beyond it? ---- */

static bool pair_shares(atn_infer_state *s, const atn_infer_flow *a, const atn_infer_flow *b)
{
    return atn_topo_infer_share(s, a->from, b->from, a->to, b->to, 0);
}

/* A sender that is much faster than the others seems to use other links. */
static int stranger(atn_infer_state *s, const atn_infer_flow *flows, int n)
{
    enum { SAMPLES = 2 };
    double rates[n], sum[n], sorted[n];
    int fastest = 0;
    for (int i = 0; i < n; i++)
        sum[i] = 0;
    for (int k = 0; k < SAMPLES; k++) {
        atn_topo_infer_sample(s, flows, n, rates);
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
    atn_topo_tree_remove(&s->tree, host);
    atn_topo_infer_insert(s, host);
}

/* Looks at n pairs across the link above w; true when a host had to go elsewhere. */
static bool check_members(atn_infer_state *s, const atn_infer_flow *flows, int n)
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
static bool is_real(atn_infer_state *s, int w, atn_infer_flow *flows, int *n_p)
{
    enum { TRIES = 2 };
    for (int i = 0; i < TRIES; i++) {
        *n_p = atn_topo_infer_across(s, w, i % 2, flows);
        if (pair_shares(s, &flows[0], &flows[1]))
            return true;
    }
    return false;
}

/* True when the tree was changed. */
static bool check_link(atn_infer_state *s, int w)
{
    atn_infer_flow flows[s->hosts];
    int n;
    if (atn_topo_infer_by_delay(s, w))
        return false;
    if (!is_real(s, w, flows, &n)) {
        atn_topo_tree_merge(&s->tree, w);
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

void atn_topo_infer_put_link(atn_infer_state *s, int v, const int at[4])
{
    atn_branch units[s->tree.nnodes];
    const int d = atn_topo_infer_units(s, v, 0, units);
    int side[d], n = 0, place[4] = {0};
    for (int u = 0; u < d; u++)
        for (int k = 0; k < 4; k++)
            if (units[u].node == at[k])
                place[k] = u;
    side[n++] = at[0];
    side[n++] = at[1];
    for (int u = 0; u < d; u++)
        if (u != place[0] && u != place[1] && u != place[2] && u != place[3] &&
            atn_topo_infer_share(s, units[u].send, units[place[0]].send, units[place[2]].recv,
                                 units[place[3]].recv, 0))
            side[n++] = units[u].node;
    atn_topo_tree_join(&s->tree, v, side, n);
}

/* Which transfers of a circle may be one end of a shared link: those slower than alone, and beside
 * them such as are slow anyway, because these may get all they want. */
static void find_slow(atn_infer_state *s, const atn_infer_flow *flows, int m, bool *slow,
                      bool *maybe)
{
    double rates[m], alone[m], part[m], fastest = 0;
    atn_topo_infer_sample(s, flows, m, rates);
    for (int i = 0; i < m; i++) {
        alone[i] = atn_topo_infer_limit(s, flows[i].from, flows[i].to);
        part[i] = rates[i] / alone[i];
    }
    const double level = atn_topo_infer_level(part, m);
    for (int i = 0; i < m; i++) {
        slow[i] = part[i] < 0.8 * level &&
                  rates[i] < 0.8 * level * atn_topo_infer_base(s, flows[i].from, flows[i].to);
        fastest = slow[i] ? fmax(fastest, alone[i]) : fastest;
    }
    for (int i = 0; i < m; i++)
        maybe[i] = slow[i] || alone[i] < 0.8 * fastest;
}

/* True when two units use one link, which is then put into the tree. */
static bool check_circle(atn_infer_state *s, int v, const atn_branch *units, const int *batch,
                         int m)
{
    enum { PAIRS = 4 }; /* many are slow where a link needs more than two to be full */
    atn_infer_flow flows[m];
    int to[m], tried = 0;
    bool slow[m], maybe[m];
    if (m < 4)
        return false;
    atn_topo_infer_circle(units, batch, m, to);
    for (int i = 0; i < m; i++)
        flows[i] = (atn_infer_flow){units[batch[i]].send, units[to[i]].recv};
    find_slow(s, flows, m, slow, maybe);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < j; i++) {
            const int at[4] = {units[batch[i]].node, units[batch[j]].node, units[to[i]].node,
                               units[to[j]].node};
            if (maybe[i] && maybe[j] && (slow[i] || slow[j]) && at[0] != at[3] && at[1] != at[2] &&
                tried++ < PAIRS &&
                atn_topo_infer_share(s, flows[i].from, flows[j].from, flows[i].to, flows[j].to,
                                     0)) {
                atn_topo_infer_put_link(s, v, at);
                return true;
            }
        }
    return false;
}

/* Neighbours in a circle do not disturb each other, so there is a second circle in which they are
 * no neighbours: every other unit first.  Four units have three circles. */
static bool check_batch(atn_infer_state *s, int v, const atn_branch *units, const int *batch, int m)
{
    int order[m], n = 0;
    for (int i = 0; i < m; i += 2)
        order[n++] = batch[i];
    for (int i = 1; i < m; i += 2)
        order[n++] = batch[i];
    return check_circle(s, v, units, batch, m) || check_circle(s, v, units, order, m) ||
           (m == 4 &&
            check_circle(s, v, units, (int[]){batch[0], batch[1], batch[3], batch[2]}, m));
}

/* Blocks of units in pairs, so that any two units meet in a circle. */
static bool check_switch(atn_infer_state *s, int v, int turn)
{
    atn_branch units[s->tree.nnodes];
    const int d = atn_topo_infer_near_units(s, v, turn, units);
    if (d < 4)
        return false;
    const int most = atn_max(2, atn_max(s->max_flows, d / atn_ceil_log2(d)) / 2);
    const int blocks = (d + most - 1) / most;
    int order[d], batch[d];
    for (int i = 0; i < d; i++)
        order[i] = i;
    atn_topo_infer_shuffle(s, order, d);
    for (int a = 0; a < blocks; a++)
        for (int b = a + (blocks > 1 ? 1 : 0); b < blocks; b++) {
            int m = 0;
            for (int i = a * d / blocks; i < (a + 1) * d / blocks; i++)
                batch[m++] = order[i];
            for (int i = b * d / blocks; i < (b + 1) * d / blocks && a != b; i++)
                batch[m++] = order[i];
            if (check_batch(s, v, units, batch, m))
                return true;
        }
    return false;
}

/* ---- all of them ---- */

bool atn_topo_infer_check(atn_infer_state *s)
{
    const atn_infer_tree *g = &s->tree;
    bool changed = false;
    for (int v = g->hosts; v < g->nnodes && !s->broken; v++)
        if (atn_topo_is_switch(g, v))
            changed = check_switch(s, v, 1) || changed;
    for (int v = g->hosts; v < g->nnodes && !s->broken; v++)
        if (atn_topo_is_switch(g, v) && g->parent[v] >= 0)
            changed = check_link(s, v) || changed;
    return changed;
}
