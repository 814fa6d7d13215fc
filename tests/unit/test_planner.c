/* test_planner.c - candidates ranked by predicted time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "made.h"
#include "plan/candidates.h"
#include "plan/planner.h"
#include "plan/segment.h"
#include "plan/trial.h"

#include "model_time.h"

/* As measured on an emulated cluster of 16 hosts that share two processors. */
static const char lab[] = "attune-machine 1\n"
                          "hosts processors=2\n"
                          "table gamma sum f64 1\n"
                          "  1K 0.5\n"
                          "channel memory\n"
                          "  hockney alpha=2 beta=0.3\n"
                          "channel switch\n"
                          "  path duplex=0.4 rate=11.87\n"
                          "  overhead below=100 eager=64K from=700\n"
                          "  processor message=9 more=6.5 byte=4\n"
                          "  hockney alpha=100 beta=85\n"
                          "channel core\n"
                          "  path duplex=0.4 rate=11.87\n"
                          "  overhead below=110 eager=64K from=700\n"
                          "  processor message=9 more=6.5 byte=5\n"
                          "  hockney alpha=110 beta=85\n"
                          "end\n";

static atn_ranking rank(atn_operation op, int64_t bytes, const atn_topo *t, const atn_machine *m,
                        int64_t budget)
{
    const atn_problem q = {.op = op, .p = t->p, .bytes = bytes, .topo = t};
    atn_ranking r = {0};
    atn_error err = {0};
    if (atn_plan_planner_rank(&q, m, NULL, budget, &r, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return r;
}

/* Cyclic mapping over the switches: the planner selects what measurements found best. */
static void best_on_cyclic_mapping(void **state)
{
    (void)state;
    static const struct {
        atn_operation op;
        int64_t bytes;
        const char *begins[2];
    } cases[] = {
        {ATN_BCAST, 1 << 20, {"bcast/chain", "order=dfs"}},
        {ATN_BCAST, 1 << 17, {"bcast/chain", "order=dfs"}},
        {ATN_ALLREDUCE, 1 << 20, {"allreduce/", "order=lr1"}},
        {ATN_ALLGATHER, 1 << 17, {"allgather/", "order=lr1"}},
    };
    atn_machine *m = made_machine(lab);
    atn_topo *t = made_topology("4x4@100M;order=roundrobin");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[ATN_NAME_ROOM];
        atn_ranking r = rank(cases[i].op, cases[i].bytes, t, m, atn_plan_budget(t->p));
        assert_true(r.n > 0);
        atn_algo_params_print(r.v[0].choice.row, &r.v[0].choice.params, name, sizeof name);
        if (strncmp(name, cases[i].begins[0], strlen(cases[i].begins[0])) != 0 ||
            strstr(name, cases[i].begins[1]) == NULL)
            fail_msg("%s", name);
        atn_plan_ranking_free(&r);
    }
    atn_topo_free(t);
    atn_model_machine_free(m);
}

static void rankings_are_sorted_and_bounded(void **state)
{
    (void)state;
    atn_machine *m = made_machine(lab);
    atn_topo *t = made_topology("4x4@100M");
    for (int op = 0; op < ATN_OPERATIONS; op++) {
        atn_ranking r = rank((atn_operation)op, 4096, t, m, 400000);
        assert_true(r.steps <= 400000);
        for (int i = 1; i < r.n; i++)
            assert_true(r.v[i - 1].seconds <= 1.021 * r.v[i].seconds); /* two per cent: a tie */
        if (r.n > 0)
            assert_true(r.v[0].seconds > 0 && r.evaluated > 0);
        atn_plan_ranking_free(&r);
    }
    atn_ranking none = rank(ATN_ALLTOALLV, -1, t, m, 3000); /* the size is not shared */
    assert_int_equal(none.n, 0);
    atn_plan_ranking_free(&none);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

static const char *name_of(const atn_prospect *x, char name[ATN_NAME_ROOM])
{
    atn_algo_params_print(x->choice.row, &x->choice.params, name, ATN_NAME_ROOM);
    return name;
}

/* With a small budget, a candidate that was not evaluated does not rank first by its closed form
 * alone; and tokens must gain more than the error of models. */
static void unevaluated_forms_do_not_rank_first(void **state)
{
    (void)state;
    static const char *const places[] = {"4x4@100M", "4x4@100M;order=roundrobin"};
    atn_machine *m = made_machine(lab);
    for (int i = 0; i < 2; i++) {
        atn_topo *t = made_topology(places[i]);
        for (int64_t bytes = 1 << 14; bytes <= 1 << 20; bytes *= 8) {
            char name[ATN_NAME_ROOM];
            atn_ranking r = rank(ATN_ALLREDUCE, bytes, t, m, atn_plan_budget(t->p) / 2);
            if (!r.v[0].evaluated || strstr(name_of(&r.v[0], name), "sync=") != NULL)
                fail_msg("%s, %lld: %s", places[i], (long long)bytes, name_of(&r.v[0], name));
            for (int k = 0; k < r.n; k++)
                assert_true(r.v[k].evaluated || r.v[k].seconds >= r.v[k].hope);
            atn_plan_ranking_free(&r);
        }
        atn_topo_free(t);
    }
    atn_model_machine_free(m);
}

/* A ranking adds a tenth to the predicted time of a schedule with tokens. */
static void tokens_must_gain_clearly(void **state)
{
    (void)state;
    atn_machine *m = made_machine(lab);
    atn_topo *t = made_topology("4x4@100M");
    const atn_problem q = {.op = ATN_ALLREDUCE, .p = t->p, .bytes = 1 << 17, .topo = t};
    atn_ranking r = rank(q.op, q.bytes, t, m, INT64_C(1) << 40);
    int seen[2] = {0};
    for (int i = 0; i < r.n; i++) {
        char name[ATN_NAME_ROOM];
        const bool tokens = strstr(name_of(&r.v[i], name), "sync=") != NULL;
        int64_t budget = INT64_C(1) << 40;
        double seconds = 0, usual = 0;
        if (!r.v[i].evaluated || r.v[i].beyond || seen[tokens]++ > 3)
            continue;
        assert_int_equal(atn_plan_planner_time(&r.v[i].choice, &q, m, atn_model_find("links"),
                                               &budget, &seconds, NULL),
                         ATN_OK);
        assert_int_equal(atn_plan_planner_time(&r.v[i].choice, &q, m, NULL, &budget, &usual, NULL),
                         ATN_OK);
        assert_true(usual == seconds); /* the `links` model applies there */
        assert_true(fabs(r.v[i].seconds / seconds - (tokens ? 1.1 : 1)) < 1e-9);
    }
    assert_true(seen[0] > 0 && seen[1] > 0);
    atn_plan_ranking_free(&r);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

/* Pipelines are estimated from two short ones. */
static void long_pipelines(void **state)
{
    (void)state;
    static const char *const words[] = {"chain:segment=2K", "chain:segment=4K:order=dfs",
                                        "binomial:segment=2K"};
    atn_machine *m = made_machine(lab);
    atn_topo *t = made_topology("4x4@100M;order=roundrobin");
    const atn_problem q = {.op = ATN_BCAST, .p = 16, .bytes = 1 << 17, .topo = t};
    for (int i = 0; i < 3; i++) {
        atn_choice c;
        char text[64];
        atn_schedule *s[16];
        int64_t budget = 1 << 28;
        double estimate = 0, whole = 0;
        snprintf(text, sizeof text, "%s", words[i]);
        assert_int_equal(atn_plan_choice_read(ATN_BCAST, text, &c, NULL), ATN_OK);
        assert_int_equal(
            atn_plan_planner_time(&c, &q, m, atn_model_find("links"), &budget, &estimate, NULL),
            ATN_OK);
        for (int r = 0; r < 16; r++) {
            atn_problem mine = q;
            mine.r = r;
            mine.segments = atn_algo_segments(c.row, &q, &c.params);
            assert_int_equal(atn_algo_build(c.row, &mine, &c.params, &s[r], NULL), ATN_OK);
        }
        assert_int_equal(model_time(atn_model_find("links"), s, 16, q.bytes, m, t, &whole, NULL),
                         ATN_OK);
        if (fabs(estimate / whole - 1) > 0.1)
            fail_msg("%s: %g from short ones, %g as a whole", words[i], estimate, whole);
        for (int r = 0; r < 16; r++)
            atn_sched_schedule_free(s[r]);
    }
    atn_topo_free(t);
    atn_model_machine_free(m);
}

/* (P - 1)(g(s) + L) + g(s)(n/s - 1) has its minimum at s = sqrt(f n / ((P - 2) b)) for
 * g(s) = f + b s: 5972 bytes here, between the powers of two. */
static void best_segment(void **state)
{
    (void)state;
    const double L = 50e-6, fixed = 20e-6, byte = 84e-9, n = 1 << 20;
    const int p = 9;
    atn_machine *m = atn_model_machine_new();
    atn_channel *c = atn_model_machine_add_channel(m, "only");
    c->plogp.latency = L;
    atn_model_table_put(&c->plogp.gap, 0, 1, fixed);
    atn_model_table_put(&c->plogp.gap, 1 << 20, 1, fixed + byte * n);
    const atn_problem q = {.op = ATN_BCAST, .p = p, .bytes = 1 << 20};
    atn_segment_search s = {.q = &q,
                            .m = m,
                            .model = atn_model_find("plogp"),
                            .few = ATN_FEW_SEGMENTS,
                            .budget = INT64_MAX,
                            .tries = 64};
    atn_choice choice = {.row = atn_algo_catalog_by_name("bcast/chain")};
    double seconds = 0;
    atn_algo_params_default(choice.row, &choice.params);
    assert_int_equal(atn_plan_segment_find(&s, &choice, &seconds), ATN_OK);
    const double size = (double)choice.params.v[1], k = ceil(n / size), g = fixed + byte * n / k;
    assert_true(size > 5972 / 1.1 && size < 5972 * 1.1);
    assert_true(fabs(seconds / ((p - 1) * (g + L) + g * (k - 1)) - 1) < 1e-3);
    assert_true(s.tries > 40);                              /* not every size */
    choice.row = atn_algo_catalog_by_name("scatter/chain"); /* has none */
    assert_int_equal(atn_plan_segment_find(&s, &choice, &seconds), ATN_NOT_APPLICABLE);
    atn_model_machine_free(m);
}

/* The planner goes on from the sizes of its candidates, which are powers of two. */
static void planner_searches_segments(void **state)
{
    (void)state;
    atn_machine *m = atn_model_machine_builtin();
    const atn_problem q = {.op = ATN_REDUCE, .p = 33, .bytes = 256 << 10};
    atn_ranking r;
    assert_int_equal(atn_plan_planner_rank(&q, m, NULL, 40000000, &r, NULL), ATN_OK);
    const atn_prospect *const best = &r.v[0];
    assert_true(best->segments > 1 && (best->segments & (best->segments - 1)) != 0);
    for (int i = 1; i < r.n; i++) /* better than the sizes that all candidates have */
        assert_true(!r.v[i].evaluated || best->seconds < 0.99 * r.v[i].seconds);
    atn_plan_ranking_free(&r);
    atn_model_machine_free(m);
}

static void model_by_topology(void **state)
{
    (void)state;
    atn_machine *m = atn_model_machine_builtin();
    atn_topo *t = made_topology("2x2@100M");
    assert_string_equal(atn_plan_planner_model(m, t, 4)->name, "links");
    m->nchannels = 1;
    assert_string_equal(atn_plan_planner_model(m, NULL, 4)->name, "taulop");
    atn_topo_free(t);
    atn_model_machine_free(m);
}

/* 100 Mb/s carry 100 000 bytes in 8 ms; of sixteen blocks each is a sixteenth of that. */
static void long_calls(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        atn_operation op;
        int64_t bytes;
        bool is;
    } list[] = {
        {"4x4@100M", ATN_BCAST, 100000, false},    {"4x4@100M", ATN_BCAST, 100001, true},
        {"4x4@100M", ATN_ALLGATHER, 6250, false},  {"4x4@100M", ATN_ALLGATHER, 6251, true},
        {"4x4@100M", ATN_BARRIER, 0, false},       {"4x4@1G", ATN_BCAST, 100001, false},
        {"4@1G x4@100M", ATN_BCAST, 100001, true}, {"4x4", ATN_BCAST, 1 << 30, false},
        {"4x4@100M", ATN_ALLTOALLV, -1, false},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        atn_topo *t = made_topology(list[i].topology);
        const atn_problem q = {.op = list[i].op, .p = 16, .bytes = list[i].bytes, .topo = t};
        assert_int_equal(atn_plan_takes_long(&q, 8), list[i].is);
        atn_topo_free(t);
    }
    const atn_problem nowhere = {.op = ATN_BCAST, .p = 16, .bytes = 1 << 30};
    assert_false(atn_plan_takes_long(&nowhere, 8));
}

/* ---- hosts of many ranks ---- */

static int count_named(const atn_problem *q, const char *part)
{
    atn_choice *list = NULL;
    const int n = atn_plan_candidates_within(q, 0, &list);
    int found = 0;
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        char name[ATN_NAME_ROOM];
        atn_algo_params_print(list[i].row, &list[i].params, name, sizeof name);
        found += strstr(name, part) != NULL;
    }
    free(list);
    return found;
}

/* One leader of each host, with several algorithms among them; not where each rank has a host. */
static void hosts_of_many_ranks_have_leaders(void **state)
{
    (void)state;
    static const atn_operation ops[] = {ATN_BCAST, ATN_REDUCE, ATN_ALLREDUCE, ATN_ALLGATHER};
    atn_topo *const many = made_topology("2@40Gx2@10G;ranks=16"), *const one = made_topology("2x2");
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        const atn_problem q = {
            .op = ops[i], .p = 64, .segments = 1, .bytes = 1 << 20, .topo = many};
        const atn_problem alone = {
            .op = ops[i], .p = 4, .segments = 1, .bytes = 1 << 20, .topo = one};
        assert_true(count_named(&q, "/levels{switch:none") >= 3);
        assert_true(count_named(&q, "levels{switch:none,host:") >= 2);
        assert_int_equal(count_named(&alone, "switch:none"), 0);
    }
    atn_topo_free(many);
    atn_topo_free(one);
}

static double exact(const atn_choice *c, const atn_problem *q, const atn_machine *m)
{
    int64_t budget = INT64_C(1) << 50;
    double seconds = 0;
    assert_int_equal(atn_plan_planner_time(c, q, m, NULL, &budget, &seconds, NULL), ATN_OK);
    return seconds;
}

/* A plan of a job takes at most this much longer than a choice. */
static void assert_not_slower(const atn_problem *q, const atn_machine *m, const char *rival,
                              double factor)
{
    atn_ranking r = rank(q->op, q->bytes, q->topo, m, atn_plan_budget(q->p));
    char text[64], name[ATN_NAME_ROOM];
    atn_choice other;
    snprintf(text, sizeof text, "%s", rival);
    assert_int_equal(atn_plan_choice_read(q->op, text, &other, NULL), ATN_OK);
    const double mine = exact(&r.v[0].choice, q, m), theirs = exact(&other, q, m);
    if (mine > factor * theirs)
        fail_msg("%s takes %.1f us, %s %.1f us", name_of(&r.v[0], name), 1e6 * mine, rival,
                 1e6 * theirs);
    atn_plan_ranking_free(&r);
}

/* On hosts of 16 ranks a plan of a job is as fast as levels with one leader, and as algorithms in
 * which all ranks of a host are leaders of a stripe of the message. */
static void plans_suit_hosts_of_many_ranks(void **state)
{
    (void)state;
    static const struct {
        atn_operation op;
        int64_t bytes;
        const char *rival;
    } cases[] = {
        {ATN_ALLREDUCE, 1024, "levels{switch:none}"},
        {ATN_ALLREDUCE, 1 << 20, "recursive_dividing"},
        {ATN_ALLREDUCE, 1 << 20, "levels{switch:none,host:ring}"},
        {ATN_BCAST, 1024, "levels{switch:none}"},
        {ATN_BCAST, 1 << 20, "levels{switch:none,segment=8K}"},
        {ATN_ALLGATHER, 1024, "levels{switch:none,host:ring}"},
    };
    atn_topo *const t = made_topology("2@40Gx4@10G;ranks=16");
    atn_machine *const m = atn_model_machine_assumed(t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const atn_problem q = {
            .op = cases[i].op, .p = t->p, .segments = 1, .bytes = cases[i].bytes, .topo = t};
        assert_not_slower(&q, m, cases[i].rival, 1.1);
    }
    atn_topo_free(t);
    atn_model_machine_free(m);
}

/* Links of 10 Gbit/s and 1 us between hosts, a tenth of the time inside of them. */
static const char fast_hosts[] = "attune-machine 1\n"
                                 "hosts framing=0.94\n"
                                 "channel memory\n"
                                 "  path duplex=1 hops=1 latency=0.5 rate=4700\n"
                                 "  overhead below=1.5 eager=4K from=1.6\n"
                                 "  processor message=0.5 more=0.5\n"
                                 "  hockney alpha=1.5 beta=0.213\n"
                                 "  table transfer 1 1024\n"
                                 "    1K 0.218 0.218\n"
                                 "    1M 223 223\n"
                                 "channel switch\n"
                                 "  path duplex=1 hops=3 latency=2\n"
                                 "  overhead below=3 eager=4K from=3.1\n"
                                 "  processor message=0.5 more=0.5\n"
                                 "  hockney alpha=3 beta=0.851\n"
                                 "end\n";

/* A miniature has too few messages that leave each host at the same time, so that it prefers levels
 * with leaders, or a tree of four children; the best ones are looked at on all ranks. */
static void rows_for_hosts_of_many_ranks(void **state)
{
    (void)state;
    static const struct {
        atn_operation op;
        int64_t bytes;
        const char *row;
    } cases[] = {
        {ATN_BCAST, 1024, "bcast/knomial"},
        {ATN_REDUCE, 1024, "reduce/knomial"},
        {ATN_BCAST, 32768, "bcast/levels"},
        {ATN_REDUCE, 32768, "reduce/butterfly"},
        {ATN_ALLREDUCE, 32768, "allreduce/recursive_dividing"},
    };
    atn_machine *const m = made_machine(fast_hosts);
    for (int cyclic = 0; cyclic < 2; cyclic++) {
        atn_topo *const t =
            made_topology(cyclic ? "16@10G+1us;ranks=16;order=roundrobin" : "16@10G+1us;ranks=16");
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            atn_ranking r = rank(cases[i].op, cases[i].bytes, t, m, atn_plan_budget(t->p));
            assert_string_equal(r.v[0].choice.row->name, cases[i].row);
            assert_true(cases[i].bytes > 1024 || (r.v[0].evaluated && !r.v[0].reduced));
            atn_plan_ranking_free(&r);
        }
        atn_topo_free(t);
    }
    atn_model_machine_free(m);
}

/* What a miniature of half as many ranks as a power of four, one without segments of levels, and a
 * binomial gather would miss. */
static void divided_messages_on_hosts_of_many_ranks(void **state)
{
    (void)state;
    static const struct {
        atn_operation op;
        const char *rival;
    } cases[] = {
        {ATN_BCAST, "levels{host:double_tree,segment=8K}"},
        {ATN_REDUCE, "butterfly{radix=4}"},
        {ATN_ALLREDUCE, "recursive_dividing"},
    };
    atn_topo *const t = made_topology("16@10G+1us;ranks=16");
    atn_machine *const m = made_machine(fast_hosts);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const atn_problem q = {
            .op = cases[i].op, .p = t->p, .segments = 1, .bytes = 32768, .topo = t};
        assert_not_slower(&q, m, cases[i].rival, 1.05);
    }
    atn_topo_free(t);
    atn_model_machine_free(m);
}

static const char fast_tree[] = "attune-machine 1\n"
                                "hosts framing=0.94 simulated=1\n"
                                "channel memory\n"
                                "  hockney alpha=1.5 beta=0.213\n"
                                "channel switch\n"
                                "  path duplex=1 hops=3 latency=2\n"
                                "  overhead below=3 eager=4K from=3.1\n"
                                "  processor message=0.5 more=0.5\n"
                                "  hockney alpha=3 beta=0.851\n"
                                "channel core\n"
                                "  path duplex=1 hops=5 latency=4\n"
                                "  overhead below=5 eager=4K from=5.1\n"
                                "  processor message=0.5 more=0.5\n"
                                "  hockney alpha=5 beta=0.851\n"
                                "end\n";

/* Of more ranks than can be evaluated, trees are confirmed on a part of them. */
static void trees_of_many_ranks_are_confirmed(void **state)
{
    (void)state;
    atn_topo *const t = made_topology("32@80G+1usx32@10G+1us");
    atn_machine *const m = made_machine(fast_tree);
    const atn_problem q = {.op = ATN_BCAST, .p = t->p, .segments = 1, .bytes = 1024, .topo = t};
    assert_not_slower(&q, m, "topo_tree{arity=4}", 1.05);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

/* Messages of a root overlap more than forms count: what is left of a budget shows it. */
static void short_plans_look_further(void **state)
{
    (void)state;
    atn_topo *const t = made_topology("4@40Gx16@10G");
    atn_machine *const m = atn_model_machine_assumed(t);
    static const struct {
        int64_t bytes;
        const char *rival;
    } cases[] = {{1024, "knomial"}, {16384, "linear"}, {65536, "linear"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const atn_problem q = {
            .op = ATN_SCATTER, .p = t->p, .segments = 1, .bytes = cases[i].bytes, .topo = t};
        assert_not_slower(&q, m, cases[i].rival, 1.05);
    }
    atn_topo_free(t);
    atn_model_machine_free(m);
}

/* The budget of a job on 64 ranks suffices for pipelines, of which few segments are evaluated. */
static void pipelines_on_64_ranks(void **state)
{
    (void)state;
    atn_topo *const t = made_topology("4x16@100M");
    atn_machine *const m = atn_model_machine_assumed(t);
    const atn_problem q = {.op = ATN_BCAST, .p = t->p, .segments = 1, .bytes = 1 << 20, .topo = t};
    assert_not_slower(&q, m, "chain{segment=8K}", 1.1);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

/* The best tree for a short message is confirmed on all ranks. */
static void trees_are_confirmed(void **state)
{
    (void)state;
    static const char *const rivals[] = {"kary{arity=4}", "knomial", "binomial"};
    atn_topo *const t = made_topology("4@640G+1usx8@80G+1usx8@10G+1us");
    atn_machine *const m = made_machine(fast_hosts);
    const atn_problem q = {.op = ATN_BCAST, .p = t->p, .segments = 1, .bytes = 1024, .topo = t};
    atn_ranking r = rank(q.op, q.bytes, t, m, atn_plan_budget(t->p));
    assert_true(r.v[0].evaluated && !r.v[0].reduced);
    for (size_t i = 0; i < sizeof rivals / sizeof *rivals; i++) {
        char text[32];
        atn_choice rival;
        snprintf(text, sizeof text, "%s", rivals[i]);
        assert_int_equal(atn_plan_choice_read(q.op, text, &rival, NULL), ATN_OK);
        assert_true(exact(&r.v[0].choice, &q, m) <= 1.02 * exact(&rival, &q, m));
    }
    atn_plan_ranking_free(&r);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

/* On a miniature, segments of a butterfly would overlap with longer messages than on all ranks. */
static void miniatures_have_counted_segments_only(void **state)
{
    (void)state;
    atn_topo *const t = made_topology("16@40G+1usx16@10G+1us");
    atn_machine *const m = atn_model_machine_assumed(t);
    atn_ranking r = rank(ATN_ALLREDUCE, 1 << 20, t, m, atn_plan_budget(t->p));
    int butterflies = 0, pipelines = 0;
    for (int i = 0; i < r.n; i++) {
        char name[ATN_NAME_ROOM];
        name_of(&r.v[i], name);
        butterflies += strstr(name, "butterfly{segment") != NULL;
        pipelines += strstr(name, "double_tree{segment") != NULL;
    }
    assert_int_equal(butterflies, 0);
    assert_true(pipelines > 0);
    atn_plan_ranking_free(&r);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

static const char fast_fat_tree[] =
    "attune-machine 1\nhosts framing=0.94 simulated=1\n"
    "channel memory\n  hockney alpha=1.5 beta=0.213\n"
    "channel switch\n  path duplex=1 hops=3 latency=2\n  overhead below=3 eager=4K from=3.1\n"
    "  processor message=0.5 more=0.5\n  hockney alpha=3 beta=0.851\n"
    "channel level2\n  path duplex=1 hops=3 latency=4\n  overhead below=5 eager=4K from=5.1\n"
    "  processor message=0.5 more=0.5\n  hockney alpha=5 beta=0.851\n"
    "channel level3\n  path duplex=1 hops=3 latency=6\n  overhead below=7 eager=4K from=7.1\n"
    "  processor message=0.5 more=0.5\n  hockney alpha=7 beta=0.851\nend\n";

/* Segments of 4 KB wait for their receivers, those of 1 KB do not. */
static void short_segments_do_not_wait(void **state)
{
    (void)state;
    atn_topo *const t = made_topology("8@1280G+1usx8@160G+1usx16@10G+1us;order=roundrobin");
    atn_machine *const m = made_machine(fast_fat_tree);
    atn_ranking r = rank(ATN_BCAST, 32768, t, m, atn_plan_budget(t->p));
    char name[ATN_NAME_ROOM];
    name_of(&r.v[0], name);
    assert_string_equal(name, "bcast/circulant{segment=1K,order=dfs}");
    atn_plan_ranking_free(&r);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_on_cyclic_mapping),
        cmocka_unit_test(rankings_are_sorted_and_bounded),
        cmocka_unit_test(unevaluated_forms_do_not_rank_first),
        cmocka_unit_test(tokens_must_gain_clearly),
        cmocka_unit_test(long_pipelines),
        cmocka_unit_test(best_segment),
        cmocka_unit_test(planner_searches_segments),
        cmocka_unit_test(model_by_topology),
        cmocka_unit_test(hosts_of_many_ranks_have_leaders),
        cmocka_unit_test(plans_suit_hosts_of_many_ranks),
        cmocka_unit_test(rows_for_hosts_of_many_ranks),
        cmocka_unit_test(divided_messages_on_hosts_of_many_ranks),
        cmocka_unit_test(trees_of_many_ranks_are_confirmed),
        cmocka_unit_test(short_plans_look_further),
        cmocka_unit_test(pipelines_on_64_ranks),
        cmocka_unit_test(trees_are_confirmed),
        cmocka_unit_test(miniatures_have_counted_segments_only),
        cmocka_unit_test(short_segments_do_not_wait),
        cmocka_unit_test(long_calls),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
