/* fingerprint.c - a hash of a placed tree, and one of its links.
 *
 * The hash of a branch takes its link, kind and ranks and the sorted hashes of its own branches,
 * so names and order do not matter.  A network has no top: a chain of switches may be written
 * from either end or from its middle.  So the last hash is that of the node of rank 0, with the
 * way up as one branch more; without ranks, the sum of what the nodes that hold some see.  With
 * routes, hosts have their number in the network, and its links and rule are added. */
#include <stdlib.h>

#include "topo/routes.h"
#include "topo/topo.h"

typedef struct {
    const atn_topo *t;
    int *below;      /* ranks at or below each node */
    int *end;        /* where the subtree of each node ends */
    uint64_t *ranks; /* hash of the ranks on each node itself */
    uint64_t *hash;  /* of each subtree */
    uint64_t *kids;  /* hashes of the children at hand */
} work;

static uint64_t mix(uint64_t hash, uint64_t v) { return atn_hash(&v, sizeof v, hash * 31 + 1); }

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void prepare(work *w, bool placed)
{
    const atn_topo *t = w->t;
    atn_topo_below(t, w->below);
    for (int v = 0; v < t->nnodes; v++) {
        w->end[v] = v + 1;
        w->ranks[v] = 1;
    }
    for (int v = t->nnodes - 1; v > 0; v--)
        w->end[t->nodes[v].parent] = atn_max(w->end[t->nodes[v].parent], w->end[v]);
    for (int r = 0; placed && r < t->p; r++)
        w->ranks[t->node_of[r]] = mix(w->ranks[t->node_of[r]], (uint64_t)r);
}

/* Where the tree really begins: below what no path between ranks crosses. */
static int first_node(const work *w)
{
    int top = 0;
    for (int v = 1; w->t->p > 0 && v < w->t->nnodes; v++)
        if (w->below[v] == w->t->p && w->t->nodes[v].parent == top)
            top = v;
    return top;
}

/* A branch as the node at the other end of its link sees it. */
static uint64_t hash_branch(const work *w, int link, uint64_t hash)
{
    const atn_topo_node *node = &w->t->nodes[link];
    return mix(mix(hash, (uint64_t)node->rate), (uint64_t)node->delay_ns);
}

/* Hosts of one router differ only if their routes do. */
static uint64_t place_in_routes(const atn_routes *x, int host)
{
    return (uint64_t)(x->by_host ? host : x->router_of[host]);
}

static bool counts(const work *w, int v) { return w->t->p == 0 || w->below[v] > 0; }

/* Sorts the branches of a node: its children but one, and perhaps what is above it. */
static int sort_branches(const work *w, int v, int without, const uint64_t *above)
{
    int n = 0;
    for (int c = v + 1; c < w->end[v]; c = w->end[c])
        if (c != without && counts(w, c))
            w->kids[n++] = hash_branch(w, c, w->hash[c]);
    if (above)
        w->kids[n++] = *above;
    qsort(w->kids, (size_t)n, sizeof *w->kids, by_value);
    return n;
}

/* A node with its sorted branches, but one of this value. */
static uint64_t hash_sorted(const work *w, int v, int n, const uint64_t *without)
{
    uint64_t hash = mix(mix(7, w->t->nodes[v].kind), w->ranks[v]);
    if (w->t->routes && w->t->nodes[v].kind == ATN_TOPO_HOST)
        hash = mix(hash, place_in_routes(w->t->routes, w->t->nodes[v].number));
    for (int i = 0; i < n; i++) {
        if (without && w->kids[i] == *without)
            without = NULL;
        else
            hash = mix(hash, w->kids[i]);
    }
    return hash;
}

static uint64_t hash_node(const work *w, int v, int without, const uint64_t *above)
{
    return hash_sorted(w, v, sort_branches(w, v, without, above), NULL);
}

/* From the top down to the node of rank 0: depth-first numbers give the child that leads there. */
static uint64_t hash_from_first_rank(const work *w, int top)
{
    const int goal = w->t->p > 0 ? w->t->node_of[0] : top;
    uint64_t above = 0;
    for (int v = top;;) {
        int next = v + 1;
        while (v != goal && w->end[next] <= goal)
            next = w->end[next];
        const uint64_t hash = hash_node(w, v, v == goal ? -1 : next, v == top ? NULL : &above);
        if (v == goal)
            return hash;
        above = hash_branch(w, next, hash);
        v = next;
    }
}

/* What each child of a node sees above itself.  A switch may have thousands: its branches are
 * sorted once, and equal children that follow each other see the same. */
static void look_up(const work *w, int v, const uint64_t *up, uint64_t *above)
{
    const int n = sort_branches(w, v, -1, up);
    uint64_t known = 0, seen = hash_sorted(w, v, n, NULL);
    bool left_out = false; /* a branch of the value `known` */
    for (int c = v + 1; c < w->end[v]; c = w->end[c]) {
        const uint64_t own = hash_branch(w, c, w->hash[c]);
        if (counts(w, c) != left_out || (left_out && own != known)) {
            left_out = counts(w, c);
            known = own;
            seen = hash_sorted(w, v, n, left_out ? &known : NULL);
        }
        above[c] = hash_branch(w, c, seen);
    }
}

static uint64_t hash_from_everywhere(const work *w, int top, uint64_t *above)
{
    const atn_topo *t = w->t;
    uint64_t sum = 0;
    for (int v = top; v < w->end[top]; v++) {
        const uint64_t *const up = v == top ? NULL : &above[v];
        look_up(w, v, up, above);
        if (t->p == 0 || (t->nodes[v].kind != ATN_TOPO_SWITCH && w->below[v] > 0))
            sum += hash_node(w, v, -1, up);
    }
    return sum;
}

static uint64_t fingerprint(const atn_topo *t, bool placed)
{
    const size_t n = (size_t)t->nnodes;
    int *ints = malloc(sizeof *ints * 2 * n);
    uint64_t *words = malloc(sizeof *words * (4 * n + 1)), result = 0;
    if (ints && words) {
        work w = {t, ints, ints + n, words, words + n, words + 2 * n};
        prepare(&w, placed);
        const int top = first_node(&w);
        for (int v = t->nnodes - 1; v >= top; v--)
            w.hash[v] = hash_node(&w, v, -1, NULL);
        result = placed ? mix(hash_from_first_rank(&w, top), (uint64_t)t->p)
                        : mix(hash_from_everywhere(&w, top, words + 3 * n + 1), 3);
    }
    free(ints);
    free(words);
    return result;
}

static uint64_t with_routes(const atn_topo *t, uint64_t tree)
{
    return t->routes && tree ? mix(tree, atn_topo_routes_hash(t->routes)) : tree;
}

uint64_t atn_topo_fingerprint(const atn_topo *t) { return with_routes(t, fingerprint(t, true)); }
uint64_t atn_topo_wires(const atn_topo *t) { return with_routes(t, fingerprint(t, false)); }
