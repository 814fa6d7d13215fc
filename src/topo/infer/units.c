/* units.c - the branches of a switch, and hosts that stand for them. */
#include <math.h>

#include "topo/infer/private.h"

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

int atn_infer_units(const atn_infer_state *s, int v, int turn, atn_unit *units)
{
    const atn_guess *g = &s->guess;
    int near[g->nnodes], hosts[g->hosts], branch_of[g->hosts];
    const int d = atn_guess_near(g, v, near);
    atn_guess_branches(g, v, branch_of);
    for (int i = 0; i < d; i++) {
        int n = 0;
        for (int h = 0; h < g->hosts; h++)
            if (branch_of[h] == near[i])
                hosts[n++] = h;
        const int send = stand_in(s->out, hosts, n, turn, ATN_NONE);
        units[i] = (atn_unit){.node = near[i],
                              .size = n,
                              .send = send,
                              .recv = stand_in(s->in, hosts, n, turn, send)};
    }
    return d;
}

int atn_infer_near_units(const atn_infer_state *s, int v, int turn, atn_unit *units)
{
    const int d = atn_infer_units(s, v, turn, units);
    bool lonely[d];
    int n = 0;
    for (int i = 0; i < d; i++) {
        lonely[i] = s->clusters.n > 0;
        for (int j = 0; j < d && lonely[i]; j++)
            lonely[i] = j == i || atn_infer_apart(s, units[i].send, units[j].send);
    }
    for (int i = 0; i < d; i++)
        if (!lonely[i])
            units[n++] = units[i];
    return n;
}
