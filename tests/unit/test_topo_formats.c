/* test_topo_formats.c - units, lists of names, synthetic strings, graphs, insides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/hostlist.h"
#include "topo/inside.h"
#include "topo/read.h"
#include "topo/units.h"
#include "topo/write.h"

static uint64_t state = 88172645463325252;

static int below(int n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (uint64_t)n);
}

/* ---- units and names ---- */

static void rates_and_delays_are_exact(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int64_t rate;
    } rates[] = {
        {"100M", 100000000},     {"100m", 100000000}, {"1G", 1000000000},
        {"2.5G", 2500000000},    {"95.5M", 95500000}, {"100Mbit/s", 100000000},
        {"10Gbps", 10000000000}, {"9600", 9600},      {"1T", 1000000000000},
        {"0.5K", 500},           {"8bit/s", 8},
    };
    static const char *const bad_rates[] = {"",
                                            "M",
                                            "100Q",
                                            "100 M",
                                            "0",
                                            "-1M",
                                            "1.5",
                                            "100MB",
                                            "1.M",
                                            "1..5G",
                                            "99999999999999999999",
                                            "9999999999T",
                                            "100Mx",
                                            "0.0001K"};
    int64_t v;
    char text[32];
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        assert_true(atn_topo_parse_rate(rates[i].text, &v) && v == rates[i].rate);
        assert_true(atn_topo_parse_rate(atn_topo_format_rate(v, text), &v) && v == rates[i].rate);
    }
    for (size_t i = 0; i < sizeof bad_rates / sizeof *bad_rates; i++)
        assert_false(atn_topo_parse_rate(bad_rates[i], &v));
    assert_true(atn_topo_parse_delay("10ms", &v) && v == 10000000);
    assert_true(atn_topo_parse_delay("1.5us", &v) && v == 1500);
    assert_true(atn_topo_parse_delay("0", &v) && v == 0);
    assert_true(atn_topo_parse_delay("1s", &v) && v == 1000000000);
    assert_false(atn_topo_parse_delay("10", &v) || atn_topo_parse_delay("10m", &v) ||
                 atn_topo_parse_delay("0.5ns", &v) || atn_topo_parse_delay("ms", &v));
    for (int k = 0; k < 2000; k++) {
        const int64_t any = 1 + (int64_t)below(2000000000) * (below(3) ? 1 : 1000);
        assert_true(atn_topo_parse_rate(atn_topo_format_rate(any, text), &v) && v == any);
        assert_true(atn_topo_parse_delay(atn_topo_format_delay(any, text), &v) && v == any);
    }
}

static void expect_names(const char *list, const char *wanted)
{
    atn_name_list names = {0};
    char text[1024] = "";
    atn_error err = {0};
    if (atn_topo_ranklist_expand(list, &names, &err) != ATN_OK)
        fail_msg("%s", err.text);
    for (int i = 0; i < names.n; i++)
        strcat(strcat(text, i ? " " : ""), names.v[i]);
    assert_string_equal(text, wanted);
    atn_topo_name_list_free(&names);
}

static void hostlists_expand(void **unused)
{
    (void)unused;
    static const char *const wrong[] = {"",      "n[",      "n]",      "n[3-1]", "n[a]",
                                        "n[1,]", "a,,b",    "n[0-3],", ",a",     "a b",
                                        "n[-1]", "n[1--2]", "n[]",     "n[[0]]", "n[0-9999999]",
                                        "n*0",   "n*x",     "n[0-3]*"};
    expect_names("n[0-3,7],m", "n0 n1 n2 n3 n7 m");
    expect_names("r[1-2]n[01-03]", "r1n01 r1n02 r1n03 r2n01 r2n02 r2n03");
    expect_names("n[08-11]", "n08 n09 n10 n11");
    expect_names("a-b.c_d:1/x", "a-b.c_d:1/x");
    expect_names("n[0-1]*2,m*3", "n0 n0 n1 n1 m m m");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        atn_name_list names = {0};
        atn_error err = {0};
        if (atn_topo_ranklist_expand(wrong[i], &names, &err) != ATN_INPUT)
            fail_msg("'%s' was read", wrong[i]);
        atn_topo_name_list_free(&names);
    }
}

/* Random lists of names with numbers of all kinds round-trip. */
static void printed_hostlists_expand_back(void **unused)
{
    (void)unused;
    for (int k = 0; k < 3000; k++) {
        char *names[24], *text = NULL;
        size_t bytes;
        const int n = 1 + below(24), style = below(3);
        int number = below(120);
        for (int i = 0; i < n; i++) {
            number = below(4) ? number + 1 : below(2) ? number : below(120);
            static const char *const forms[] = {"n%d", "n%03d", "n%dx", "n"};
            const char *form = forms[below(8) ? style : 3 - below(2)];
            assert_true(asprintf(&names[i], form, number) > 0);
        }
        FILE *f = open_memstream(&text, &bytes);
        atn_topo_ranklist_print(f, (const char *const *)names, n);
        fclose(f);
        atn_name_list back = {0};
        assert_int_equal(atn_topo_ranklist_expand(text, &back, NULL), ATN_OK);
        assert_int_equal(back.n, n);
        for (int i = 0; i < n; i++)
            assert_string_equal(back.v[i], names[i]);
        atn_topo_name_list_free(&back);
        for (int i = 0; i < n; i++)
            free(names[i]);
        free(text);
    }
}

static void names_are_compared_in_natural_order(void **unused)
{
    (void)unused;
    static const char *const sorted[] = {"a",    "n1",   "n01",  "n2",    "n10",
                                         "n10a", "n10b", "s0.2", "s0.10", "s1"};
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++) {
            const int order = atn_topo_name_compare(sorted[i], sorted[j]);
            /* n1 and n01 have the same number; the text decides. */
            if (i + j != 3 || i == 0 || j == 0)
                assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

/* ---- synthetic strings ---- */

static void synthetic_strings_round_trip(void **unused)
{
    (void)unused;
    static const char *const strings[] = {
        "16@100M",
        "4x4@100M",
        "4x4@100M;order=roundrobin",
        "2x4x8",
        "2@1G+10ms x4x8@100M",
        "4x4@100M;ranks=2",
        "4x4@100M;ranks=2;order=roundrobin",
        "2x2@100M;order=3,2,1,0",
        "2x2@100M;order=0,0-1,3",
        "chain:4x8@100M",
        "chain:4x8@100M;order=roundrobin",
        "chain:2@100M+10ms x8@100M",
        "2@+0 x2@1G",
        "3@+5us",
        "2x2@95.5M+250ns;hosts=tux[01-04]",
    };
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        atn_topo *t = NULL;
        char *text = NULL;
        atn_error err = {0};
        if (atn_topo_parse_synthetic(strings[i], &t, &err) || atn_topo_to_synthetic(t, &text, &err))
            fail_msg("%s", err.text);
        assert_string_equal(text, strings[i]);
        free(text);
        atn_topo_free(t);
    }
}

/* Links of a fat tree, counted one by one: those that lead out of the first switch of a level. */
static int64_t fat_tree_trunk(const int *count, int levels, int level, int ratio)
{
    int64_t hosts = 1;
    for (int i = level + 1; i < levels; i++)
        hosts *= count[i];
    return hosts / ratio;
}

static void fat_trees_carry_what_their_links_carry(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int count[4], levels, ratio[4]; /* hosts per link up */
    } cases[] = {
        {"fattree:4x8x16@1G", {4, 8, 16}, 3, {1, 1}},
        {"fattree:4x8x16@1G;oversubscribe=4", {4, 8, 16}, 3, {4, 4}},
        {"fattree:4x8x16@1G;oversubscribe=2,4", {4, 8, 16}, 3, {8, 4}},
        {"fattree:4x8x16@1G;up=2", {4, 8, 16}, 3, {8, 8}},
        {"fattree:4x8x16@1G;up=8,4", {4, 8, 16}, 3, {4, 4}},
        {"kary:3,4@1G", {3, 3, 3, 3}, 4, {1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_topo *t = NULL;
        atn_error err = {0};
        if (atn_topo_load(cases[i].text, &t, &err))
            fail_msg("%s", err.text);
        assert_int_equal(atn_topo_depth(t), cases[i].levels);
        for (int v = 1; v < t->nnodes; v++) {
            const int level = t->nodes[v].depth - 1;
            const bool host = level == cases[i].levels - 1;
            const int64_t links = host ? 1
                                       : fat_tree_trunk(cases[i].count, cases[i].levels, level,
                                                        cases[i].ratio[level]);
            assert_true(t->nodes[v].rate == links * 1000000000);
        }
        atn_topo_free(t);
    }
}

/* ---- graphs ---- */

/* A random connected graph, its tree: every host in it, links of the graph only. */
static void graph_case(const char *span)
{
    char text[16384] = "";
    const int switches = 2 + below(8), hosts = 2 + below(12);
    bool linked[16][16] = {{false}};
    size_t used =
        (size_t)snprintf(text, sizeof text, "tree %s seed=%d\nswitch s[0-%d]\nhost n[0-%d]\n", span,
                         below(1000), switches - 1, hosts - 1);
    for (int s = 1; s < switches; s++)
        linked[s][below(s)] = true;
    for (int k = 0; k < 8; k++) {
        const int a = below(switches), b = below(switches);
        linked[atn_max(a, b)][atn_min(a, b)] = a != b || linked[a][b];
    }
    for (int a = 0; a < switches; a++)
        for (int b = 0; b < a; b++)
            if (linked[a][b])
                used += (size_t)snprintf(text + used, sizeof text - used, "link s%d s%d rate=%dM\n",
                                         a, b, 100 * (1 + below(2)));
    for (int h = 0; h < hosts; h++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "link n%d s%d\n", h, below(switches));
    atn_topo *t = NULL;
    atn_error err = {0};
    if (atn_topo_read_text(atn_topo_read_graph, text, "graph", &t, &err) != ATN_OK)
        fail_msg("%s\n%s", err.text, text);
    int found = 0;
    for (int v = 1; v < t->nnodes; v++) {
        const atn_topo_node *node = &t->nodes[v], *up = &t->nodes[node->parent];
        found += node->kind == ATN_TOPO_HOST;
        if (node->kind == ATN_TOPO_SWITCH) {
            const int a = atoi(node->name + 1), b = atoi(up->name + 1);
            assert_true(linked[atn_max(a, b)][atn_min(a, b)]);
        }
    }
    assert_int_equal(found, hosts);
    atn_topo_free(t);
}

static void trees_of_graphs_have_all_hosts(void **unused)
{
    (void)unused;
    for (int k = 0; k < 100; k++) {
        graph_case("bfs");
        graph_case("dfs");
        graph_case("random");
    }
}

static atn_topo *read_graph(const char *text)
{
    atn_topo *t = NULL;
    atn_error err = {0};
    if (atn_topo_read_text(atn_topo_read_graph, text, "graph", &t, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return t;
}

/* A ring of six switches: breadth-first is two arms of three, depth-first one of five. */
static void spanning_trees_are_flat_or_tall(void **unused)
{
    (void)unused;
    static const char ring[] = "switch s[0-5]\nhost n[0-5]\n"
                               "link s0 s1\nlink s1 s2\nlink s2 s3\nlink s3 s4\nlink s4 s5\n"
                               "link s5 s0\nlink s0 n0\nlink s1 n1\nlink s2 n2\nlink s3 n3\n"
                               "link s4 n4\nlink s5 n5\n";
    char text[512];
    snprintf(text, sizeof text, "%stree bfs\n", ring);
    atn_topo *flat = read_graph(text);
    snprintf(text, sizeof text, "%stree dfs root=s2\n", ring);
    atn_topo *tall = read_graph(text);
    assert_int_equal(atn_topo_depth(flat), 4);
    assert_int_equal(atn_topo_depth(tall), 6);
    assert_string_equal(tall->nodes[0].name, "s2");
    atn_topo_free(flat);
    atn_topo_free(tall);
}

/* Hosts linked to hosts: those in the middle forward messages. */
static void hosts_forward_only_if_necessary(void **unused)
{
    (void)unused;
    atn_topo *t = read_graph("host n[0-2]\nlink n0 n1 rate=1G\nlink n1 n2 rate=1G\nranks n[0-2]\n");
    int path[16];
    assert_int_equal(atn_topo_hops(t, 0, 2), 1);
    assert_int_equal(atn_topo_path(t, 0, 2, path), 4);
    atn_topo_free(t);
}

/* ---- inside hosts ---- */

static void hosts_get_an_inside(void **unused)
{
    (void)unused;
    atn_topo *t = NULL, *full = NULL;
    atn_error err = {0};
    int cluster_of[64];
    assert_int_equal(atn_topo_load("2x2@100M;ranks=4", &t, &err), ATN_OK);
    const atn_status st = atn_topo_inside(t, "package:2 l3:1 core:2 pu:1", &full, &err);
    if (st == ATN_ENVIRONMENT) { /* built without hwloc */
        atn_topo_free(t);
        return;
    }
    assert_int_equal(st, ATN_OK);
    assert_int_equal(full->nnodes, t->nnodes + 8);
    assert_int_equal(atn_topo_levels(full), 4);
    assert_int_equal(atn_topo_clusters(full, 3, cluster_of), 8);
    assert_int_equal(cluster_of[1], 0);
    assert_int_equal(cluster_of[2], 1);
    atn_topo_free(full);
    atn_topo_free(t);
}

/* The smallest part that holds all of some processors. */
static void bound_processes_have_a_part(void **unused)
{
    static const char machine[] = "package:2 l3:2 core:4 pu:1";
    static const char *const cases[][2] = {
        {"0-3", "l3-0"},      {"2", "l3-0"},         {"8-11", "l3-2"}, {"12,15", "l3-3"},
        {"2-5", "package-0"}, {"8-15", "package-1"}, {"0-15", ""},     {"7-8", ""},
    };
    char part[ATN_PART_NAME];

    (void)unused;
    atn_inside in = {0};
    if (atn_topo_inside_read(machine, &in, NULL) == ATN_ENVIRONMENT)
        skip();
    atn_topo_inside_free(&in);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(atn_topo_inside_part(machine, cases[i][0], part, NULL), ATN_OK);
        assert_string_equal(part, cases[i][1]);
    }
    assert_int_equal(atn_topo_inside_part("this", NULL, part, NULL), ATN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_and_delays_are_exact),
        cmocka_unit_test(hostlists_expand),
        cmocka_unit_test(printed_hostlists_expand_back),
        cmocka_unit_test(names_are_compared_in_natural_order),
        cmocka_unit_test(synthetic_strings_round_trip),
        cmocka_unit_test(fat_trees_carry_what_their_links_carry),
        cmocka_unit_test(trees_of_graphs_have_all_hosts),
        cmocka_unit_test(spanning_trees_are_flat_or_tall),
        cmocka_unit_test(hosts_forward_only_if_necessary),
        cmocka_unit_test(hosts_get_an_inside),
        cmocka_unit_test(bound_processes_have_a_part),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
