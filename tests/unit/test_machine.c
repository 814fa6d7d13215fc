/* test_machine.c - machine files: parsing and printing, rejected files, look-up, conversions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/machine.h"

static const char sample[] = "attune-machine 1\n"
                             "date: 2026-02-03\n"
                             "mpi: openmpi 4.1.4\n"
                             "hosts framing=0.95 processors=2\n"
                             "measured ranks=16 topology=8c1f0e9a55d2b7f3\n"
                             "table copy 1\n"
                             "  1K     0.1\n"
                             "table gamma max i32 1\n"
                             "  1K     0.2\n"
                             "table gamma sum f64 1 2\n"
                             "  1K     0.3 0.4\n"
                             "  1M     0.5 0.8\n"
                             "channel memory\n"
                             "  path duplex=1 hops=2 rate=4000 segment=32K\n"
                             "  overhead below=0.5 eager=4K from=1\n"
                             "  table transfer 1 2 4\n"
                             "    0      0.1 0.15 0.2\n"
                             "    1K     1 1.5 2\n"
                             "    32K    5 7 12\n"
                             "  table sync 1 2\n"
                             "    0      0.2 0.3\n"
                             "channel switch\n"
                             "  path duplex=0.5 hops=3 latency=60\n"
                             "  overhead below=25 eager=64K from=90\n"
                             "  loggp G=84.25 L=30 g=5 o=10\n"
                             "  quality samples=300 spread=0.02\n"
                             "  table transfer 1 4\n"
                             "    1K     100~3 400\n"
                             "    64K    5600 22400\n"
                             "  table plogp-gap 1\n"
                             "    1      20\n"
                             "    1K     95\n"
                             "end\n";

static atn_machine *parse(const char *text)
{
    atn_machine *m = NULL;
    atn_error err = {0};
    if (atn_model_machine_parse(text, strlen(text), "m", &m, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return m;
}

static void near(double got, double wanted)
{
    if (fabs(got - wanted) > 1e-9 * fabs(wanted) + 1e-18)
        fail_msg("%.12g, wanted %.12g", got, wanted);
}

static void printing_inverts_parsing(void **state)
{
    (void)state;
    atn_machine *m = parse(sample);
    char *text = atn_model_machine_print(m);
    assert_string_equal(text, sample);
    assert_int_equal(m->nchannels, 2);
    assert_int_equal(m->processors, 2);
    assert_true(m->topology == UINT64_C(0x8c1f0e9a55d2b7f3));
    near(m->channel[1].loggp.gap_byte, 84.25e-9);
    near(m->channel[0].rate, 4e9);
    assert_int_equal(m->channel[1].transfer.line[1], 29);
    free(text);
    atn_model_machine_free(m);
}

static void interpolation_and_extrapolation(void **state)
{
    (void)state;
    atn_machine *m = parse(sample);
    const atn_channel *mem = &m->channel[0], *net = &m->channel[1];
    near(atn_model_table_time(&mem->transfer, 512, 1), 0.55e-6);
    near(atn_model_table_time(&mem->transfer, 512, 3), (0.175e-6 + 1.75e-6) / 2);
    near(atn_model_table_time(&net->transfer, 1, 1), 100e-6); /* below the smallest size */
    near(atn_model_table_time(&net->transfer, 127 * 1024, 1), 11100e-6); /* linear extrapolation */
    near(atn_model_table_time(&net->transfer, 1024, 8), 800e-6);         /* at most proportional */
    near(atn_model_table_time(&mem->transfer, 1024, 8), 3e-6); /* linear from the last two */
    near(atn_model_table_time(&mem->transfer, 1024, 0), 0);
    near(atn_model_channel_transfer(mem, 0, 2), 0.3e-6);        /* y(tau) */
    near(atn_model_channel_transfer(mem, 96 * 1024, 2), 21e-6); /* three cells */
    near(atn_model_channel_overhead(net, 65535), 25e-6);
    near(atn_model_channel_overhead(net, 65536), 90e-6);
    near(atn_model_machine_reduce(m, "sum", "f64", 1 << 30, 1), 0.5e-9);
    near(atn_model_machine_reduce(m, "max", "f64", 10, 1), 0.2e-9);
    near(atn_model_machine_reduce(m, "prod", "f64", 1024, 2), 0.4e-9);
    near(atn_model_channel_message(m, 1, 1024), 25e-6 + 2e-6 + 100e-6);
    near(atn_model_channel_message(m, 0, 65536), 1e-6 + 2 * 5e-6 + 7e-6); /* (3.2), two cells */
    atn_model_machine_free(m);
}

/* Each with a part of its message. */
static void invalid_files_are_rejected(void **state)
{
    (void)state;
#define HEAD "attune-machine 1\nchannel m\n"
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "m:1: not a machine file"},
        {"attune-wisdom 1\n", "m:1: not a machine file"},
        {"attune-machine 2\nend\n", "m:1: machine file of version 2"},
        {"attune-machine 1\nend\n", "m:2: no channel"},
        {HEAD "hockney alpha=1 beta=1\n", "m:4: the line \"end\" is missing"},
        {HEAD "hockney alpha=1 beta=1", "m:3: the last line has no end"},
        {HEAD "end\n", "m:2: channel m has no time"},
        {HEAD "hockney alpha=nan beta=1\nend\n", "m:3: alpha: invalid number \"nan\""},
        {HEAD "hockney alpha=-1 beta=1\nend\n", "m:3: alpha: -1 is negative"},
        {HEAD "hockney alpha=1e999 beta=1\nend\n", "m:3: alpha: 1e999 is not finite"},
        {HEAD "hockney alpha=1~nan beta=1\nend\n",
         "m:3: half an interval, after ~: invalid number \"nan\""},
        {HEAD "hockney alpha=1~-1 beta=1\nend\n", "m:3: half an interval, after ~: -1 is"},
        {HEAD "table transfer 1\n 1K 1~\nend\n",
         "m:4: half an interval, after ~: invalid number \"\""},
        {HEAD "table transfer 1\n 1K 1~2~3\nend\n", "m:4: half an interval, after ~"},
        {HEAD "hockney aplha=1 beta=1\nend\n", "m:3: unknown field \"aplha\"; did you mean"},
        {HEAD "hockny alpha=1\nend\n", "m:3: unknown word \"hockny\"; did you mean \"hockney\""},
        {HEAD "hockney alpha=1 beta=1\nhockney alpha=1\nend\n", "m:4: duplicate line"},
        {HEAD "path duplex=2\nend\n", "m:3: duplex=2 is out of range"},
        {HEAD "path hops=x\nend\n", "m:3: hops: invalid size \"x\""},
        {HEAD "table transfer 1 2\n 1K 1 2\n 1K 1 2\nend\n", "m:5: size 1K does not ascend"},
        {HEAD "table transfer 1 2\n 2K 1 2\n 1K 1 2\nend\n", "m:5: size 1K does not ascend"},
        {HEAD "table transfer 1 2\n 1K 1\nend\n", "m:4: 1 values for 2 columns"},
        {HEAD "table transfer 1 2\n 1K 1 2 3\nend\n", "m:4: more values than"},
        {HEAD "table transfer 2 1\n 1K 1 2\nend\n", "m:3: numbers of concurrent ranks must ascend"},
        {HEAD "table transfer\n 1K 1\nend\n", "m:3: the table has no columns"},
        {HEAD "table transfer 1\n 1K 1\ntable transfer 1\nend\n", "m:5: duplicate table transfer"},
        {HEAD "table tranfer 1\n 1K 1\nend\n", "did you mean \"transfer\""},
        {HEAD "1K 1\nend\n", "m:3: a row of numbers outside"},
        {HEAD "hockney alpha=1 beta=1\nchannel m\nend\n", "m:4: duplicate channel m"},
        {HEAD "hockney alpha=1 beta=1\nend\nmore\n", "m:5: text after \"end\""},
        {HEAD "hockney alpha=1 beta=1\ndate: x\nend\n", "m:4: provenance"},
        {"attune-machine 1\nmeasured topology=12\nend\n", "m:2: invalid fingerprint topology=12"},
        {"attune-machine 1\ntable gamma sum\nend\n", "m:2: a table gamma needs operator"},
        {HEAD "hockney alpha=1\001 beta=1\nend\n", "m:3: byte 0x01"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        atn_machine *m = NULL;
        atn_error err = {0};
        const char *text = cases[i].text;
        if (atn_model_machine_parse(text, strlen(text), "m", &m, &err) != ATN_INPUT || m != NULL ||
            strstr(err.text, cases[i].words) == NULL)
            fail_msg("case %d: \"%s\", wanted \"%s\"", (int)i, err.text, cases[i].words);
    }
}

/* No truncated or corrupted file crashes the parser or yields an incomplete machine. */
static void damaged_files(void **state)
{
    (void)state;
    const size_t n = sizeof sample - 1;
    char copy[sizeof sample];
    for (size_t i = 0; i < n; i++) {
        atn_machine *m = NULL;
        assert_int_equal(atn_model_machine_parse(sample, i, "m", &m, NULL), ATN_INPUT);
        memcpy(copy, sample, sizeof sample);
        copy[i] = (char)(copy[i] ^ 0x15);
        if (atn_model_machine_parse(copy, n, "m", &m, NULL) == ATN_OK) {
            assert_int_equal(atn_model_machine_check(m, NULL), ATN_OK);
            atn_model_machine_free(m);
        }
    }
}

static void collect(void *to, int line, const char *text)
{
    char *const end = strchr(to, '\0');
    snprintf(end, 2000 - strlen(to), "m:%d: %s\n", line, text);
}

static void suspicious_values_cause_warnings(void **state)
{
    (void)state;
    char warnings[2048] = "";
    atn_machine *m = parse("attune-machine 1\n"
                           "channel memory\n"
                           "  overhead below=3 eager=1K from=1\n"
                           "  table transfer 1 2\n"
                           "    1K 1 3\n"
                           "    2K 2 1\n"
                           "    4K 1 1.5\n"
                           "  quality samples=3 spread=0.5\n"
                           "end\n");
    assert_int_equal(atn_model_machine_warnings(m, collect, warnings), 6);
    assert_non_null(strstr(warnings,
                           "m:5: memory: table transfer: 1024 bytes take 1 us at concurrency "
                           "1 but 3 at 2: serialization would be faster"));
    assert_non_null(strstr(warnings,
                           "m:6: memory: table transfer: 2048 bytes take 2 us at concurrency "
                           "1 but 1 at 2: more concurrency cannot be faster"));
    assert_non_null(
        strstr(warnings, "m:7: memory: table transfer: 4096 bytes take 1 us, less than"));
    assert_non_null(strstr(warnings, "overhead decreases"));
    atn_model_machine_free(m);
    m = parse(sample);
    assert_int_equal(atn_model_machine_warnings(m, NULL, NULL), 0);
    atn_model_machine_free(m);
}

static void builtin_machine_has_no_warnings(void **state)
{
    (void)state;
    atn_machine *m = atn_model_machine_builtin();
    assert_non_null(m);
    assert_int_equal(atn_model_machine_warnings(m, NULL, NULL), 0);
    for (double n = 1; n < 1 << 24; n *= 2)
        assert_true(atn_model_channel_message(m, 0, n) < atn_model_channel_message(m, 1, n));
    atn_model_machine_free(m);
}

static double assumed_rate(const char *tree)
{
    atn_topo *t = NULL;
    assert_int_equal(atn_topo_parse_synthetic(tree, &t, NULL), ATN_OK);
    atn_machine *const m = atn_model_machine_assumed(t);
    assert_non_null(m);
    assert_int_equal(atn_model_machine_warnings(m, NULL, NULL), 0);
    for (double n = 1; n < 1 << 24; n *= 2)
        assert_true(atn_model_channel_message(m, 0, n) < atn_model_channel_message(m, 1, n));
    const double rate = atn_model_channel_rate(m, 1);
    atn_model_machine_free(m);
    atn_topo_free(t);
    return rate;
}

/* A message alone on links of 10 Gbit/s uses them; slower links limit by themselves. */
static void assumed_machine_has_the_rate_of_hosts(void **state)
{
    (void)state;
    const double memory = 4000e6;
    near(assumed_rate("4@40Gx16@10G"), 10e9 / 8 * 1460 / 1538);
    near(assumed_rate("4x16@100M"), 117e6);
    near(assumed_rate("4x16"), 117e6);
    near(assumed_rate("4@400Gx16@100G"), memory);
}

/* Table 7.1 of the thesis. */
static void plogp_becomes_loggp(void **state)
{
    (void)state;
    atn_plogp p = {.latency = 30e-6};
    atn_model_table_put(&p.gap, 1, 1, 8e-6);
    atn_model_table_put(&p.gap, 1048576, 1, 9600e-6);
    atn_model_table_put(&p.os, 1, 1, 2e-6);
    atn_model_table_put(&p.or_, 1, 1, 4e-6);
    const atn_loggp g = atn_model_loggp_from_plogp(&p, 1048576);
    near(g.latency, 32e-6);
    near(g.o, 3e-6);
    near(g.gap, 8e-6);
    near(g.gap_byte, 9600e-6 / 1048576);
}

static void tables_fill_in_order(void **state)
{
    (void)state;
    atn_cost_table t = {0};
    assert_true(atn_model_table_put(&t, 1024, 1, 1.0));
    assert_true(atn_model_table_put(&t, 1024, 2, 2.0));
    assert_true(atn_model_table_put(&t, 2048, 1, 3.0));
    assert_false(atn_model_table_put(&t, 2048, 3, 3.0));
    assert_true(atn_model_table_put(&t, 2048, 2, 4.0));
    assert_false(atn_model_table_put(&t, 1024, 1, 1.0));
    near(atn_model_table_time(&t, 1536, 2), 3.0);
}

static void channels_by_topology(void **state)
{
    (void)state;
    atn_topo *t = NULL;
    atn_machine *m = parse(sample);
    atn_error err = {0};
    if (atn_topo_parse_synthetic("2x2@100M;ranks=2", &t, &err) != ATN_OK &&
        atn_topo_parse_synthetic("2x2@100M", &t, &err) != ATN_OK)
        fail_msg("%s", err.text);
    assert_int_equal(atn_model_machine_channel_of(m, t, 0, 1),
                     t->node_of[0] == t->node_of[1] ? 0 : 1);
    assert_int_equal(atn_model_machine_channel_of(m, t, 0, t->p - 1), 1); /* the last channel */
    assert_int_equal(atn_model_machine_channel_of(m, NULL, 0, 1), 1);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

static const char *refused(const atn_machine *m, const char *topology)
{
    atn_topo *t = NULL;
    atn_error err = {0};
    if (atn_topo_parse_synthetic(topology, &t, &err) != ATN_OK)
        fail_msg("%s: %s", topology, err.text);
    const char *const why = atn_model_machine_refuses(m, t);
    atn_topo_free(t);
    return why;
}

/* A machine applies to every rank mapping on its hosts, and to no other cluster. */
static void machines_belong_to_clusters(void **state)
{
    (void)state;
    atn_topo *t = NULL;
    atn_machine *m = parse(sample);
    atn_error err = {0};
    assert_int_equal(atn_topo_parse_synthetic("4x4@100M", &t, &err), ATN_OK);
    m->topology = atn_topo_wires(t);
    m->ranks = t->p;
    m->hosts = 16;
    m->channel[1].rate = 11.8e6;
    assert_null(refused(m, "4x4@100M"));
    assert_null(refused(m, "4x4@100M;order=roundrobin"));
    assert_null(refused(m, "4x4@100M;ranks=2")); /* two ranks on each host */
    assert_null(refused(m, "2x4@100M"));         /* a part of the cluster */
    assert_non_null(strstr(refused(m, "4x4@1G"), "another topology"));
    assert_non_null(strstr(refused(m, "2x8@100M"), "another topology"));
    assert_non_null(strstr(refused(m, "2x4@10M"), "faster than the links"));
    assert_non_null(strstr(refused(m, "2x4@1G"), "less than a fifth"));
    m->hosts = 0; /* older files identify the rank mapping */
    m->topology = atn_topo_fingerprint(t);
    assert_null(refused(m, "4x4@100M"));
    assert_non_null(refused(m, "4x4@100M;order=roundrobin"));
    m->topology = 0; /* written by hand */
    assert_null(refused(m, "2x8@100M"));
    atn_topo_free(t);
    atn_model_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printing_inverts_parsing),
        cmocka_unit_test(interpolation_and_extrapolation),
        cmocka_unit_test(invalid_files_are_rejected),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(suspicious_values_cause_warnings),
        cmocka_unit_test(builtin_machine_has_no_warnings),
        cmocka_unit_test(assumed_machine_has_the_rate_of_hosts),
        cmocka_unit_test(plogp_becomes_loggp),
        cmocka_unit_test(tables_fill_in_order),
        cmocka_unit_test(channels_by_topology),
        cmocka_unit_test(machines_belong_to_clusters),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
