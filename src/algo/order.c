/* order.c - topology-aware rank orders: lr1, lr2, dfs, name. */
#include "algo/order.h"

#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"
#include "algo/derived.h"
#include "algo/forest.h"
#include "algo/order_lr3.h"
#include "algo/walk.h"
#include "topo/hostlist.h"

/* ---- lr2 ---- */

static int count_switches(const atn_forest *f, int v)
{
    int n = 0;

    for (int i = f->first[v]; i < f->first[v + 1]; i++)
        n += atn_algo_forest_switch(f, f->child[i]);
    return n;
}

static const char *no_two_hops(const atn_forest *f)
{
    for (int v = 0; v < f->t->nnodes; v++) {
        if (!atn_algo_forest_switch(f, v) || f->below[v] == 0 ||
            (v != f->root && f->below[v] == f->t->p))
            continue;
        const int inner = count_switches(f, v), machines = f->first[v + 1] - f->first[v] - inner;
        if (machines < inner + (v != f->root))
            return "a switch has fewer hosts than neighbouring switches, so no ring has two hops";
    }
    return NULL;
}

/* A host before every branch, the remaining hosts after the last one. */
static int interleave(const atn_forest *f, int v, int *ranks, int n)
{
    int host = f->first[v], inner = f->first[v];
    const int end = f->first[v + 1];

    for (;;) {
        while (host < end && atn_algo_forest_switch(f, f->child[host]))
            host++;
        while (inner < end && !atn_algo_forest_switch(f, f->child[inner]))
            inner++;
        if (host < end)
            n = atn_algo_forest_take(f, f->child[host++], ranks, n);
        if (inner < end)
            n = interleave(f, f->child[inner++], ranks, n);
        if (host >= end && inner >= end)
            return n;
    }
}

/* ---- name ---- */

static const char *name_of(const atn_topo *t, int rank)
{
    return t->nodes[atn_topo_host_of(t, rank)].name;
}

static int by_name(const void *a, const void *b, void *topo)
{
    const int x = *(const int *)a, y = *(const int *)b;
    const int order = atn_topo_name_compare(name_of(topo, x), name_of(topo, y));
    return order != 0 ? order : x - y;
}

static bool sort_by_name(const atn_topo *t, int *ranks)
{
    for (int r = 0; r < t->p; r++)
        ranks[r] = r;
    qsort_r(ranks, (size_t)t->p, sizeof *ranks, by_name, (void *)t);
    return true;
}

/* Whether two names are equal apart from numbers. */
static bool is_alike(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    while (*a != '\0' && *b != '\0') {
        const size_t na = strspn(a, digits), nb = strspn(b, digits);
        if ((na == 0) != (nb == 0) || (na == 0 && *a != *b))
            return false;
        a += na == 0 ? 1 : na;
        b += nb == 0 ? 1 : nb;
    }
    return *a == *b;
}

bool atn_algo_order_names_differ(const atn_topo *t)
{
    bool differ = false;
    for (int r = 1; r < t->p; r++) {
        if (!is_alike(name_of(t, 0), name_of(t, r)))
            return false;
        differ = differ || atn_topo_name_compare(name_of(t, r - 1), name_of(t, r)) > 0;
    }
    return differ;
}

/* ---- interface ---- */

static bool depth_first(const atn_topo *t, int root, int *ranks)
{
    atn_walk w;
    const bool ok = atn_algo_walk_begin(t, root, &w);

    if (ok)
        memcpy(ranks, w.rank, sizeof *ranks * (size_t)t->p);
    atn_algo_walk_end(&w);
    return ok;
}

static const char *arrange(const atn_forest *f, atn_order how, int *ranks)
{
    const char *why = NULL;

    if (how == ATN_ORDER_LR1 || !atn_algo_forest_switch(f, f->root)) {
        if (ranks)
            atn_algo_forest_take(f, f->root, ranks, 0);
        return NULL;
    }
    if (f->t->routes)
        return "such rings are known for trees only, and the network has other routes";
    if (how == ATN_ORDER_LR3)
        return atn_algo_order_shortest(f, ranks);
    why = no_two_hops(f);
    if (!why && ranks)
        interleave(f, f->root, ranks, 0);
    return why;
}

static const char *make(const atn_topo *t, atn_order how, int *ranks)
{
    atn_forest f;
    const char *why = atn_algo_no_memory;

    if (atn_algo_forest_begin(t, &f))
        why = arrange(&f, how, ranks);
    atn_algo_forest_end(&f);
    return why;
}

typedef struct {
    const char *why;
} refusal;

const char *atn_algo_order_refuses(const atn_topo *t, atn_order how)
{
    const atn_derived_key key = {.maker = "refused order", .topo = t, .n = {(int64_t)how}};
    const refusal *known = atn_algo_derived_find(&key);

    if (how != ATN_ORDER_LR2 && how != ATN_ORDER_LR3)
        return NULL;
    if (known)
        return known->why;
    const char *const why = make(t, how, NULL);
    if (why == atn_algo_no_memory)
        return why;
    refusal *kept = malloc(sizeof *kept);
    if (kept)
        kept->why = why;
    if (!kept || !atn_algo_derived_keep(&key, kept, free))
        free(kept);
    return why;
}

static bool find_order(const atn_topo *t, atn_order how, int root, int *ranks)
{
    if (how == ATN_ORDER_NAME)
        return sort_by_name(t, ranks);
    return how == ATN_ORDER_DFS ? depth_first(t, root, ranks) : make(t, how, ranks) == NULL;
}

bool atn_algo_order_ranks(const atn_topo *t, atn_order how, int root, int *ranks)
{
    const size_t bytes = sizeof *ranks * (size_t)t->p;
    const atn_derived_key key = {.maker = "order", .topo = t, .n = {(int64_t)how, root}};
    int *kept = atn_algo_derived_find(&key);

    for (int r = 0; how == ATN_ORDER_RANK && r < t->p; r++)
        ranks[r] = r;
    if (how == ATN_ORDER_RANK)
        return true;
    if (kept)
        memcpy(ranks, kept, bytes);
    if (kept)
        return true;
    if (!find_order(t, how, root, ranks))
        return false;
    kept = malloc(bytes);
    if (kept)
        memcpy(kept, ranks, bytes);
    if (!kept || !atn_algo_derived_keep(&key, kept, free))
        free(kept);
    return true;
}
