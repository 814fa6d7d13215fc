/* trees.h - topologies for tests: explicit, or random from a seed. */
#ifndef TREES_H
#define TREES_H

#include <stdlib.h>
#include <time.h>

#include "topo/draft.h"
#include "topo/topo.h"

static inline uint64_t draw(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}
static inline int draw_below(uint64_t *seed, int n) { return (int)(draw(seed) >> 33) % n; }

/* Prints "# name: seconds"; times are never asserted. */
static inline void tell_seconds(const char *name, clock_t since)
{
    printf("# %s: %.3f s\n", name, (double)(clock() - since) / CLOCKS_PER_SEC);
}

/* Switches and hosts by their parents; ranks by their hosts.  Names are numbers. */
typedef struct {
    atn_topo_node nodes[4096];
    char names[4096][8];
    int n;
    int node_of[2048], p;
} plan;

static inline int plan_node(plan *x, atn_topo_kind kind, int parent, int64_t rate)
{
    snprintf(x->names[x->n], sizeof x->names[0], "%d", x->n % 100000);
    x->nodes[x->n] =
        (atn_topo_node){.name = x->names[x->n], .kind = kind, .parent = parent, .rate = rate};
    return x->n++;
}

static inline atn_topo *plan_make(const plan *x)
{
    return atn_topo_make(x->nodes, x->n, x->node_of, x->p, "test");
}

/* Moves rank i to the location of rank j. */
static inline void plan_shuffle(plan *x, uint64_t *seed)
{
    for (int i = x->p - 1; i > 0; i--) {
        const int j = draw_below(seed, i + 1), node = x->node_of[i];
        x->node_of[i] = x->node_of[j];
        x->node_of[j] = node;
    }
}

/* Switches in a row with three hosts each, so that every order exists; ranks shuffled. */
static inline atn_topo *tree_row(int p)
{
    plan *x = calloc(1, sizeof *x);
    uint64_t seed = 88172645463325252u + (uint64_t)p;
    int last = -1;

    for (int r = 0; r < p; r++) {
        if (r % 3 == 0)
            last = plan_node(x, ATN_TOPO_SWITCH, last, 0);
        x->node_of[x->p++] = plan_node(x, ATN_TOPO_HOST, last, 0);
    }
    plan_shuffle(x, &seed);
    atn_topo *t = plan_make(x);
    free(x);
    return t;
}

/* One switch. */
static inline atn_topo *tree_star(int p)
{
    plan *x = calloc(1, sizeof *x);
    const int top = plan_node(x, ATN_TOPO_SWITCH, -1, 0);

    for (int r = 0; r < p; r++)
        x->node_of[x->p++] = plan_node(x, ATN_TOPO_HOST, top, 0);
    atn_topo *t = plan_make(x);
    free(x);
    return t;
}

/* Random: up to `switches` switches of any shape, up to `most` ranks on a host. */
static inline atn_topo *tree_random(int p, int switches, int most, uint64_t *seed)
{
    plan *x = calloc(1, sizeof *x);
    const int n = 1 + draw_below(seed, switches), reach = 1 + draw_below(seed, n);

    for (int i = 0; i < n; i++)
        plan_node(x, ATN_TOPO_SWITCH, i == 0 ? -1 : i - 1 - draw_below(seed, atn_min(i, reach)), 0);
    while (x->p < p) {
        const int host = plan_node(x, ATN_TOPO_HOST, draw_below(seed, n), 0);
        for (int k = 1 + draw_below(seed, most); k > 0 && x->p < p; k--)
            x->node_of[x->p++] = host;
    }
    plan_shuffle(x, seed);
    atn_topo *t = plan_make(x);
    free(x);
    return t;
}

/* Rates: each link is up to `most` times as fast as the slowest. */
static inline void tree_rates(atn_topo *t, int most, uint64_t *seed)
{
    for (int v = 1; v < t->nnodes; v++)
        t->nodes[v].rate = INT64_C(100000000) * (1 + draw_below(seed, most));
}

#endif
