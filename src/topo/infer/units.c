/* units.c - the branches of a switch, and hosts that stand for them. */
#include <math.h>

#include "topo/infer/private.h"

double atn_topo_infer_seen(const atn_infer_state *s, const int *branch_of, int h, bool outwards)
{
    const double *can = outwards ? s->out : s->in, *others = outwards ? s->in : s->out;
    double best = 0;
    for (int x = 0; x < s->hosts; x++) {
        const double rate = s->base[outwards ? h * s->hosts + x : x * s->hosts + h];
        if (branch_of[x] == branch_of[h] || rate == 0)
            continue;
        if (rate >= 0.87 * can[h])
            return can[h];
        if (others[x] > 1.15 * rate)
            best = fmax(best, rate);
    }
    return best;
}

/* A host that has not been tried is hoped to be as fast as it can be. */
static double hoped(const atn_infer_state *s, const int *branch_of, int h, bool outwards)
{
    const double seen = atn_topo_infer_seen(s, branch_of, h, outwards);
    return seen > 0 ? seen : outwards ? s->out[h] : s->in[h];
}

/* Fast hosts show most.  Among those that are about equal, `turn` decides. */
static int stand_in(const double *speed, const int *hosts, int n, int turn, int not_this)
{
    double best = 0;
    int found = hosts[0];
    for (int i = 0; i < n; i++)
        if (hosts[i] != not_this)
            best = fmax(best, speed[hosts[i]]);
    for (int i = 0; i < n; i++) {
        const int h = hosts[(i + turn) % n];
        if (h == not_this && n > 1)
            continue;
        found = h;
        if (speed[h] >= 0.85 * best)
            break;
    }
    return found;
}

int atn_topo_infer_units(const atn_infer_state *s, int v, int turn, atn_branch *units)
{
    const atn_infer_tree *g = &s->tree;
    int near[g->nnodes], hosts[g->hosts], branch_of[g->hosts];
    double out[g->hosts], in[g->hosts];
    const int d = atn_topo_tree_near(g, v, near);
    atn_topo_tree_branches(g, v, branch_of);
    for (int h = 0; h < g->hosts; h++) {
        out[h] = hoped(s, branch_of, h, true);
        in[h] = hoped(s, branch_of, h, false);
    }
    for (int i = 0; i < d; i++) {
        int n = 0;
        for (int h = 0; h < g->hosts; h++)
            if (branch_of[h] == near[i])
                hosts[n++] = h;
        const int send = stand_in(out, hosts, n, turn, ATN_NONE);
        const int recv = stand_in(in, hosts, n, turn, send);
        units[i] = (atn_branch){.node = near[i],
                                .size = n,
                                .send = send,
                                .recv = recv,
                                .out = out[send],
                                .in = in[recv]};
    }
    return d;
}

int atn_topo_infer_near_units(const atn_infer_state *s, int v, int turn, atn_branch *units)
{
    const int d = atn_topo_infer_units(s, v, turn, units);
    bool lonely[d];
    int n = 0;
    for (int i = 0; i < d; i++) {
        lonely[i] = s->clusters.n > 0;
        for (int j = 0; j < d && lonely[i]; j++)
            lonely[i] = j == i || atn_topo_infer_apart(s, units[i].send, units[j].send);
    }
    for (int i = 0; i < d; i++)
        if (!lonely[i])
            units[n++] = units[i];
    return n;
}

/* ---- receivers of a batch ---- */

/* The first unit behind position i of the batch that has no sender yet and is about as fast
 * as any such; ATN_NONE: only i itself is left. */
static int free_receiver(const atn_branch *units, const int *batch, int m, int i, const bool *taken)
{
    double best = 0;
    for (int k = 0; k < m; k++)
        if (k != i && !taken[k])
            best = fmax(best, units[batch[k]].in);
    for (int k = 1; k < m; k++) {
        const int at = (i + k) % m;
        if (!taken[at] && units[batch[at]].in >= 0.85 * best)
            return at;
    }
    return ATN_NONE;
}

static int fastest_left(const atn_branch *units, const int *batch, int m, const int *to)
{
    int found = ATN_NONE;
    for (int i = 0; i < m; i++)
        if (to[i] < 0 && (found < 0 || units[batch[i]].out > 1.2 * units[batch[found]].out))
            found = i;
    return found;
}

void atn_topo_infer_circle(const atn_branch *units, const int *batch, int m, int *to)
{
    bool taken[m];
    int last = ATN_NONE;
    for (int i = 0; i < m; i++) {
        taken[i] = false;
        to[i] = ATN_NONE;
    }
    for (int i; (i = fastest_left(units, batch, m, to)) >= 0; last = i) {
        const int k = free_receiver(units, batch, m, i, taken);
        to[i] = k >= 0 ? k : to[last]; /* the one before gives up its receiver */
        if (k < 0)
            to[last] = i;
        taken[to[i]] = true;
    }
    for (int i = 0; i < m; i++)
        to[i] = batch[to[i]];
}
