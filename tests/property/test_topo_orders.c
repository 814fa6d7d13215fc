/* test_topo_orders.c - topology-aware rings, chains and trees: contention-free on thousands of
 * random topologies, as short and as low as an exhaustive search finds, and verified as
 * schedules. */
#include "algo/contention.h"
#include "algo/free_tree.h"
#include "algo/order.h"
#include "all_ranks.h"
#include "trees.h"

static bool quick; /* under sanitizers */
static char why[ATN_ERROR_ROOM + 512];

static bool complain(const char *what, const atn_topo *t, int extra)
{
    snprintf(why, sizeof why, "%s (p=%d nodes=%d, %d)", what, t->p, t->nnodes, extra);
    return false;
}

/* ---- links ---- */

/* The sender on each directed link. */
typedef struct {
    const atn_topo *t;
    int user[2 * 6144], path[8192];
} links;

static void links_clear(links *l, const atn_topo *t)
{
    l->t = t;
    for (int e = 0; e < atn_topo_edges(t); e++)
        l->user[e] = -1;
}

/* False if another sender already uses a link of the path. */
static bool links_add(links *l, int from, int to)
{
    const int n = atn_topo_path(l->t, from, to, l->path);
    bool ok = true;

    for (int i = 0; i < n; i++) {
        ok = ok && (l->user[l->path[i]] < 0 || l->user[l->path[i]] == from);
        l->user[l->path[i]] = from;
    }
    return ok;
}

static bool ring_is_free(links *l, const atn_topo *t, const int *ring)
{
    bool ok = true;

    links_clear(l, t);
    for (int i = 0; ok && t->p > 1 && i < t->p; i++)
        ok = links_add(l, ring[i], ring[(i + 1) % t->p]);
    return ok;
}

static int longest_hop(const atn_topo *t, const int *ring)
{
    int most = 0;

    for (int i = 0; t->p > 1 && i < t->p; i++)
        most = atn_max(most, atn_topo_hops(t, ring[i], ring[(i + 1) % t->p]));
    return most;
}

static bool is_permutation(const int *ring, int p)
{
    bool seen[2048] = {false};

    for (int i = 0; i < p; i++) {
        if (ring[i] < 0 || ring[i] >= p || seen[ring[i]])
            return false;
        seen[ring[i]] = true;
    }
    return true;
}

/* ---- orders ---- */

static bool check_orders(const atn_topo *t, int root, links *l)
{
    int ring[2048], hops[ATN_ORDER_DFS + 1];

    for (int how = ATN_ORDER_LR1; how <= ATN_ORDER_DFS; how++) {
        const char *no = atn_algo_order_refuses(t, (atn_order)how);
        hops[how] = 1 << 20;
        if (no && how != ATN_ORDER_LR2)
            return complain(no, t, how);
        if (no ? atn_algo_order_ranks(t, (atn_order)how, root, ring)
               : !atn_algo_order_ranks(t, (atn_order)how, root, ring))
            return complain("an order is both refused and computed", t, how);
        if (no)
            continue;
        if (!is_permutation(ring, t->p))
            return complain("an order is not a permutation", t, how);
        if (!ring_is_free(l, t, ring))
            return complain("a ring has contention", t, how);
        if (how == ATN_ORDER_DFS && ring[0] != root)
            return complain("a chain does not begin at its root", t, root);
        hops[how] = longest_hop(t, ring);
    }
    if (hops[ATN_ORDER_LR2] <= 2 ? hops[ATN_ORDER_LR3] > 2 : hops[ATN_ORDER_LR3] <= 2)
        return complain("lr2 and lr3 disagree about two hops", t, hops[ATN_ORDER_LR3]);
    return hops[ATN_ORDER_LR3] <= hops[ATN_ORDER_LR1] || complain("lr3 is longer than lr1", t, 0);
}

static void orders_are_free(void)
{
    const int trees = quick ? 300 : 4000;
    uint64_t seed = 1234567;
    links *l = malloc(sizeof *l);
    bool ok = true;

    for (int i = 0; ok && i < trees; i++) {
        const int p = 1 + draw_below(&seed, 48);
        atn_topo *t = tree_random(p, 1 + draw_below(&seed, 24), 1 + draw_below(&seed, 3), &seed);
        ok = check_orders(t, draw_below(&seed, p), l);
        atn_topo_free(t);
    }
    free(l);
    tap(ok, "lr1, lr2, lr3 and dfs are contention-free on 4000 random trees", why);
}

static void large_orders_are_free(void)
{
    uint64_t seed = 99;
    links *l = malloc(sizeof *l);
    bool ok = true;

    for (int i = 0; ok && i < (quick ? 2 : 24); i++) {
        const int p = i % 3 == 0 ? 1024 : 500 + draw_below(&seed, 524);
        const int per_host = i % 4 == 3 ? 8 : 1;
        atn_topo *t = tree_random(p, i % 2 == 0 ? 128 : 512, per_host, &seed);
        ok = check_orders(t, draw_below(&seed, p), l);
        atn_topo_free(t);
    }
    free(l);
    tap(ok, "also with 1024 ranks", why);
}

/* ---- lr3 against all rings ---- */

static void all_rings(links *l, const atn_topo *t, int *ring, int n, int *best)
{
    if (n == t->p) {
        if (longest_hop(t, ring) < *best && ring_is_free(l, t, ring))
            *best = longest_hop(t, ring);
        return;
    }
    for (int i = n; i < t->p; i++) {
        const int there = ring[i];
        ring[i] = ring[n];
        ring[n] = there;
        all_rings(l, t, ring, n + 1, best);
        ring[n] = ring[i];
        ring[i] = there;
    }
}

static void shortest_is_shortest(void)
{
    uint64_t seed = 31337;
    links *l = malloc(sizeof *l);
    bool ok = true;
    int several = 0;

    for (int i = 0; ok && i < (quick ? 40 : 400); i++) {
        const int p = 3 + draw_below(&seed, i % 20 == 0 ? 6 : 5);
        atn_topo *t = tree_random(p, 8, 1, &seed);
        int ring[8], made[8], best = 1 << 20;
        for (int r = 0; r < p; r++)
            ring[r] = r;
        all_rings(l, t, ring, 1, &best);
        ok = atn_algo_order_ranks(t, ATN_ORDER_LR3, 0, made) && longest_hop(t, made) == best;
        several += best > 2;
        if (!ok)
            complain("a ring is shorter than lr3", t, best);
        atn_topo_free(t);
    }
    free(l);
    tap(ok && several > 10, "no contention-free ring is shorter than lr3", why);
}

/* ---- trees ---- */

/* The published heuristic, literally: the height of the tree on places lo .. hi. */
static bool edge_meets_tree(links *l, const int *rank, int i, int k, int lo, int hi,
                            int (*cut)[40][40])
{
    if (lo >= hi)
        return false;
    const int index = (*cut)[lo][hi];
    links_clear(l, l->t);
    links_add(l, rank[i], rank[k]);
    if (!links_add(l, rank[lo], rank[lo + 1]))
        return true;
    if (edge_meets_tree(l, rank, i, k, lo + 1, index - 1, cut))
        return true;
    links_clear(l, l->t);
    links_add(l, rank[i], rank[k]);
    if (index <= hi && !links_add(l, rank[lo], rank[index]))
        return true;
    return index <= hi && edge_meets_tree(l, rank, i, k, index, hi, cut);
}

static int published_height(links *l, const atn_topo *t, const int *rank)
{
    static int best[40][40], cut[40][40];

    links_clear(l, t);
    for (int n = 0; n < t->p; n++)
        for (int i = 0; i + n < t->p; i++) {
            const int j = i + n;
            best[i][j] = n == 0 ? 0 : n == 1 ? 1 : 1 << 20;
            cut[i][j] = j + 1;
            for (int k = i + 2; k <= j; k++) {
                const int high = atn_max(best[i + 1][k - 1], best[k][j]) + 1;
                if (high < best[i][j] && !edge_meets_tree(l, rank, i, k, i + 1, k - 1, &cut)) {
                    best[i][j] = high;
                    cut[i][j] = k;
                }
            }
        }
    return best[0][t->p - 1];
}

static bool tree_is_free(links *l, const atn_topo *t, const atn_free_tree *x, int root, int arity)
{
    bool seen[2048] = {false};
    bool ok = x->rank[0] == root && x->parent[0] == -1;

    links_clear(l, t);
    for (int i = 0; ok && i < x->p; i++) {
        ok = x->first[i + 1] - x->first[i] <= arity && x->place[x->rank[i]] == i;
        for (int k = x->first[i]; ok && k < x->first[i + 1]; k++) {
            const int c = x->child[k];
            ok = !seen[c] && c > i && x->parent[c] == i && links_add(l, x->rank[i], x->rank[c]);
            seen[c] = true;
        }
    }
    for (int i = 1; ok && i < x->p; i++)
        ok = seen[i];
    return ok || complain("not a contention-free tree", t, arity);
}

static bool check_trees(links *l, const atn_topo *t, int root, bool compare)
{
    int height = t->p;
    bool ok = true;

    for (int arity = 1; ok && arity <= 5; arity += arity == 3 ? 2 : 1) {
        atn_free_tree x;
        ok = atn_algo_free_tree_begin(t, root, arity, &x) && tree_is_free(l, t, &x, root, arity);
        if (ok && x.height > height)
            ok = complain("a larger arity makes the tree higher", t, arity);
        if (ok && arity == 1 && x.height != t->p - 1)
            ok = complain("arity 1 does not make a chain", t, x.height);
        if (ok && arity == 2 && compare && x.height > published_height(l, t, x.rank))
            ok = complain("the tree is higher than the published one", t, x.height);
        height = x.height;
        atn_algo_free_tree_end(&x);
    }
    return ok;
}

static void trees_are_free(void)
{
    const int trees = quick ? 200 : 3000;
    uint64_t seed = 4711;
    links *l = malloc(sizeof *l);
    bool ok = true;

    for (int i = 0; ok && i < trees; i++) {
        const int p = 1 + draw_below(&seed, i % 10 == 0 ? 36 : 16);
        atn_topo *t = tree_random(p, 1 + draw_below(&seed, 16), 1 + draw_below(&seed, 3), &seed);
        ok = check_trees(l, t, draw_below(&seed, p), true);
        atn_topo_free(t);
    }
    for (int i = 0; ok && i < (quick ? 1 : 9); i++) {
        static const int switches[] = {128, 1, 900};
        atn_topo *t = tree_random(1024, switches[i % 3], i % 2 ? 1 : 4, &seed);
        ok = check_trees(l, t, draw_below(&seed, 1024), false);
        atn_topo_free(t);
    }
    free(l);
    tap(ok, "trees are contention-free and as low as the published heuristic", why);
}

/* On one switch there is no contention. */
static void trees_on_one_switch_are_complete(void)
{
    bool ok = true;

    for (int p = 1; ok && p <= 130; p++) {
        atn_topo *t = tree_star(p);
        for (int arity = 2; ok && arity <= 4; arity++) {
            atn_free_tree x;
            int reach = 1, height = 0;
            for (int level = 1; reach < p; height++)
                reach += level *= arity;
            ok = atn_algo_free_tree_begin(t, 0, arity, &x) && x.height == height;
            if (!ok)
                complain("a complete tree is lower", t, arity);
            atn_algo_free_tree_end(&x);
        }
        atn_topo_free(t);
    }
    tap(ok, "on one switch trees are complete", why);
}

/* ---- schedules ---- */

static const char *const free_rows[] = {
    "allgather/ring{order=lr1}",      "allgather/ring{order=lr2}",
    "allgather/ring{order=lr3}",      "allgatherv/ring{order=dfs}",
    "allreduce/ring{order=lr1}",      "allreduce/ring{order=lr3}",
    "bcast/chain{order=dfs}",         "bcast/chain{order=lr1}",
    "bcast/chain{order=lr3}",         "bcast/topo_tree{arity=1}",
    "bcast/topo_tree{arity=2}",       "bcast/topo_tree{arity=4}",
    "reduce/chain{order=dfs}",        "reduce/chain{order=lr2}",
    "reduce/topo_tree{arity=1}",      "reduce/topo_tree{arity=3}",
    "reduce_scatter/ring{order=lr1}", "reduce_scatter_block/ring{order=lr3}",
};

static const atn_row *row_of(const char *text, atn_params *prm)
{
    char name[64], *open;

    snprintf(name, sizeof name, "%s", text);
    open = strchr(name, '{');
    *open++ = '\0';
    open[strlen(open) - 1] = '\0';
    const atn_row *row = atn_algo_catalog_by_name(name);
    return row && atn_algo_params_parse(row, open, prm, NULL) == ATN_OK ? row : NULL;
}

static bool check_schedule(const char *text, const atn_topo *t, int root, int segments,
                           int *refused)
{
    atn_params prm;
    const atn_row *row = row_of(text, &prm);
    const bool rooted = row && atn_sched_operation_get(row->op)->flags & ATN_ROOTED;
    const atn_problem q = {
        .op = row->op, .p = t->p, .root = rooted ? root : 0, .segments = segments, .topo = t};
    atn_error err = {0};
    atn_status status;
    atn_contention found;

    if (atn_algo_refuses(row, &q, &prm))
        return ++*refused;
    atn_schedule **s = build_all(row, &q, &prm, IN_PLACE_NONE, &status, &err);
    bool ok = s && atn_sched_verify(s, t->p, NULL, &err) == ATN_OK &&
              atn_algo_contention_find(s, t->p, t, false, &found, &err) == ATN_OK;
    if (ok && !found.apart)
        ok = complain("two messages share a link", t, found.any.edge);
    else if (ok && !found.by_round)
        ok = complain("two messages of a round share a link", t, found.round.edge);
    else if (!ok)
        snprintf(why, sizeof why, "%s p=%d: %s", text, t->p, err.text);
    free_all(s, t->p);
    return ok;
}

static void schedules_are_proved(void)
{
    const int trees = quick ? 10 : 120;

    for (size_t k = 0; k < sizeof free_rows / sizeof *free_rows; k++) {
        uint64_t seed = 777 + k;
        bool ok = true;
        int refused = 0;
        char name[160];
        for (int i = 0; ok && i < trees; i++) {
            const int p = 1 + draw_below(&seed, 33);
            atn_topo *t = tree_random(p, 1 + draw_below(&seed, 8), 1 + i % 2, &seed);
            ok = check_schedule(free_rows[k], t, draw_below(&seed, p), 1 + draw_below(&seed, 4),
                                &refused);
            atn_topo_free(t);
        }
        snprintf(name, sizeof name, "%s: verified and contention-free on %d trees", free_rows[k],
                 trees - refused);
        tap(ok && refused < trees, name, why);
    }
}

/* ---- a link with a long delay ---- */

static void slow_lines_are_crossed_once(void)
{
    plan *x = calloc(1, sizeof *x);
    const int core[2] = {plan_node(x, ATN_TOPO_SWITCH, -1, 0), plan_node(x, ATN_TOPO_SWITCH, 0, 0)};
    bool ok = true;

    x->nodes[core[1]].delay_ns = 10000000;
    for (int i = 0; i < 8; i++) {
        const int leaf = plan_node(x, ATN_TOPO_SWITCH, core[i % 2], 0);
        for (int h = 0; h < 3; h++)
            x->node_of[x->p++] = plan_node(x, ATN_TOPO_HOST, leaf, 0);
    }
    atn_topo *t = plan_make(x);
    for (int root = 0; ok && root < t->p; root++) {
        int ring[64], crossed = 0;
        ok = atn_algo_order_ranks(t, ATN_ORDER_DFS, root, ring);
        for (int i = 1; i < t->p; i++)
            crossed += ring[i] / 3 % 2 != ring[i - 1] / 3 % 2;
        ok = ok && (crossed == 1 || complain("the slow link is crossed again", t, root));
    }
    atn_topo_free(t);
    free(x);
    tap(ok, "a chain crosses a link with a delay of 10 ms once, for every root", why);
}

/* ---- detection of contention ---- */

static void faults_are_seen(void)
{
    atn_topo *t = tree_row(12);
    atn_params prm;
    const atn_row *row = row_of("allgather/ring{order=lr1}", &prm);
    const atn_problem q = {.op = row->op, .p = t->p, .segments = 1, .topo = t};
    atn_error err = {0};
    atn_status status;
    atn_contention found;
    int seen = 0, tried = 0;

    for (int r = 0; r < t->p; r++)
        for (int i = 0; i < t->p - 1; i++) {
            atn_schedule **s = build_all(row, &q, &prm, IN_PLACE_NONE, &status, &err);
            atn_op *o = &s[r]->ops[i];
            if (o->kind == ATN_OP_SEND) {
                o->peer = (o->peer + 1) % t->p == r ? (o->peer + 2) % t->p : (o->peer + 1) % t->p;
                tried++;
                atn_algo_contention_find(s, t->p, t, false, &found, &err);
                seen += !found.by_round;
            }
            free_all(s, t->p);
        }
    snprintf(why, sizeof why, "%d of %d", seen, tried);
    tap(tried > 50 && seen == tried, "every misdirected message collides and is reported", why);
    atn_topo_free(t);
}

/* ---- run time ---- */

static void tell_times(void)
{
    static const char *const orders[] = {NULL, "lr1", "lr2", "lr3", "dfs"};
    static const int switches[] = {1, 128, 900};
    uint64_t seed = 5;
    char name[100];

    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        atn_topo *t = tree_random(1024, switches[i], 1, &seed);
        int ring[1024];
        for (int how = ATN_ORDER_LR1; how <= ATN_ORDER_DFS; how++) {
            const clock_t since = clock();
            atn_algo_order_ranks(t, (atn_order)how, 7, ring);
            snprintf(name, sizeof name, "1024 ranks, %d nodes, %s", t->nnodes, orders[how]);
            tell_seconds(name, since);
        }
        for (int arity = 1; arity <= 4; arity++) {
            const clock_t since = clock();
            atn_free_tree x;
            atn_algo_free_tree_begin(t, 7, arity, &x);
            snprintf(name, sizeof name, "1024 ranks, %d nodes, tree of arity %d, height %d",
                     t->nnodes, arity, x.height);
            tell_seconds(name, since);
            atn_algo_free_tree_end(&x);
        }
        atn_topo_free(t);
    }
}

/* ---- by name ---- */

static void names_give_an_order(void)
{
    atn_topo *t = NULL;
    int ranks[16];
    bool ok = atn_topo_parse_synthetic("4x4@100M;order=roundrobin", &t, NULL) == ATN_OK &&
              atn_algo_order_ranks(t, ATN_ORDER_NAME, 0, ranks);

    for (int i = 0; ok && i < 16; i++)
        ok = ranks[i] == i % 4 * 4 + i / 4;
    tap(ok, "by name, ranks of consecutive hosts are neighbours", "");
    atn_topo_free(t);
}

int main(void)
{
    quick = getenv("ATN_TEST_QUICK") != NULL;
    orders_are_free();
    large_orders_are_free();
    shortest_is_shortest();
    trees_are_free();
    trees_on_one_switch_are_complete();
    schedules_are_proved();
    slow_lines_are_crossed_once();
    faults_are_seen();
    names_give_an_order();
    if (!quick)
        tell_times();
    return tap_end();
}
