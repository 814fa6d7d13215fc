/* test_infer.c - switch trees from measurements on simulated networks. */
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fakenet.h"
#include "topo/discovery.h"

enum { MAX_SPLITS = FAKE_NODES };

/* ---- helpers ---- */

/* Disturbances of a busy machine. */
static fakenet noisy(uint64_t random)
{
    fakenet net = {
        .noise = 0.02, .mishaps = 0.01, .unfair = 0.3, .jitter = 2e-6, .random = random * 977};
    for (int i = 0; i < 10; i++)
        fake_uniform(&net);
    return net;
}

static atn_inferred *infer(fakenet *net, uint64_t seed)
{
    const atn_prober prober = fake_prober(net);
    atn_inferred *r = NULL;
    atn_error err = {0};
    assert_int_equal(
        atn_topo_infer(&prober, net->hosts, &(atn_infer_options){.seed = seed}, &r, &err), ATN_OK);
    assert_int_equal(r->probes, net->sets);
    assert_int_equal(r->pings, net->pings);
    return r;
}

static bool same_splits(const fakenet *net, const atn_inferred *r)
{
    uint64_t a[MAX_SPLITS], b[MAX_SPLITS];
    const int na = fake_splits(net->parent, net->hosts, net->nnodes, a);
    const int nb = fake_splits(r->parent, r->hosts, r->nnodes, b);
    return na == nb && memcmp(a, b, sizeof *a * (size_t)na) == 0;
}

static void print_absent(const char *what, const uint64_t *a, int na, const uint64_t *b, int nb)
{
    for (int i = 0; i < na; i++) {
        bool found = false;
        for (int k = 0; k < nb; k++)
            found = found || a[i] == b[k];
        if (!found)
            print_message("#   %s: %016" PRIx64 "\n", what, a[i]);
    }
}

static void print_difference(const fakenet *net, const atn_inferred *r)
{
    uint64_t a[MAX_SPLITS], b[MAX_SPLITS];
    const int na = fake_splits(net->parent, net->hosts, net->nnodes, a);
    const int nb = fake_splits(r->parent, r->hosts, r->nnodes, b);
    print_absent("link not found", a, na, b, nb);
    print_absent("link made up", b, nb, a, na);
}

/* Infers the network from several seeds; returns the number of wrong results. */
static int count_wrong(const fakenet *net, int times, const char *what)
{
    int wrong = 0;
    for (int i = 0; i < times; i++) {
        fakenet copy = *net;
        copy.random += (uint64_t)i << 32;
        atn_inferred *r = infer(&copy, (uint64_t)i + 1);
        if (!same_splits(net, r)) {
            print_message("# %s, seed %d: wrong; %s\n", what, i + 1, r->remarks);
            print_difference(net, r);
            wrong++;
        }
        atn_topo_inferred_free(r);
    }
    return wrong;
}

static void set_trunks(fakenet *net, double rate)
{
    for (int v = net->hosts; v < net->nnodes; v++)
        net->rate[v] = rate;
}

/* ---- trees ---- */

static void check_files(double trunk_rate, int times)
{
    glob_t files;
    assert_int_equal(glob(ATN_SOURCE_DIR "/share/topologies/*.conf", 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= 16);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        fakenet net = noisy(i + 1);
        fake_topo(&net, files.gl_pathv[i]);
        if (trunk_rate > 0)
            set_trunks(&net, trunk_rate);
        assert_int_equal(count_wrong(&net, times, files.gl_pathv[i]), 0);
    }
    globfree(&files);
}

static void shipped_topologies(void **unused)
{
    (void)unused;
    check_files(0, 4);
}

static void slower_links_between_switches(void **unused)
{
    (void)unused;
    check_files(40e6, 2);
}

/* Trees by their strings, each with several seeds; returns the number of failures. */
static int wrong_strings(const char *const *strings, int times)
{
    int wrong = 0;
    for (int i = 0; strings[i]; i++) {
        fakenet net = noisy((uint64_t)i + 1);
        fake_topo(&net, strings[i]);
        wrong += count_wrong(&net, times, strings[i]);
    }
    return wrong;
}

static void ranks_in_any_order(void **unused)
{
    static const char *const strings[] = {
        "4x4@100M;order=roundrobin",
        "4x4@100M;ranks=4",
        "3x5@100M;order=roundrobin;ranks=2",
        "8x8@1G;order=roundrobin",
        "4x4@100M;order=3,12,7,0,1,15,14,2,9,11,4,5,6,8,10,13",
        NULL,
    };
    (void)unused;
    assert_int_equal(wrong_strings(strings, 4), 0);
}

static void rows_and_levels_of_switches(void **unused)
{
    static const char *const strings[] = {
        "64@100M",
        "2x2@100M",
        "chain:6x3@100M;order=roundrobin",
        "chain:16x4@100M",
        "chain:3@50M x6@100M",
        "3@50M x3@100M x3@100M",
        "2@100M x4@50M x4@100M",
        "2x3x4@100M;order=roundrobin",
        NULL,
    };
    (void)unused;
    assert_int_equal(wrong_strings(strings, 4), 0);
}

/* Only three or more transfers saturate these links: a few mistakes are tolerated. */
static void faster_links_between_switches(void **unused)
{
    static const char *const strings[] = {
        "4@200M x4@100M", "8@200M x4@100M", "4@300M x8@100M", "2@400M x8@100M", NULL,
    };
    (void)unused;
    assert_true(wrong_strings(strings, 8) <= 2);
}

/* Unlimited links leave one switch: none is invented. */
static void links_that_are_never_saturated(void **unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++) {
        fakenet net = noisy((uint64_t)i + 1);
        fake_topo(&net, "4@10G x4@100M");
        atn_inferred *r = infer(&net, (uint64_t)i);
        assert_int_equal(r->nnodes, net.hosts + 1);
        assert_true(r->searched_fast);
        atn_topo_inferred_free(r);
    }
}

/* Every third host has a third or half of the rate. */
static void hosts_of_different_speed(void **unused)
{
    static const double slow[] = {30e6, 50e6};
    static const char *const strings[] = {"4x4@100M", "4x6@100M;order=roundrobin", "chain:4x4@100M",
                                          "chain:3x6@100M;order=roundrobin"};
    int wrong = 0;
    (void)unused;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            fakenet net = noisy((uint64_t)i + 1);
            fake_topo(&net, strings[i]);
            for (int h = 0; h < net.hosts; h += 3)
                net.rate[h] = slow[k];
            wrong += count_wrong(&net, 4, strings[i]);
        }
    assert_true(wrong <= 1);
}

static void groups_of_different_size(void **unused)
{
    static const int sizes[] = {2, 3, 7, 12, 1, 5};
    fakenet net = noisy(3);
    int h = 0;
    (void)unused;
    fake_stars(&net, 6, 5, 0);
    for (int g = 0; g < 6; g++)
        for (int i = 0; i < sizes[g]; i++)
            net.parent[h++] = net.hosts + g;
    assert_int_equal(h, net.hosts);
    assert_int_equal(count_wrong(&net, 10, "2, 3, 7, 12, 1 and 5 hosts"), 0);
}

/* Random trees, hosts in random order.  One mistake in a hundred is tolerated. */
static void random_trees(void **unused)
{
    int wrong = 0;
    (void)unused;
    for (int i = 0; i < 200; i++) {
        fakenet net = noisy((uint64_t)i + 1);
        const int hosts = 4 + fake_pick(&net, 61);
        fake_random(&net, hosts, 1 + fake_pick(&net, hosts / 2));
        wrong += count_wrong(&net, 1, "a random tree");
    }
    assert_true(wrong <= 2);
}

/* Five times the noise: measurements are repeated until they agree. */
static void strong_noise(void **unused)
{
    int wrong = 0;
    (void)unused;
    for (int i = 0; i < 20; i++) {
        fakenet net = noisy((uint64_t)i + 1);
        net.noise = 0.06;
        net.mishaps = 0.05;
        fake_stars(&net, 4, 4, 0);
        wrong += count_wrong(&net, 1, "much noise");
    }
    assert_true(wrong <= 1);
}

/* ---- rates, delays, ranks ---- */

static atn_topo *as_topology(const atn_inferred *r, const atn_topo *wanted)
{
    char names[FAKE_HOSTS][16];
    const char *list[FAKE_HOSTS];
    int host_of[wanted->p], first[FAKE_HOSTS], n = 0;
    for (int i = 0; i < wanted->p; i++) {
        int h = 0;
        while (h < n && first[h] != wanted->node_of[i])
            h++;
        first[h] = wanted->node_of[i];
        n = atn_max(n, h + 1);
        host_of[i] = h;
    }
    assert_int_equal(n, r->hosts);
    for (int h = 0; h < n; h++) {
        snprintf(names[h], sizeof names[h], "m%d", h);
        list[h] = names[h];
    }
    atn_topo *t = NULL;
    assert_int_equal(atn_topo_inferred_topo(r, list, host_of, wanted->p, &t, NULL), ATN_OK);
    return t;
}

/* Links, rates and rank mapping are unchanged. */
static void the_result_is_the_same_topology(void **unused)
{
    static const char *const strings[] = {
        "4x4@100M",
        "4x4@100M;order=roundrobin",
        "3x4@1G;order=roundrobin;ranks=3",
        "3@50M x4@100M;ranks=2",
        "chain:4@300M x6@1G",
        "4@2G x4@1G",
    };
    (void)unused;
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        fakenet net = noisy(i + 1);
        atn_topo *wanted = NULL;
        net.mishaps = 0;
        fake_topo(&net, strings[i]);
        assert_int_equal(atn_topo_load(strings[i], &wanted, NULL), ATN_OK);
        atn_inferred *r = infer(&net, 1);
        atn_topo *t = as_topology(r, wanted);
        char *text = atn_topo_print(t);
        if (atn_topo_fingerprint(t) != atn_topo_fingerprint(wanted))
            fail_msg("%s was found to be\n%s", strings[i], text);
        free(text);
        atn_topo_free(t);
        atn_topo_free(wanted);
        atn_topo_inferred_free(r);
    }
}

static void distant_sites(void **unused)
{
    static const char *const strings[] = {
        "chain:2@100M+10ms x8@100M",
        "chain:2@10G+10ms x4@100M", /* detected by its delay alone */
        "3@10G+5ms x5@100M;order=roundrobin",
        "2@50M+10ms x4@100M",
        "3@100M+2ms x2@100M x3@100M",
        NULL,
    };
    (void)unused;
    assert_int_equal(wrong_strings(strings, 4), 0);
}

/* The link between two sites has its delay, and no other link has any. */
static void delays_of_links(void **unused)
{
    fakenet net = noisy(5);
    (void)unused;
    fake_topo(&net, "chain:2@10G+10ms x8@100M");
    atn_inferred *r = infer(&net, 1);
    assert_int_equal(r->nnodes, 18);
    for (int v = 0; v < r->nnodes - 1; v++)
        if (v < 16)
            assert_true(r->links[v].delay == 0);
        else
            assert_true(fabs(r->links[v].delay - 10e-3) < 0.5e-3);
    assert_false(r->links[16].full);
    atn_topo_inferred_free(r);
}

/* Delays without information change nothing. */
static void delays_may_be_missing(void **unused)
{
    fakenet net = noisy(6);
    atn_inferred *r = NULL;
    (void)unused;
    fake_topo(&net, "4x4@100M");
    atn_prober prober = fake_prober(&net);
    prober.round_trip = NULL;
    assert_int_equal(atn_topo_infer(&prober, 16, &(atn_infer_options){.seed = 1}, &r, NULL),
                     ATN_OK);
    assert_int_equal(r->pings, 0);
    assert_true(same_splits(&net, r));
    atn_topo_inferred_free(r);
}

static void usual_rates(void **unused)
{
    (void)unused;
    assert_int_equal(atn_topo_link_rate(0), 0);
    assert_int_equal(atn_topo_link_rate(95e6), 100000000);
    assert_int_equal(atn_topo_link_rate(23.5e9), 25000000000);
    assert_int_equal(atn_topo_link_rate(66.5e6), 70100000); /* not a standard rate: three digits */
}

/* One that measured 104 among many of 95 is one of them; one of 80 is not. */
static void rates_alike(void **unused)
{
    static const double payload[] = {95e6, 104e6, 95e6, 80e6, 95e6, 0};
    static const int64_t wanted[] = {100000000, 100000000, 100000000, 80000000, 100000000};
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    int parent[] = {5, 5, 5, 5, 5, -1};
    atn_inferred_link links[6] = {0};
    const atn_inferred r = {.hosts = 5, .nnodes = 6, .parent = parent, .links = links};
    atn_topo *t = NULL;
    (void)unused;
    for (int v = 0; v < 6; v++)
        links[v] = (atn_inferred_link){.up = payload[v], .down = payload[v], .full = true};
    assert_int_equal(atn_topo_link_rate(104e6), 110000000);
    assert_int_equal(atn_topo_inferred_topo(&r, names, (const int[]){0, 1, 2, 3, 4}, 5, &t, NULL),
                     ATN_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(t->nodes[t->node_of[i]].rate, wanted[i]);
    atn_topo_free(t);
}

/* ---- effort ---- */

/* Sets of transfers divided by p log p, the mean of a few seeds. */
static double effort(const char *format, int groups)
{
    enum { TIMES = 3 };
    char text[64];
    double sum = 0;
    snprintf(text, sizeof text, format, groups);
    for (int i = 0; i < TIMES; i++) {
        fakenet net = noisy((uint64_t)i + 1);
        fake_topo(&net, text);
        atn_inferred *r = infer(&net, (uint64_t)i + 1);
        sum += r->probes / (net.hosts * log2(net.hosts)) / TIMES;
        assert_true(r->pings <= 2 * net.hosts * log2(net.hosts));
        atn_topo_inferred_free(r);
    }
    print_message("# %s: %.1f p log p sets of transfers\n", text, sum);
    return sum;
}

/* From 16 to 64 hosts the factor before p log p does not grow. */
static void effort_grows_as_p_log_p(void **unused)
{
    static const struct {
        const char *format;
        int groups; /* of 16 hosts */
        double most;
    } families[] = {
        {"%d@100M", 16, 5},
        {"%dx4@100M", 4, 6},
        {"%dx4@100M;order=roundrobin", 4, 6},
        {"%dx8@100M", 2, 6},
        {"chain:%dx4@100M", 4, 7},
        {"%d@50M x8@100M", 2, 7},
        {"%d@200M x4@100M", 4, 12},
        {"%d@300M x8@100M", 2, 12},
        {"chain:2@100M+10ms x%d@100M", 8, 6},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        double before = 0;
        for (int times = 1; times <= 4; times *= 2) {
            const double factor = effort(families[i].format, times * families[i].groups);
            assert_true(factor < families[i].most);
            if (times == 4)
                assert_true(factor < 1.4 * before);
            before = fmax(before, factor);
        }
    }
}

/* ---- limits ---- */

static void few_hosts(void **unused)
{
    (void)unused;
    for (int hosts = 1; hosts <= 3; hosts++) {
        fakenet net = noisy(1);
        fake_stars(&net, 1, hosts, 0);
        atn_inferred *r = infer(&net, 1);
        assert_int_equal(r->nnodes, hosts + 1);
        atn_topo_inferred_free(r);
    }
}

static void measurement_aborts(void **unused)
{
    (void)unused;
    for (int sets = 1; sets < 250; sets += 7) {
        fakenet net = noisy(1);
        atn_inferred *r = NULL;
        atn_error err = {0};
        net.breaks_after = sets;
        fake_topo(&net, "4x4@100M");
        const atn_prober prober = fake_prober(&net);
        assert_int_equal(atn_topo_infer(&prober, 16, &(atn_infer_options){0}, &r, &err),
                         ATN_ENVIRONMENT);
        assert_null(r);
        assert_int_equal(net.sets, sets);
    }
}

/* ---- output of the measurement job ---- */

static char *protocol(void)
{
    fakenet net = noisy(1);
    char *text = NULL;
    size_t bytes;
    fake_topo(&net, "2@50M x3@100M");
    atn_inferred *r = infer(&net, 1);
    free(r->remarks);
    r->remarks = strdup("one\ntwo\n");
    FILE *f = open_memstream(&text, &bytes);
    atn_topo_discovery_put_job(f, "Some MPI 1.2", (const char *[]){"a", "b", "c", "d", "e", "f"}, 6,
                               (const int[]){0, 0, 1, 2, 3, 4, 5}, 7);
    fprintf(f, "progress 0.50\n");
    atn_topo_discovery_put_result(f, r);
    fclose(f);
    atn_topo_inferred_free(r);
    return text;
}

/* All lines but number `without`; number `instead` is replaced. */
static atn_status read_lines(const char *text, int without, const char *instead, atn_discovery *d,
                             atn_error *err)
{
    char *copy = strdup(text), *rest = copy, *line;
    atn_status status = atn_topo_discovery_line(d, "launchers talk", err);
    for (int i = 0; status == ATN_OK && (line = strsep(&rest, "\n")) && *line != '\0'; i++)
        if (i != without)
            status = atn_topo_discovery_line(d, line, err);
        else if (instead)
            status = atn_topo_discovery_line(d, instead, err);
    free(copy);
    return status == ATN_OK ? atn_topo_discovery_end(d, err) : status;
}

static void job_output_is_parsed(void **unused)
{
    char *text = protocol();
    atn_discovery d = {0};
    (void)unused;
    assert_int_equal(read_lines(text, -1, NULL, &d, NULL), ATN_OK);
    assert_int_equal(d.ranks, 7);
    assert_int_equal(d.hosts, 6);
    assert_int_equal(d.host_of.v[6], 5);
    assert_string_equal(d.mpi, "Some MPI 1.2");
    assert_string_equal(d.names.v[5], "f");
    assert_string_equal(d.result->remarks, "one\ntwo\n");
    assert_int_equal(d.result->nnodes, 8);
    assert_true(d.result->links[6].full);
    atn_topo_discovery_free(&d);
    free(text);
}

/* Any missing or broken line, except remarks and progress, is an error, never a crash. */
static void broken_job_output_is_rejected(void **unused)
{
    static const char *const bad[] = {"nonsense", "node 1", "node 99 1 1 1 0 1", "host",
                                      "rank 17",  "job",    "job 1 5 x",         "end now"};
    char *text = protocol();
    int lines = 0;
    (void)unused;
    for (const char *at = text; *at != '\0'; at++)
        lines += *at == '\n';
    for (int i = 0; i < lines; i++)
        for (int k = -1; k < (int)(sizeof bad / sizeof *bad); k++) {
            atn_discovery d = {0};
            atn_error err = {0};
            const atn_status status = read_lines(text, i, k < 0 ? NULL : bad[k], &d, &err);
            assert_int_equal(status == ATN_OK, err.text[0] == '\0');
            if (k >= 0)
                assert_int_equal(status, ATN_ENVIRONMENT);
            atn_topo_discovery_free(&d);
        }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_topologies),
        cmocka_unit_test(slower_links_between_switches),
        cmocka_unit_test(ranks_in_any_order),
        cmocka_unit_test(rows_and_levels_of_switches),
        cmocka_unit_test(faster_links_between_switches),
        cmocka_unit_test(links_that_are_never_saturated),
        cmocka_unit_test(hosts_of_different_speed),
        cmocka_unit_test(groups_of_different_size),
        cmocka_unit_test(random_trees),
        cmocka_unit_test(strong_noise),
        cmocka_unit_test(the_result_is_the_same_topology),
        cmocka_unit_test(distant_sites),
        cmocka_unit_test(delays_of_links),
        cmocka_unit_test(delays_may_be_missing),
        cmocka_unit_test(usual_rates),
        cmocka_unit_test(rates_alike),
        cmocka_unit_test(effort_grows_as_p_log_p),
        cmocka_unit_test(few_hosts),
        cmocka_unit_test(measurement_aborts),
        cmocka_unit_test(job_output_is_parsed),
        cmocka_unit_test(broken_job_output_is_rejected),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
