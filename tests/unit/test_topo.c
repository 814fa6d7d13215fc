/* test_topo.c - topologies: random trees against brute force, order, identity, ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/draft.h"
#include "topo/write.h"

/* ---- random trees ---- */

static uint64_t state = 88172645463325252;

static int below(int n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (uint64_t)n);
}

/* A tree of switches, hosts and a few parts, in random order of mention, some ranks anywhere. */
static atn_topo *random_topo(int switches, int hosts, int ranks)
{
    static const int64_t rates[] = {0, 100000000, 1000000000, 95500000};
    const int parts = below(3) == 0 ? hosts / 2 : 0, n = switches + hosts + parts;
    atn_topo_node *nodes = calloc((size_t)n, sizeof *nodes);
    int *node_of = malloc(sizeof *node_of * ((size_t)ranks + 1));
    for (int v = 0; v < n; v++) {
        atn_topo_node *node = &nodes[v];
        node->kind = v < switches           ? ATN_TOPO_SWITCH
                     : v < switches + hosts ? ATN_TOPO_HOST
                                            : ATN_TOPO_PART;
        const char letter = "snq"[node->kind];
        assert_true(asprintf(&node->name, "%c%d", letter, (v * 7) % 997) > 0);
        node->parent = node->kind == ATN_TOPO_PART ? switches + below(v - switches)
                       : v == 0                    ? -1
                                                   : below(atn_min(v, switches));
        node->rate = rates[below(4)];
        node->delay_ns = below(2) * 1000 * below(5000);
        node->level = node->kind == ATN_TOPO_PART && below(2) ? strdup("l3") : NULL;
    }
    /* A switch must have something below it: give each a host of its own. */
    for (int s = 0; s < switches && s < hosts; s++)
        nodes[switches + s].parent = s;
    for (int r = 0; r < ranks; r++)
        node_of[r] = switches + below(hosts + parts);
    atn_topo *t = atn_topo_make(nodes, n, node_of, ranks, "random");
    for (int v = 0; v < n; v++) {
        free(nodes[v].name);
        free(nodes[v].level);
    }
    free(nodes);
    free(node_of);
    assert_non_null(t);
    return t;
}

static atn_topo *random_case(void)
{
    const int switches = 1 + below(8);
    return random_topo(switches, switches + below(20), 2 + below(40));
}

/* ---- brute force ---- */

static bool has_above(const atn_topo *t, int v, int above)
{
    for (; v >= 0; v = t->nodes[v].parent)
        if (v == above)
            return true;
    return false;
}

/* The path as a set: the two ports, and every link that separates the two ranks. */
static bool crosses(const atn_topo *t, int edge, int u, int v)
{
    const int node = edge / 2 - t->p;
    if (node < 0)
        return edge == 2 * u || edge == 2 * v + 1;
    const bool from = has_above(t, t->node_of[u], node), to = has_above(t, t->node_of[v], node);
    return node > 0 && (edge % 2 ? !from && to : from && !to);
}

static void paths_are_what_separates_ranks(void **unused)
{
    (void)unused;
    for (int k = 0; k < 60; k++) {
        atn_topo *t = random_case();
        const int room = 2 * atn_topo_depth(t) + 2, edges = atn_topo_edges(t);
        int *path = malloc(sizeof *path * (size_t)room),
            *back = malloc(sizeof *back * (size_t)room);
        int64_t *count = calloc((size_t)edges, sizeof *count);
        int64_t *loads = malloc(sizeof *loads * (size_t)edges);
        for (int u = 0; u < t->p; u++)
            for (int v = 0; v < t->p; v++) {
                if (u == v)
                    continue;
                const int n = atn_topo_path(t, u, v, path), m = atn_topo_path(t, v, u, back);
                int set = 0;
                assert_true(n == m && n >= 2 && n <= room);
                assert_true(path[0] == 2 * u && path[n - 1] == 2 * v + 1);
                for (int i = 0; i < n; i++) {
                    assert_true(crosses(t, path[i], u, v));
                    assert_int_equal(path[i], back[n - 1 - i] ^ 1);
                    count[path[i]]++;
                }
                for (int e = 0; e < edges; e++)
                    set += crosses(t, e, u, v);
                assert_int_equal(set, n);
            }
        atn_topo_loads(t, loads);
        assert_memory_equal(count, loads, sizeof *count * (size_t)edges);
        free(path);
        free(back);
        free(count);
        free(loads);
        atn_topo_free(t);
    }
}

/* Consecutive edges of a path share a node, and its switches are its hops. */
static void paths_are_connected(void **unused)
{
    (void)unused;
    for (int k = 0; k < 40; k++) {
        atn_topo *t = random_case();
        int *path = malloc(sizeof *path * (2 * (size_t)atn_topo_depth(t) + 2));
        for (int u = 0; u < t->p; u++)
            for (int v = u + 1; v < t->p; v++) {
                const int n = atn_topo_path(t, u, v, path);
                int at = t->node_of[u], switches = t->nodes[at].kind == ATN_TOPO_SWITCH;
                for (int i = 1; i < n - 1; i++) {
                    const int node = path[i] / 2 - t->p;
                    assert_int_equal(at, path[i] % 2 ? t->nodes[node].parent : node);
                    at = path[i] % 2 ? node : t->nodes[node].parent;
                    switches += t->nodes[at].kind == ATN_TOPO_SWITCH;
                    assert_true(atn_topo_rate(t, path[i]) == t->nodes[node].rate);
                    assert_true(atn_topo_delay(t, path[i]) == t->nodes[node].delay_ns);
                }
                assert_int_equal(at, t->node_of[v]);
                assert_int_equal(switches, atn_topo_hops(t, u, v));
            }
        free(path);
        atn_topo_free(t);
    }
}

/* ---- order and identity ---- */

static bool same_topo(const atn_topo *a, const atn_topo *b)
{
    if (a->nnodes != b->nnodes || a->p != b->p)
        return false;
    for (int v = 0; v < a->nnodes; v++) {
        const atn_topo_node *x = &a->nodes[v], *y = &b->nodes[v];
        const char *lx = x->level ? x->level : "", *ly = y->level ? y->level : "";
        if (strcmp(x->name, y->name) != 0 || x->kind != y->kind || x->parent != y->parent ||
            x->depth != y->depth || x->rate != y->rate || x->delay_ns != y->delay_ns ||
            strcmp(lx, ly) != 0)
            return false;
    }
    return a->p == 0 || memcmp(a->node_of, b->node_of, sizeof(int) * (size_t)a->p) == 0;
}

static atn_topo *parse(const char *text)
{
    atn_topo *t = NULL;
    atn_error err = {0};
    if (atn_topo_parse_slurm(text, "text", &t, &err) != ATN_OK)
        fail_msg("%s\n%s", err.text, text);
    return t;
}

static void nodes_are_in_order(void **unused)
{
    (void)unused;
    for (int k = 0; k < 60; k++) {
        atn_topo *t = random_case();
        int *first = malloc(sizeof *first * (size_t)t->nnodes);
        for (int v = 0; v < t->nnodes; v++)
            first[v] = t->p;
        for (int r = t->p - 1; r >= 0; r--)
            for (int v = t->node_of[r]; v >= 0; v = t->nodes[v].parent)
                first[v] = r;
        for (int v = 1; v < t->nnodes; v++) {
            const int up = t->nodes[v].parent;
            assert_true(up < v && t->nodes[v].depth == t->nodes[up].depth + 1);
            assert_true(up == v - 1 || has_above(t, v - 1, up)); /* depth first */
            for (int w = v + 1; w < t->nnodes; w++)
                if (t->nodes[w].parent == up &&
                    (t->nodes[w].kind == ATN_TOPO_SWITCH) == (t->nodes[v].kind == ATN_TOPO_SWITCH))
                    assert_true(first[v] <= first[w]);
        }
        free(first);
        atn_topo_free(t);
    }
}

static void text_round_trips(void **unused)
{
    (void)unused;
    for (int k = 0; k < 200; k++) {
        atn_topo *t = random_case();
        char *text = atn_topo_print(t);
        atn_topo *back = parse(text);
        char *again = atn_topo_print(back);
        assert_string_equal(text, again);
        assert_true(same_topo(t, back));
        assert_true(atn_topo_fingerprint(t) == atn_topo_fingerprint(back));
        free(text);
        free(again);
        atn_topo_free(t);
        atn_topo_free(back);
    }
}

/* The same text with its lines in another order; rank lines keep theirs among themselves. */
static char *shuffled(const char *text)
{
    char *lines[512], *copy = strdup(text), *out = calloc(1, strlen(text) + 2), *rest = copy;
    int n = 0;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        lines[n++] = line;
    for (int i = n - 1; i > 0; i--) {
        const int j = below(i + 1);
        char *const swapped = lines[i];
        if (strstr(lines[i], "ranks=") || strstr(lines[j], "ranks="))
            continue;
        lines[i] = lines[j];
        lines[j] = swapped;
    }
    for (int i = 0; i < n; i++)
        strcat(strcat(out, lines[i]), "\n");
    free(copy);
    return out;
}

static void the_order_of_lines_does_not_matter(void **unused)
{
    (void)unused;
    for (int k = 0; k < 100; k++) {
        atn_topo *t = random_case();
        char *text = atn_topo_print(t), *other = shuffled(text);
        atn_topo *back = parse(other);
        assert_true(same_topo(t, back));
        free(text);
        free(other);
        atn_topo_free(t);
        atn_topo_free(back);
    }
}

static uint64_t fingerprint_of(const char *name)
{
    atn_topo *t = NULL;
    atn_error err = {0};
    if (atn_topo_load(name, &t, &err) != ATN_OK)
        fail_msg("%s", err.text);
    const uint64_t print = atn_topo_fingerprint(t);
    atn_topo_free(t);
    return print;
}

static void fingerprints_distinguish_topologies(void **unused)
{
    (void)unused;
    static const char *const different[] = {
        "4x4@100M",
        "4x4@1G",
        "4x4@100M+1us",
        "4x4@100M;order=roundrobin",
        "4@1G x4@100M",
        "chain:4x4@100M",
        "16@100M",
        "4x4@100M;ranks=2",
        "4x4@100M;order=0-14",
        "2x2x4@100M",
        "chain:2@100M+10ms x8@100M",
    };
    enum { N = sizeof different / sizeof *different };
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            assert_true(fingerprint_of(different[i]) != fingerprint_of(different[j]));
    assert_true(fingerprint_of("4x4@100M") == fingerprint_of("4x4@100M;hosts=a[01-16]"));
    assert_true(fingerprint_of("4x4@100M") == fingerprint_of("4@0.1G x4@100Mbit/s;order=0-15"));
}

/* A chain written from its end and from its middle has the same links. */
static void fingerprints_are_independent_of_the_root(void **unused)
{
    (void)unused;
    atn_topo *middle = parse("SwitchName=b Switches=a,c LinkSpeed=100\n"
                             "SwitchName=a Nodes=n[0-1] LinkSpeed=100\n"
                             "SwitchName=b Nodes=n[2-3] LinkSpeed=100\n"
                             "SwitchName=c Nodes=n[4-5] LinkSpeed=100\n"
                             "#attune ranks=n[0-5]\n");
    assert_true(atn_topo_fingerprint(middle) == fingerprint_of("chain:3x2@100M"));
    atn_topo_free(middle);
}

/* ---- groups ---- */

static void groups_have_the_same_paths(void **unused)
{
    (void)unused;
    for (int k = 0; k < 80; k++) {
        atn_topo *t = random_case();
        int ranks[64], n = 0, room = 2 * atn_topo_depth(t) + 2;
        int *path = malloc(sizeof *path * 2 * (size_t)room), *other = path + room;
        for (int r = t->p - 1; r >= 0; r--)
            if (below(2))
                ranks[n++] = r;
        if (n == 0)
            ranks[n++] = 0;
        atn_topo *s = atn_topo_sub(t, ranks, n);
        assert_int_equal(s->p, n);
        for (int u = 0; u < n; u++)
            for (int v = 0; v < n; v++) {
                if (u == v)
                    continue;
                const int a = atn_topo_path(t, ranks[u], ranks[v], path);
                const int b = atn_topo_path(s, u, v, other);
                assert_int_equal(a, b);
                for (int i = 0; i < a; i++)
                    assert_true(atn_topo_rate(t, path[i]) == atn_topo_rate(s, other[i]) &&
                                atn_topo_delay(t, path[i]) == atn_topo_delay(s, other[i]));
                assert_int_equal(atn_topo_hops(t, ranks[u], ranks[v]), atn_topo_hops(s, u, v));
            }
        int *counts = malloc(sizeof *counts * (size_t)s->nnodes);
        atn_topo_below(s, counts);
        for (int v = 0; v < s->nnodes; v++)
            assert_true(counts[v] > 0);
        free(counts);
        free(path);
        atn_topo_free(s);
        atn_topo_free(t);
    }
}

/* Parts of the network without ranks of the job do not change its identity. */
static void hosts_without_ranks_do_not_change_the_fingerprint(void **unused)
{
    (void)unused;
    for (int k = 0; k < 60; k++) {
        atn_topo *t = random_case();
        int all[64];
        for (int r = 0; r < t->p; r++)
            all[r] = r;
        atn_topo *s = atn_topo_sub(t, all, t->p);
        assert_true(atn_topo_fingerprint(s) == atn_topo_fingerprint(t));
        atn_topo_free(s);
        atn_topo_free(t);
    }
}

static void ranks_are_placed_by_host_name(void **unused)
{
    (void)unused;
    atn_topo *t = NULL, *placed = NULL;
    atn_error err = {0};
    static const char *const hosts[] = {"n3.cluster.org", "n0", "n3"};
    static const char *const wrong[] = {"n0", "n7"};
    assert_int_equal(atn_topo_load("2x2@100M", &t, &err), ATN_OK);
    assert_int_equal(atn_topo_place(t, hosts, 3, &placed, &err), ATN_OK);
    assert_int_equal(placed->p, 3);
    assert_string_equal(placed->nodes[placed->node_of[0]].name, "n3");
    assert_int_equal(placed->node_of[0], placed->node_of[2]);
    assert_int_equal(atn_topo_place(t, wrong, 2, &placed, &err), ATN_INPUT);
    assert_string_equal(err.text, "2x2@100M: host n7 of rank 1 is not in the topology; add it (did "
                                  "you mean n0?)");
    atn_topo_free(placed);
    atn_topo_free(t);
}

/* "n1" must not match "n1.a" if there is also "n1.b". */
static void short_names_must_be_clear(void **unused)
{
    (void)unused;
    atn_topo *t = parse("SwitchName=s Nodes=n1.a,n1.b,n2.a\n"), *placed = NULL;
    static const char *const fine[] = {"n2", "n1.b"}, *const unclear[] = {"n1"};
    assert_int_equal(atn_topo_place(t, fine, 2, &placed, NULL), ATN_OK);
    atn_topo_free(placed);
    assert_int_equal(atn_topo_place(t, unclear, 1, &placed, NULL), ATN_INPUT);
    atn_topo_free(t);
}

static void expect_hosts(const char *name, const char *order, const char *wanted)
{
    atn_topo *t = NULL, *placed = NULL;
    atn_error err = {0};
    char text[512] = "";
    assert_int_equal(atn_topo_load(name, &t, &err), ATN_OK);
    if (atn_topo_order(t, order, &placed, &err) != ATN_OK)
        fail_msg("%s", err.text);
    for (int r = 0; r < placed->p; r++)
        strcat(strcat(text, r ? " " : ""), placed->nodes[placed->node_of[r]].name);
    assert_string_equal(text, wanted);
    atn_topo_free(placed);
    atn_topo_free(t);
}

static void ranks_are_placed_by_order(void **unused)
{
    (void)unused;
    expect_hosts("2x3", "sequential", "n0 n1 n2 n3 n4 n5");
    expect_hosts("2x3;order=5-5,0-4", "sequential", "n0 n1 n2 n3 n4 n5");
    expect_hosts("2x3", "roundrobin", "n0 n3 n1 n4 n2 n5");
    expect_hosts("2x2", "sequential*2", "n0 n0 n1 n1 n2 n2 n3 n3");
    expect_hosts("2x2", "roundrobin*2", "n0 n2 n1 n3 n0 n2 n1 n3");
    expect_hosts("2x2", "n3,n[0-1]*2", "n3 n0 n0 n1 n1");
    expect_hosts("chain:3x2", "roundrobin", "n0 n2 n4 n1 n3 n5");
}

/* ---- bottlenecks and levels ---- */

static void bottlenecks_are_busy_longest(void **unused)
{
    (void)unused;
    for (int k = 0; k < 100; k++) {
        atn_topo *t = random_case();
        int *nodes = malloc(sizeof *nodes * (size_t)t->nnodes);
        int64_t *loads = malloc(sizeof *loads * (size_t)atn_topo_edges(t));
        atn_topo_loads(t, loads);
        const int n = atn_topo_bottlenecks(t, nodes);
        double worst = 0;
        bool rated = false;
        for (int v = 1; v < t->nnodes; v++)
            rated = rated || t->nodes[v].rate > 0;
        for (int v = 1; v < t->nnodes; v++) {
            const double rate = rated ? (double)t->nodes[v].rate : 1;
            const double busy = rate > 0 ? (double)loads[2 * (t->p + v)] / rate : 0;
            worst = busy > worst ? busy : worst;
        }
        for (int i = 0; i < n; i++) {
            const double rate = rated ? (double)t->nodes[nodes[i]].rate : 1;
            assert_true((double)loads[2 * (t->p + nodes[i])] / rate >= worst * (1 - 1e-12));
        }
        assert_int_equal(n > 0, worst > 0);
        free(nodes);
        free(loads);
        atn_topo_free(t);
    }
}

static void expect_clusters(const char *name, int level, const char *wanted)
{
    atn_topo *t = NULL;
    atn_error err = {0};
    int cluster_of[64];
    char text[256] = "";
    assert_int_equal(atn_topo_load(name, &t, &err), ATN_OK);
    atn_topo_clusters(t, level, cluster_of);
    for (int r = 0; r < t->p; r++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d", cluster_of[r]);
    assert_string_equal(text, wanted);
    atn_topo_free(t);
}

static void levels_refine_each_other(void **unused)
{
    (void)unused;
    expect_clusters("2x2;ranks=2", 0, "00000000");
    expect_clusters("2x2;ranks=2", 1, "00001111");
    expect_clusters("2x2;ranks=2", 2, "00112233");
    expect_clusters("2x2;order=roundrobin", 1, "0101");
    expect_clusters("chain:3x2", 0, "000000");
    expect_clusters("chain:3x2", 1, "001111");
    expect_clusters("chain:3x2", 2, "001122");
    expect_clusters("chain:3x2", 3, "012345");
    for (int k = 0; k < 60; k++) {
        atn_topo *t = random_case();
        int coarse[64], fine[64];
        assert_int_equal(atn_topo_clusters(t, 0, coarse), 1);
        for (int level = 1; level < atn_topo_levels(t); level++) {
            atn_topo_clusters(t, level, fine);
            for (int u = 0; u < t->p; u++)
                for (int v = 0; v < t->p; v++)
                    if (fine[u] == fine[v])
                        assert_int_equal(coarse[u], coarse[v]);
            memcpy(coarse, fine, sizeof fine);
        }
        for (int u = 0; u < t->p; u++)
            for (int v = 0; v < t->p; v++)
                assert_int_equal(coarse[u] == coarse[v], t->node_of[u] == t->node_of[v]);
        atn_topo_free(t);
    }
}

/* ---- as a string ---- */

static void synthetic_strings_give_the_same_tree(void **unused)
{
    (void)unused;
    for (int k = 0; k < 100; k++) {
        atn_topo *t = random_case(), *back = NULL;
        char *text = NULL;
        if (atn_topo_to_synthetic(t, &text, NULL) == ATN_OK) {
            assert_int_equal(atn_topo_parse_synthetic(text, &back, NULL), ATN_OK);
            assert_true(atn_topo_fingerprint(t) == atn_topo_fingerprint(back));
            free(text);
            atn_topo_free(back);
        }
        atn_topo_free(t);
    }
}

/* ---- the largest ---- */

static void a_thousand_hosts_are_fast(void **unused)
{
    (void)unused;
    atn_topo *t = NULL;
    atn_error err = {0};
    int path[16], sum = 0;
    assert_int_equal(atn_topo_load("8x8x16@1G", &t, &err), ATN_OK);
    assert_int_equal(t->p, 1024);
    for (int u = 0; u < t->p; u++)
        for (int v = 0; v < t->p; v++)
            if (u != v)
                sum += atn_topo_path(t, u, v, path);
    assert_true(sum > 0 && atn_topo_fingerprint(t) != 0);
    atn_topo_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_what_separates_ranks),
        cmocka_unit_test(paths_are_connected),
        cmocka_unit_test(nodes_are_in_order),
        cmocka_unit_test(text_round_trips),
        cmocka_unit_test(the_order_of_lines_does_not_matter),
        cmocka_unit_test(fingerprints_distinguish_topologies),
        cmocka_unit_test(fingerprints_are_independent_of_the_root),
        cmocka_unit_test(groups_have_the_same_paths),
        cmocka_unit_test(hosts_without_ranks_do_not_change_the_fingerprint),
        cmocka_unit_test(ranks_are_placed_by_host_name),
        cmocka_unit_test(short_names_must_be_clear),
        cmocka_unit_test(ranks_are_placed_by_order),
        cmocka_unit_test(bottlenecks_are_busy_longest),
        cmocka_unit_test(levels_refine_each_other),
        cmocka_unit_test(synthetic_strings_give_the_same_tree),
        cmocka_unit_test(a_thousand_hosts_are_fast),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
