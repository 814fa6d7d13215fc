/* hint.c - evidence from delays, which saves transfers.
 *
 * A cluster is parted from all other hosts by some link.  A switch that joins two branches of hosts
 * of one side is on that side of the link itself. */
#include "topo/infer/private.h"

bool atn_topo_infer_apart(const atn_infer_state *s, int a, int b)
{
    for (int i = 0; i < s->clusters.n; i++)
        if (s->clusters.v[i].inside[a] != s->clusters.v[i].inside[b])
            return true;
    return false;
}

/* The branches of v that have hosts of z's side of a cluster's link. */
static int own_side(const atn_infer_state *s, const atn_host_group *c, int z, const int *branch_of,
                    const atn_branch *units, int d, bool *own)
{
    int n = 0;
    for (int i = 0; i < d; i++) {
        own[i] = false;
        for (int h = 0; h < s->hosts; h++)
            own[i] = own[i] || (branch_of[h] == units[i].node && c->inside[h] == c->inside[z]);
        n += own[i];
    }
    return n;
}

int atn_topo_infer_hint(const atn_infer_state *s, int z, int v, const atn_branch *units, int d,
                        bool *skip)
{
    int branch_of[s->hosts];
    bool own[d];
    atn_topo_tree_branches(&s->tree, v, branch_of);
    for (int i = 0; i < d; i++)
        skip[i] = false;
    for (int k = 0; k < s->clusters.n; k++) {
        const int n = own_side(s, &s->clusters.v[k], z, branch_of, units, d, own);
        for (int i = 0; i < d && n == 1; i++)
            if (own[i])
                return i;
        for (int i = 0; i < d && n > 1; i++)
            skip[i] = skip[i] || !own[i];
    }
    return ATN_NONE;
}

/* Fast ones first, those about equally fast as they come. */
void atn_topo_infer_by_speed(const atn_infer_state *s, int *hosts, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && s->speed[hosts[k]] > 1.2 * s->speed[hosts[k - 1]]; k--) {
            const int old = hosts[k];
            hosts[k] = hosts[k - 1];
            hosts[k - 1] = old;
        }
}

/* Fast hosts first, because they fill links; clusters one after the other, so that few hosts ever
 * meet one that is far away. */
void atn_topo_infer_order(atn_infer_state *s, int *order)
{
    int n = 0, hosts[s->hosts];
    bool listed[s->hosts];
    for (int h = 0; h < s->hosts; h++) {
        hosts[h] = h;
        listed[h] = false;
    }
    atn_topo_infer_shuffle(s, hosts, s->hosts);
    atn_topo_infer_by_speed(s, hosts, s->hosts);
    for (int k = s->clusters.n - 1; k >= -1; k--)
        for (int i = 0; i < s->hosts; i++)
            if (!listed[hosts[i]] && (k < 0 || s->clusters.v[k].inside[hosts[i]])) {
                listed[hosts[i]] = true;
                order[n++] = hosts[i];
            }
}
