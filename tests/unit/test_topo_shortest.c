/* test_topo_shortest.c - graphs with shortest routes. */
#include "networks.h"
#include "topo/read.h"

static unsigned seed = 5;

static int below(int n)
{
    seed = seed * 1103515245u + 12345u;
    return (int)(seed >> 16) % n;
}

/* A connected graph with hosts at some of its switches; lines in two orders. */
static void write_graph(char *text, char *turned, size_t size)
{
    char lines[64][80];
    const int switches = 2 + below(9), hosts = 2 + below(12);
    bool linked[16][16] = {{false}};
    int n = 0;
    for (int s = 1; s < switches; s++)
        linked[s][below(s)] = true;
    for (int k = below(12); k > 0; k--) {
        const int a = below(switches), b = below(switches);
        if (a != b)
            linked[atn_max(a, b)][atn_min(a, b)] = true;
    }
    for (int a = 0; a < switches; a++)
        for (int b = 0; b < a; b++)
            if (linked[a][b])
                snprintf(lines[n++], sizeof lines[0], "link s%d s%d rate=%dG delay=%dus", a, b,
                         1 + below(2), below(3));
    for (int h = 0; h < hosts; h++)
        snprintf(lines[n++], sizeof lines[0], "link n%d s%d rate=1G", h, below(switches));
    text[0] = turned[0] = '\0';
    size_t used = (size_t)snprintf(text, size, "switch s[0-%d]\nhost n[0-%d]\nranks n[0-%d]\n",
                                   switches - 1, hosts - 1, hosts - 1);
    size_t back = (size_t)snprintf(turned, size, "routes shortest\n%s", text);
    for (int i = 0; i < n; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s\n", lines[i]);
        back += (size_t)snprintf(turned + back, size - back, "%s\n", lines[n - 1 - i]);
    }
    snprintf(text + used, size - used, "routes shortest\n");
}

static atn_topo *read_graph(const char *text)
{
    atn_topo *t = NULL;
    atn_error err = {0};
    if (atn_topo_read_text(atn_topo_read_graph, text, "graph", &t, &err) != ATN_OK)
        fail_msg("%s\n%s", err.text, text);
    return t;
}

static void check_graph(const atn_topo *t)
{
    const atn_routes *x = t->routes;
    int distance[16], path[64], longest = 0;
    for (int u = 0; u < t->p; u++) {
        t_find_distances(x, t_router_of(t, u), distance);
        for (int v = 0; v < t->p; v++) {
            if (u == v)
                continue;
            t_check_path(t, u, v, path);
            const int n = atn_topo_path(t, u, v, path) - 4;
            assert_int_equal(n, distance[t_router_of(t, v)]);
            longest = atn_max(longest, n);
        }
    }
    assert_true(longest <= x->longest);
    t_check_loads(t);
}

static void graphs_have_shortest_routes(void **unused)
{
    (void)unused;
    char text[8192], turned[8192];
    int routed = 0;
    for (int k = 0; k < 200; k++) {
        write_graph(text, turned, sizeof text);
        atn_topo *t = read_graph(text), *other = read_graph(turned), *back = NULL;
        char *conf = atn_topo_print(t);
        assert_int_equal(atn_topo_parse_slurm(conf, "conf", &back, NULL), ATN_OK);
        assert_true(atn_topo_fingerprint(t) == atn_topo_fingerprint(other));
        assert_true(atn_topo_fingerprint(t) == atn_topo_fingerprint(back));
        if (t->routes)
            check_graph(t);
        routed += t->routes != NULL;
        free(conf);
        atn_topo_free(t);
        atn_topo_free(other);
        atn_topo_free(back);
    }
    assert_int_equal(routed, 200);
}

/* Equal links on shortest routes are used alike: four spines, routes to eight leaves. */
static void equal_routes_are_spread(void **unused)
{
    (void)unused;
    atn_topo *t = read_graph("switch leaf[0-7] spine[0-3]\nhost n[0-7]\nranks n[0-7]\n"
                             "link leaf[0-7] spine[0-3] rate=1G\n"
                             "link leaf0 n0\nlink leaf1 n1\nlink leaf2 n2\nlink leaf3 n3\n"
                             "link leaf4 n4\nlink leaf5 n5\nlink leaf6 n6\nlink leaf7 n7\n"
                             "routes shortest\n");
    int64_t loads[256];
    assert_true(atn_topo_edges(t) <= 256);
    atn_topo_loads(t, loads);
    for (int e = 2 * (t->p + t->nnodes); e < atn_topo_edges(t); e++)
        assert_true(loads[e] <= 7 && (e % 2 || loads[e] <= 2));
    atn_topo_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_have_shortest_routes),
        cmocka_unit_test(equal_routes_are_spread),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
