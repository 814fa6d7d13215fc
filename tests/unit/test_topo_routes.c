/* test_topo_routes.c - networks with routes: brute force, and formulas from the literature. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "networks.h"
#include "topo/write.h"

static const char *const networks[] = {
    "torus:5@1G",
    "torus:4x4@1G",
    "torus:2x3x4@1G+1us;per=2;inject=2G",
    "torus:2x2x2x2@1G",
    "torus:1x6x2@3G;ranks=2",
    "mesh:3x4@1G",
    "mesh:2x3x3@1G;per=3;order=5,7,0-3,20",
    "dragonfly:9x4x2@1G",
    "dragonfly:5@4G+1us x4@2G x2@1G;global=3",
    "dragonfly:4x2x3@1G;global=4;ranks=2;order=roundrobin",
    "dragonfly:1x4x2@1G",
    "dragonfly:6x1x2@1G",
    "fattree:3x4x6@1G;oversubscribe=2;routes=dmodk",
    "fattree:4x8@1G;up=3;routes=dmodk;ranks=2",
    "kary:2,4@1G;routes=dmodk",
    "kary:3,3@1G;routes=dmodk;order=roundrobin",
    "fattree:2@4G x3@2G x4@1G;up=1,2;routes=dmodk",
    "fattree:4x4@1G+1us;rails=2;routes=dmodk",
    "fattree:2x3x4@1G;rails=3;oversubscribe=2;routes=dmodk;ranks=2",
};
enum { NETWORKS = sizeof networks / sizeof *networks };

static atn_topo *load(const char *text)
{
    atn_topo *t = NULL;
    atn_error err = {0};
    if (atn_topo_load(text, &t, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return t;
}

/* ---- paths ---- */

static void routes_connect_all_pairs(void **unused)
{
    (void)unused;
    for (int i = 0; i < NETWORKS; i++) {
        atn_topo *t = load(networks[i]);
        int *path = malloc(sizeof *path * (size_t)atn_topo_longest(t));
        assert_non_null(t->routes);
        for (int u = 0; u < t->p; u++)
            for (int v = 0; v < t->p; v++)
                if (u != v)
                    t_check_path(t, u, v, path);
        free(path);
        atn_topo_free(t);
    }
}

/* The longest of all shortest routes, which all routes must be. */
static int check_shortest(const char *text)
{
    atn_topo *t = load(text);
    const atn_routes *x = t->routes;
    int *distance = malloc(sizeof *distance * (size_t)x->nrouters);
    int *edges = malloc(sizeof *edges * (size_t)x->longest);
    int longest = 0;
    for (int u = 0; u < x->nhosts; u++) {
        t_find_distances(x, x->router_of[u], distance);
        for (int v = 0; v < x->nhosts; v++) {
            const int n = atn_topo_route(x, u, v, edges);
            assert_int_equal(n, distance[x->router_of[v]]);
            longest = atn_max(longest, n);
        }
    }
    assert_int_equal(longest, x->longest);
    free(distance);
    free(edges);
    atn_topo_free(t);
    return longest;
}

/* Diameters: n * floor(k / 2) of a torus, the sum of k - 1 of a mesh, 2 (n - 1) of a fat tree. */
static void routes_are_shortest(void **unused)
{
    (void)unused;
    assert_int_equal(check_shortest("torus:5x5@1G"), 4);
    assert_int_equal(check_shortest("torus:4x4x4@1G"), 6);
    assert_int_equal(check_shortest("torus:2x6x3@1G;per=2"), 5);
    assert_int_equal(check_shortest("mesh:4x3x2@1G"), 6);
    assert_int_equal(check_shortest("fattree:3x4x6@1G;oversubscribe=3;routes=dmodk"), 4);
    assert_int_equal(check_shortest("kary:2,4@1G;routes=dmodk"), 6);
    assert_int_equal(check_shortest("fattree:4x4@1G;rails=2;routes=dmodk"), 4);
}

/* Minimal routes of a dragonfly: at most one link between groups, with one in each group. */
static void dragonflies_cross_one_global_link(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"dragonfly:9x4x2@1G", "dragonfly:5x4x2@1G;global=3"};
    for (int i = 0; i < 2; i++) {
        atn_topo *t = load(texts[i]);
        const atn_routes *x = t->routes;
        int edges[3];
        for (int u = 0; u < x->nhosts; u++)
            for (int v = 0; v < x->nhosts; v++) {
                const int n = atn_topo_route(x, u, v, edges);
                int global = 0;
                for (int k = 0; k < n; k++)
                    global += x->links[edges[k] / 2].a / 4 != x->links[edges[k] / 2].b / 4;
                assert_int_equal(global, u / 8 != v / 8);
                assert_true(n <= (global ? 3 : 1));
            }
        atn_topo_free(t);
    }
}

/* ---- loads ---- */

static void loads_are_counted_on_routes(void **unused)
{
    (void)unused;
    for (int i = 0; i < NETWORKS; i++) {
        atn_topo *t = load(networks[i]);
        int some[8], n = 0;
        t_check_loads(t);
        for (int r = t->p - 1; r >= 0 && n < 8; r -= 1 + t->p / 9)
            some[n++] = r;
        atn_topo *part = atn_topo_sub(t, some, n);
        assert_non_null(part);
        assert_ptr_equal(part->routes, t->routes);
        t_check_loads(part);
        atn_topo_free(t); /* the routes remain */
        t_check_loads(part);
        atn_topo_free(part);
    }
}

/* All directed links of a network carry this many messages of an alltoall. */
static void check_balance(const char *text, int first, int end, int64_t each)
{
    atn_topo *t = load(text);
    int64_t *loads = malloc(sizeof *loads * (size_t)atn_topo_edges(t));
    atn_topo_loads(t, loads);
    for (int e = 2 * first; e < 2 * (end < 0 ? t->routes->nlinks : end); e++)
        assert_int_equal(loads[2 * (t->p + t->nnodes) + e], each);
    free(loads);
    atn_topo_free(t);
}

/* Tori of N routers with k in each dimension: N k / 8 messages for k a multiple of four,
 * N (k - 1/k) / 8 for odd k.  Dragonflies: all pairs of hosts of two groups share a link.  Fat
 * trees with D-mod-k: the messages of a branch are spread evenly over its links. */
static void loads_are_balanced(void **unused)
{
    (void)unused;
    check_balance("torus:8@1G", 0, -1, 8);
    check_balance("torus:8x8@1G", 0, -1, 64);
    check_balance("torus:4x4x4@1G", 0, -1, 32);
    check_balance("torus:5x5@1G", 0, -1, 15);
    check_balance("dragonfly:9x4x2@1G", 54, -1, 64);
    check_balance("fattree:4x4@1G;routes=dmodk", 0, -1, 12);
    check_balance("fattree:4x8@1G;oversubscribe=2;routes=dmodk", 0, -1, 48);
    check_balance("kary:2,3@1G;routes=dmodk", 0, 8, 6);
    check_balance("kary:2,3@1G;routes=dmodk", 8, -1, 4);
}

/* Zahavi 2012: every shift of the hosts is free of contention on a fat tree with full bandwidth. */
static void shifts_meet_nowhere_on_fat_trees(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"kary:4,2@1G;routes=dmodk", "kary:3,3@1G;routes=dmodk",
                                        "fattree:8x4x4@1G;routes=dmodk"};
    for (int i = 0; i < 3; i++) {
        atn_topo *t = load(texts[i]);
        const atn_routes *x = t->routes;
        int *used = calloc(2 * (size_t)x->nlinks, sizeof *used), edges[8];
        for (int shift = 1; shift < x->nhosts; shift++)
            for (int u = 0; u < x->nhosts; u++)
                for (int n = atn_topo_route(x, u, (u + shift) % x->nhosts, edges); n > 0; n--) {
                    assert_int_not_equal(used[edges[n - 1]], shift);
                    used[edges[n - 1]] = shift;
                }
        free(used);
        atn_topo_free(t);
    }
}

/* Rails are networks of their own: no switch has links of two of them. */
static void rails_are_apart(void **unused)
{
    (void)unused;
    atn_topo *t = load("fattree:2x4x4@1G;rails=3;routes=dmodk");
    const atn_routes *x = t->routes;
    int *rail = malloc(sizeof *rail * (size_t)x->nrouters), used[3] = {0};
    for (int v = 0; v < x->nrouters; v++)
        rail[v] = -1;
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < x->nlinks; i++) {
            const int a = x->links[i].a, b = x->links[i].b;
            const int mine = a < x->nhosts ? i % 3 : rail[a];
            assert_true(rail[b] < 0 || mine < 0 || rail[b] == mine);
            rail[b] = mine < 0 ? rail[b] : mine;
        }
    for (int v = x->nhosts; v < x->nrouters; v++)
        used[rail[v]]++;
    assert_true(used[0] > 0 && used[0] == used[1] && used[1] == used[2]);
    free(rail);
    atn_topo_free(t);
}

/* ---- sizes ---- */

static void networks_have_the_links_of_the_literature(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int hosts, routers, links;
    } cases[] = {
        {"torus:8x8x8@1G", 512, 512, 3 * 512},         /* n k^n */
        {"torus:2x2x2@1G", 8, 8, 12},                  /* a hypercube */
        {"mesh:4x5@1G", 20, 20, 3 * 5 + 4 * 4},        /* */
        {"dragonfly:9x4x2@1G", 72, 36, 9 * 6 + 36},    /* g = a h + 1, one link for each pair */
        {"dragonfly:3x2x2@1G;global=2", 12, 6, 3 + 6}, /* */
        {"kary:4,3@1G;routes=dmodk", 64, 3 * 16, 2 * 64},
        {"fattree:4x2x2@1G;routes=dmodk", 16, 8 + 8 + 4, 16 + 16}, /* switches with four ports */
        {"fattree:4x4@1G;rails=2;routes=dmodk", 16, 16 + 2 * (4 + 4), 2 * (16 + 4 * 4)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_topo *t = load(cases[i].text);
        assert_int_equal(t->routes->nhosts, cases[i].hosts);
        assert_int_equal(t->routes->nrouters, cases[i].routers);
        assert_int_equal(t->routes->nlinks, cases[i].links);
        atn_topo_free(t);
    }
}

/* A balanced dragonfly gives each router as many links to other groups; 2 k^(n-1) links leave the
 * half of a torus. */
static void links_are_spread(void **unused)
{
    (void)unused;
    atn_topo *t = load("dragonfly:9x4x2@1G");
    int used[36] = {0}, across = 0;
    for (int i = 54; i < t->routes->nlinks; i++) {
        used[t->routes->links[i].a]++;
        used[t->routes->links[i].b]++;
    }
    for (int v = 0; v < 36; v++)
        assert_int_equal(used[v], 2);
    atn_topo_free(t);
    t = load("torus:8x8x8@1G");
    for (int i = 0; i < t->routes->nlinks; i++)
        across += (t->routes->links[i].a < 256) != (t->routes->links[i].b < 256);
    assert_int_equal(across, 2 * 64);
    atn_topo_free(t);
}

/* ---- the tree of levels ---- */

/* The rate of a switch is that of the links between routers inside and outside of its branch. */
static void switches_have_the_rates_of_their_cuts(void **unused)
{
    (void)unused;
    for (int i = 0; i < NETWORKS; i++) {
        atn_topo *t = load(networks[i]);
        const atn_routes *x = t->routes;
        if (x->tiers > 1) { /* routers of upper tiers hold no hosts */
            atn_topo_free(t);
            continue;
        }
        for (int v = 1; v < t->nnodes; v++) {
            bool *inside = calloc((size_t)x->nrouters, sizeof *inside);
            int64_t rate = 0;
            for (int h = 0; h < t->nnodes; h++)
                for (int up = h; t->nodes[h].kind == ATN_TOPO_HOST && up >= 0;
                     up = t->nodes[up].parent)
                    if (up == v)
                        inside[x->router_of[t->nodes[h].number]] = true;
            for (int l = 0; l < x->nlinks; l++)
                if (inside[x->links[l].a] != inside[x->links[l].b])
                    rate += x->links[l].rate;
            if (t->nodes[v].kind == ATN_TOPO_SWITCH)
                assert_true(t->nodes[v].rate == rate);
            free(inside);
        }
        atn_topo_free(t);
    }
}

static int64_t tree_delay(const atn_topo *t, int u, int v)
{
    bool seen[4096] = {false};
    int64_t delay = 0;
    int a = t->node_of[u], top = t->node_of[v];
    for (int n = a; n >= 0; n = t->nodes[n].parent)
        seen[n] = true;
    for (; !seen[top]; top = t->nodes[top].parent)
        delay += t->nodes[top].delay_ns;
    for (; a != top; a = t->nodes[a].parent)
        delay += t->nodes[a].delay_ns;
    return delay;
}

/* Bounds from the tree need this. */
static void no_route_is_faster_than_the_tree(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "torus:3x4x4@1G+7us;inject=1G+1us",
        "torus:4@1G+9us x4@1G+2us",
        "mesh:2@1G+1us x5@1G+8us;per=2",
        "dragonfly:5@1G+10us x4@1G+2us x2@1G+1us",
        "dragonfly:5@1G+1us x4@1G+4us x2@1G+1us;global=2",
        "fattree:3@1G+5us x4@1G+3us x6@1G+1us;up=2,3;routes=dmodk",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        atn_topo *t = load(texts[i]);
        int path[64];
        int64_t sum = 0;
        for (int u = 0; u < t->p; u++)
            for (int v = 0; v < t->p; v++) {
                int64_t delay = 0;
                for (int n = u == v ? 0 : atn_topo_path(t, u, v, path); n > 0; n--)
                    delay += atn_topo_delay(t, path[n - 1]);
                assert_true(tree_delay(t, u, v) <= delay);
                sum += tree_delay(t, u, v);
            }
        assert_true(sum > 0);
        atn_topo_free(t);
    }
}

/* A fat tree with fixed routes has the rates of the tree that stands for it. */
static void fat_trees_have_the_same_trunks(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"fattree:3x4x6@1G;oversubscribe=2", "kary:3,3@1G+1us",
                                        "fattree:2@4G x3@2G x4@1G;up=1,2",
                                        "fattree:2x4x4@1G+1us;rails=2;oversubscribe=2"};
    for (int i = 0; i < 4; i++) {
        char routed[80];
        snprintf(routed, sizeof routed, "%s;routes=dmodk", texts[i]);
        atn_topo *a = load(texts[i]), *b = load(routed);
        assert_null(a->routes);
        assert_int_equal(a->nnodes, b->nnodes);
        for (int v = 0; v < a->nnodes; v++)
            assert_true(a->nodes[v].rate == b->nodes[v].rate &&
                        a->nodes[v].delay_ns == b->nodes[v].delay_ns);
        assert_true(atn_topo_fingerprint(a) != atn_topo_fingerprint(b));
        atn_topo_free(a);
        atn_topo_free(b);
    }
}

/* ---- text and identity ---- */

static void networks_round_trip(void **unused)
{
    (void)unused;
    for (int i = 0; i < NETWORKS; i++) {
        atn_topo *t = load(networks[i]), *back = NULL, *again = NULL;
        atn_error err = {0};
        char *text = atn_topo_print(t), *string = NULL;
        if (atn_topo_parse_slurm(text, "text", &back, &err) != ATN_OK)
            fail_msg("%s", err.text);
        assert_true(atn_topo_fingerprint(t) == atn_topo_fingerprint(back));
        assert_true(atn_topo_wires(t) == atn_topo_wires(back));
        t_check_loads(back);
        char *twice = atn_topo_print(back);
        assert_string_equal(text, twice);
        if (atn_topo_to_synthetic(back, &string, &err) != ATN_OK)
            fail_msg("%s", err.text);
        assert_string_equal(string, networks[i]);
        assert_int_equal(atn_topo_load(string, &again, &err), ATN_OK);
        assert_true(atn_topo_fingerprint(t) == atn_topo_fingerprint(again));
        free(text);
        free(twice);
        free(string);
        atn_topo_free(t);
        atn_topo_free(back);
        atn_topo_free(again);
    }
}

static void fingerprints_distinguish_networks(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "torus:4x4@1G",
        "mesh:4x4@1G",
        "torus:4x4@2G;inject=1G",
        "torus:4x4@1G+1us",
        "torus:2x8@1G",
        "torus:4x4@1G;order=1,0,2-15",
        "torus:4x4@1G;order=0-14",
        "torus:4x4@1G;order=1-15",
        "4x4@1G",
        "dragonfly:4x4x1@1G",
        "dragonfly:4x4x1@1G;global=2",
        "kary:4,2@1G;routes=dmodk",
        "fattree:4x4@1G;up=2;routes=dmodk",
    };
    enum { TEXTS = sizeof texts / sizeof *texts };
    uint64_t print[TEXTS];
    for (int i = 0; i < TEXTS; i++) {
        atn_topo *t = load(texts[i]);
        print[i] = atn_topo_fingerprint(t);
        for (int k = 0; k < i; k++)
            assert_true(print[i] != print[k]);
        atn_topo_free(t);
    }
}

/* The same rates whether ranks are a group of all or the only ones placed. */
static void groups_keep_their_routes(void **unused)
{
    (void)unused;
    for (int i = 0; i < NETWORKS; i++) {
        atn_topo *t = load(networks[i]);
        int ranks[4] = {t->p - 1, 0, t->p / 2, t->p / 3}, path[64], other[64];
        atn_topo *part = atn_topo_sub(t, ranks, 4);
        for (int u = 0; u < 4; u++)
            for (int v = 0; v < 4; v++) {
                if (u == v)
                    continue;
                const int n = atn_topo_path(t, ranks[u], ranks[v], path);
                assert_int_equal(atn_topo_path(part, u, v, other), n);
                for (int k = 0; k < n; k++)
                    if (path[k] >= 2 * (t->p + t->nnodes))
                        assert_int_equal(path[k] - 2 * (t->p + t->nnodes),
                                         other[k] - 2 * (part->p + part->nnodes));
            }
        atn_topo_free(part);
        atn_topo_free(t);
    }
}

/* What stands for a large network is the tree of its levels. */
static void smaller_networks_are_trees(void **unused)
{
    (void)unused;
    atn_topo *t = load("torus:8x8x8@10G");
    int *ranks = NULL;
    atn_topo *small = atn_topo_shrink(t, 32, 5, &ranks);
    assert_non_null(small);
    assert_null(small->routes);
    assert_true(small->p <= 64);
    assert_int_equal(atn_topo_depth(small), atn_topo_depth(t));
    free(ranks);
    atn_topo_free(small);
    atn_topo_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_connect_all_pairs),
        cmocka_unit_test(routes_are_shortest),
        cmocka_unit_test(dragonflies_cross_one_global_link),
        cmocka_unit_test(loads_are_counted_on_routes),
        cmocka_unit_test(loads_are_balanced),
        cmocka_unit_test(shifts_meet_nowhere_on_fat_trees),
        cmocka_unit_test(rails_are_apart),
        cmocka_unit_test(networks_have_the_links_of_the_literature),
        cmocka_unit_test(links_are_spread),
        cmocka_unit_test(switches_have_the_rates_of_their_cuts),
        cmocka_unit_test(no_route_is_faster_than_the_tree),
        cmocka_unit_test(fat_trees_have_the_same_trunks),
        cmocka_unit_test(networks_round_trip),
        cmocka_unit_test(fingerprints_distinguish_networks),
        cmocka_unit_test(groups_keep_their_routes),
        cmocka_unit_test(smaller_networks_are_trees),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
