/* test_levels.c - hierarchies, their words, and the worked example of the literature: 16 processes
 * at one site on 4-way nodes (four levels), 8 + 8 at another on two machines (three levels). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/levels.h"
#include "sched/verify.h"
#include "topo/topo.h"

enum { RANKS = 32, SITE = 16 };

static const char example[] = "SwitchName=wan Switches=a,b #attune delay=5ms\n"
                              "SwitchName=a Switches=sp #attune level=site\n"
                              "SwitchName=sp Nodes=a[0-3] #attune level=machine\n"
                              "SwitchName=b Nodes=b[0-1] #attune level=site\n"
                              "#attune ranks=a[0-3]*4,b[0-1]*8\n";

static atn_topo *parse(const char *text)
{
    atn_topo *t = NULL;
    atn_error err = {0};

    if (atn_topo_parse_slurm(text, "example", &t, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return t;
}

static const atn_row *row_of(const char *name)
{
    const atn_row *row = atn_algo_catalog_by_name(name);

    assert_non_null(row);
    return row;
}

static atn_params params_of(const atn_row *row, const char *text)
{
    atn_params prm;
    atn_error err = {0};

    if (atn_algo_params_parse(row, text, &prm, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return prm;
}

/* ---- the tree ---- */

static atn_levels tree_of(const atn_topo *t, const char *text, atn_level_words *words)
{
    atn_levels tree;
    char bad[ATN_LEVEL_NAME];

    assert_true(atn_algo_level_words_read(text, words, bad));
    assert_true(atn_algo_levels_begin(t, t->p, words, &tree));
    return tree;
}

static void assert_cluster(const atn_cluster *c, const char *level, int depth, int first, int count,
                           int members)
{
    assert_string_equal(c->level, level);
    assert_int_equal(c->depth, depth);
    assert_int_equal(c->first, first);
    assert_int_equal(c->count, count);
    assert_int_equal(c->members, members);
}

static void test_example(void **state)
{
    atn_topo *t = parse(example);
    atn_level_words words;
    atn_levels tree = tree_of(t, "", &words);

    (void)state;
    assert_int_equal(tree.n, 9);
    assert_int_equal(tree.depth, 3);
    assert_true(atn_algo_levels_sorted(&tree));
    assert_cluster(&tree.clusters[0], "site", 0, 0, 32, 2);
    assert_cluster(&tree.clusters[1], "host", 1, 0, 16, 4);
    assert_cluster(&tree.clusters[2], "rank", 2, 0, 4, 4);
    assert_cluster(&tree.clusters[6], "host", 1, 16, 16, 2);
    assert_cluster(&tree.clusters[8], "rank", 2, 24, 8, 8);
    assert_true(tree.clusters[0].wide);
    assert_false(tree.clusters[1].wide);
    atn_algo_levels_end(&tree);
    atn_topo_free(t);
}

static void test_none(void **state)
{
    static const struct {
        const char *words;
        int clusters, depth, top;
    } cases[] = {
        {"site:none", 8, 3, 3}, /* the only machine of site a, and two hosts */
        {"site:none,machine:none", 7, 2, 6},
        {"host:none", 3, 2, 2},
        {"site:none,machine:none,host:none", 1, 1, 32},
        {"machine:none", 9, 3, 2},
        {"eight*8,two*2", 21, 3, 4},
        {"all*64,six*6", 7, 2, 6},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_topo *t = parse(example);
        atn_level_words words;
        atn_levels tree = tree_of(t, cases[i].words, &words);
        assert_int_equal(tree.n, cases[i].clusters);
        assert_int_equal(tree.depth, cases[i].depth);
        assert_int_equal(tree.clusters[0].members, cases[i].top);
        atn_algo_levels_end(&tree);
        atn_topo_free(t);
    }
}

/* Leaders: "0,16" joins the sites, "0,4,8,12" the nodes of one of them. */
static void print_groups(const atn_level_plan *plan, int depth, char *text, size_t size)
{
    const atn_levels *tree = &plan->tree;

    *text = '\0';
    for (int i = 0; i < tree->n; i++)
        for (int k = 0; k < tree->clusters[i].members && tree->clusters[i].depth == depth; k++) {
            const atn_level_member *m = &tree->members[tree->clusters[i].member + k];
            const size_t used = strlen(text);
            snprintf(text + used, size - used, "%s%d",
                     k      ? ","
                     : used ? " "
                            : "",
                     tree->rank[atn_algo_level_leader(plan, m->first, m->count)]);
        }
}

/* The first rank of a cluster leads it, or the root if it is inside. */
static void test_masters(void **state)
{
    static const struct {
        int root;
        const char *groups[2]; /* of the sites; of the hosts */
    } cases[] = {
        {0, {"0,16", "0,4,8,12 16,24"}},  {1, {"1,16", "1,4,8,12 16,24"}},
        {4, {"4,16", "0,4,8,12 16,24"}},  {15, {"15,16", "0,4,8,15 16,24"}},
        {16, {"0,16", "0,4,8,12 16,24"}}, {23, {"0,23", "0,4,8,12 23,24"}},
        {31, {"0,31", "0,4,8,12 16,31"}},
    };
    static const char hosts[] = "0,1,2,3 4,5,6,7 8,9,10,11 12,13,14,15 16,17,18,19,20,21,22,23 "
                                "24,25,26,27,28,29,30,31";
    const atn_row *row = row_of("bcast/levels");
    const atn_params prm = params_of(row, "");
    atn_topo *t = parse(example);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const atn_problem q = {
            .op = row->op, .p = RANKS, .root = cases[i].root, .segments = 1, .topo = t};
        atn_level_plan *plan = atn_algo_level_plan_new(&q, &prm);
        char groups[200];
        for (int depth = 0; depth < 3; depth++) {
            print_groups(plan, depth, groups, sizeof groups);
            assert_string_equal(groups, depth < 2 ? cases[i].groups[depth] : hosts);
        }
        atn_algo_level_plan_free(plan);
    }
    atn_topo_free(t);
}

/* Levels in communicator attributes: four at one site, three at the other. */
static void test_levels_in_attributes(void **state)
{
    atn_topo *t = parse(example);
    const int levels = atn_topo_depth(t) + 1;
    int depth[RANKS], cluster[RANKS * 4];
    const char *name[RANKS * 4];

    (void)state;
    assert_int_equal(levels, 4);
    assert_true(atn_topo_descents(t, levels, depth, cluster, name));
    for (int r = 0; r < RANKS; r++) {
        const bool a = r < SITE;
        const int *c = cluster + 4 * r;
        assert_int_equal(depth[r], a ? 4 : 3);
        assert_int_equal(c[0], 0);
        assert_int_equal(c[1], !a);
        assert_int_equal(c[2], a ? 0 : 1 + (r - SITE) / 8);
        assert_int_equal(c[3], a ? r / 4 : -1);
        assert_string_equal(name[4 * r + 1], "site");
        assert_string_equal(name[4 * r + 2], a ? "machine" : "host");
        assert_true(a == (name[4 * r + 3] != NULL));
    }
    atn_topo_free(t);
}

/* Hosts beside a switch form a cluster of their own, named after its parent. */
static void test_hosts_beside_switches(void **state)
{
    atn_topo *t = parse("SwitchName=s0 Switches=s1 #attune level=site\n"
                        "SwitchName=s0 Nodes=n[0-2]\n"
                        "SwitchName=s1 Nodes=n[3-6] #attune level=site\n"
                        "#attune ranks=n[0-6]\n");
    atn_level_words words;
    atn_levels tree = tree_of(t, "", &words);

    (void)state;
    assert_int_equal(tree.n, 3);
    assert_cluster(&tree.clusters[0], "site", 0, 0, 7, 2);
    assert_cluster(&tree.clusters[1], "host", 1, 0, 3, 3);
    assert_cluster(&tree.clusters[2], "host", 1, 3, 4, 4);
    atn_algo_levels_end(&tree);
    tree = tree_of(t, "site:none", &words);
    assert_int_equal(tree.n, 1);
    assert_cluster(&tree.clusters[0], "host", 0, 0, 7, 7);
    atn_algo_levels_end(&tree);
    atn_topo_free(t);
}

/* ---- the messages ---- */

typedef struct {
    int all, sites[2], hosts; /* messages: all; from site a to b and back; between hosts */
    int heard[RANKS];         /* messages received by a rank */
} count;

static int host_of(int r) { return r < SITE ? r / 4 : 4 + (r - SITE) / 8; }

static count count_messages(const atn_topo *t, const char *name, const char *words, int root)
{
    const atn_row *row = row_of(name);
    const atn_params prm = params_of(row, words);
    atn_schedule *s[RANKS];
    atn_error err = {0};
    count n = {0};

    for (int r = 0; r < RANKS; r++) {
        const atn_problem q = {
            .op = row->op, .p = RANKS, .r = r, .root = root, .segments = 1, .topo = t};
        if (atn_algo_build(row, &q, &prm, &s[r], &err) != ATN_OK)
            fail_msg("%s", err.text);
        for (int i = 0; i < s[r]->nops; i++) {
            const atn_op *o = &s[r]->ops[i];
            if (o->kind != ATN_OP_SEND)
                continue;
            n.all++;
            n.sites[r >= SITE] += (r < SITE) != (o->peer < SITE);
            n.hosts += host_of(r) != host_of(o->peer);
            n.heard[o->peer]++;
        }
    }
    if (atn_sched_verify(s, RANKS, NULL, &err) != ATN_OK)
        fail_msg("%s", err.text);
    for (int r = 0; r < RANKS; r++)
        atn_sched_schedule_free(s[r]);
    return n;
}

/* For every root, the wide area is crossed once and every host entered once: the root leads all
 * its clusters, so nothing is sent to a leader first. */
static void test_rooted(void **state)
{
    atn_topo *t = parse(example);

    (void)state;
    for (int root = 0; root < RANKS; root++) {
        const count down = count_messages(t, "bcast/levels", "", root);
        const count up = count_messages(t, "reduce/levels", "rank:linear", root);
        assert_int_equal(down.all, RANKS - 1);
        assert_int_equal(down.sites[0] + down.sites[1], 1);
        assert_int_equal(down.sites[root >= SITE], 1);
        assert_int_equal(down.hosts, 5);
        assert_int_equal(down.heard[root], 0);
        assert_int_equal(up.all, RANKS - 1);
        assert_int_equal(up.sites[root < SITE], 1);
        assert_int_equal(up.hosts, 5);
    }
    atn_topo_free(t);
}

static void test_symmetric(void **state)
{
    static const char *const names[] = {"allreduce/levels", "barrier/levels", "allgather/levels",
                                        "alltoall/levels", "reduce_scatter_block/levels"};
    atn_topo *t = parse(example);

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const count n = count_messages(t, names[i], "", 0);
        assert_int_equal(n.sites[0], 1);
        assert_int_equal(n.sites[1], 1);
        if (i < 2) { /* one to the leader and one back for all but the leaders of the sites */
            assert_int_equal(n.all, 2 * (RANKS - 2) + 2);
            assert_int_equal(n.hosts, 2 * 4 + 2);
        }
    }
    for (int i = 0; i < 2; i++) {
        const count n = count_messages(t, i ? "scan/levels" : "exscan/levels", "", 0);
        assert_int_equal(n.sites[0], 1);
        assert_int_equal(n.sites[1], 0);
    }
    const count flat = count_messages(
        t, "allreduce/levels", "site:none,machine:none,host:none,rank:recursive_doubling", 0);
    assert_int_equal(flat.sites[0], SITE);
    atn_topo_free(t);
}

/* ---- names ---- */

static void test_words(void **state)
{
    static const char *const bad[][2] = {
        {"site", "'site' is invalid"},
        {"site:", "'site:' is invalid"},
        {"site:flat,site:flat", "'site:flat' is invalid"},
        {"site*0:flat", "is invalid"},
        {"site*4:flat,host:flat", "is invalid"},
        {"site:flat{chains=2", "the braces of 'site:flat{chains=2' do not match"},
        {"site:binomal", "no part of bcast has an algorithm \"binomal\" for level site; did you "
                         "mean \"binomial\"?"},
        {"site:levels", "no part of bcast has an algorithm \"levels\""},
        {"site:native", "no part of bcast has an algorithm \"native\""},
        {"site:chain{chain=2}", "chain has no parameter 'chain=2'"},
        {"site:chain{segment=8K}", "chain has no parameter 'segment=8K'"},
        {"site:chain{chains=0}", "chains=0 is invalid"},
        {"segmint=8K", "has no parameter 'segmint'"},
    };
    const atn_row *row = row_of("bcast/levels");

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        atn_params prm;
        atn_error err = {0};
        assert_int_equal(atn_algo_params_parse(row, bad[i][0], &prm, &err), ATN_INPUT);
        if (!strstr(err.text, bad[i][1]))
            fail_msg("%s: %s", bad[i][0], err.text);
    }
}

static void test_long_names(void **state)
{
    const atn_row *row = row_of("bcast/levels");
    char text[600] = "";
    atn_params prm;
    atn_error err = {0};

    (void)state;
    for (int i = 0; i < 12; i++)
        sprintf(text + strlen(text), "%sa-level-of-a-long-name-%d:binomial", i ? "," : "", i);
    assert_int_equal(atn_algo_params_parse(row, text, &prm, &err), ATN_INPUT);
    assert_non_null(strstr(err.text, "too many levels"));
}

static void test_printed(void **state)
{
    const atn_row *row = row_of("allreduce/levels");
    const char *text = "site:flat,host:chain{chains=2},segment=8K";
    const atn_params prm = params_of(row, text);
    char name[ATN_NAME_ROOM];

    (void)state;
    atn_algo_params_print(row, &prm, name, sizeof name);
    assert_string_equal(name, "allreduce/levels{site:flat,host:chain{chains=2},segment=8K}");
}

static void assert_refused(const char *name, const char *words, const atn_topo *t, bool ordered,
                           const char *why)
{
    const atn_row *row = row_of(name);
    const atn_params prm = params_of(row, words);
    const atn_problem q = {
        .op = row->op, .p = t ? t->p : 8, .ordered = ordered, .segments = 1, .topo = t};
    const char *printed = atn_algo_refuses(row, &q, &prm);

    if (!printed || !strstr(printed, why))
        fail_msg("%s{%s}: %s, not: %s", name, words, printed ? printed : "serves", why);
}

static void test_refusals(void **state)
{
    atn_topo *t = parse(example), *mixed = NULL;
    atn_error err = {0};

    (void)state;
    assert_int_equal(atn_topo_parse_synthetic("2x4;order=roundrobin", &mixed, &err), ATN_OK);
    assert_refused("bcast/levels", "", NULL, false, "the topology is not known");
    assert_refused("bcast/levels", "sit:flat", t, false,
                   "the topology has no level sit; it has: switch site machine host rank");
    assert_refused("allgather/levels", "rank:neighbor,site:ring", mixed, false, "no level site");
    assert_refused("reduce/levels", "", mixed, true, "not runs of consecutive ranks");
    assert_refused("scan/levels", "", mixed, false, "not runs of consecutive ranks");
    assert_refused("allreduce/levels", "site:ring", t, true,
                   "level site: allreduce/ring: the operator is not commutative");
    assert_refused("alltoall/levels", "site:none,machine:bruck", t, false,
                   "level machine: bruck does not support alltoall, where clusters differ");
    atn_topo_free(mixed);
    atn_topo_free(t);
}

/* Groups keep the levels of the whole: a rule that names one applies to every communicator. */
static void test_groups(void **state)
{
    const int ranks[] = {0, 1, 2, 3, 4, 5};
    const atn_row *row = row_of("bcast/levels");
    const atn_params prm = params_of(row, "site:flat,machine:flat,host:chain");
    atn_topo *t = parse(example), *sub = atn_topo_sub(t, ranks, 6);
    const atn_problem q = {.op = ATN_BCAST, .p = 6, .segments = 1, .topo = sub};

    (void)state;
    assert_null(atn_algo_refuses(row, &q, &prm));
    assert_true(atn_topo_has_level(sub, "site"));
    assert_false(atn_topo_has_level(sub, "sit"));
    assert_false(atn_topo_has_level(sub, ""));
    atn_topo_free(sub);
    atn_topo_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_hosts_beside_switches),
        cmocka_unit_test(test_levels_in_attributes),
        cmocka_unit_test(test_rooted),
        cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_printed),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_masters),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
