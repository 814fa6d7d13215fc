/* test_ron.c - collectives on reconfigurable networks: the circuits of schedules take the times of
 * the published formulas, where these are correct, and all circuits are verified. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "algo/circuit.h"
#include "model/model.h"
#include "model/ron.h"
#include "plan/choice.h"
#include "research/ron/check.h"
#include "research/ron/forms.h"
#include "research/ron/hide.h"
#include "research/ron/sends.h"
#include "research/ron/tables.h"

static void near(double got, double wanted, const char *what)
{
    if (!(fabs(got - wanted) <= 1e-9 * fabs(wanted) + 1e-12))
        fail_msg("%s: %.12g, wanted %.12g", what, got, wanted);
}

/* ---- schedules ---- */

typedef struct {
    int p;
    atn_schedule **s;
    atn_op_graph g;
} all;

static all build(const char *name, int p, int segments, int64_t bytes)
{
    all a = {p, calloc((size_t)p, sizeof *a.s), {0}};
    char text[ATN_NAME_ROOM];
    atn_choice c;
    atn_operation op;
    atn_error err = {0};
    snprintf(text, sizeof text, "%s", name);
    char *algo = strchr(text, '/');
    *algo++ = '\0';
    assert_true(atn_sched_operation_find(text, &op));
    if (atn_plan_choice_read(op, algo, &c, &err))
        fail_msg("%s: %s", name, err.text);
    for (int r = 0; r < p; r++) {
        const atn_problem q = {.op = op, .p = p, .r = r, .bytes = bytes, .segments = segments};
        if (atn_algo_build(c.row, &q, &c.params, &a.s[r], &err))
            fail_msg("%s: %s", name, err.text);
    }
    if (atn_model_op_graph_make(a.s, p, &a.g, &err))
        fail_msg("%s: %s", name, err.text);
    atn_model_op_graph_size(&a.g, bytes);
    return a;
}

static void drop(all *a)
{
    atn_model_op_graph_free(&a->g);
    for (int r = 0; r < a->p; r++)
        atn_sched_schedule_free(a->s[r]);
    free(a->s);
}

/* The time of one run on a network; verifies the circuits. */
static double run(const all *a, const atn_ron *net, atn_ron_policy policy)
{
    atn_circuits c;
    atn_error err = {0};
    if (atn_model_ron_run(&a->g, net, policy, 1, &c, &err) || atn_ron_check(&a->g, net, &c, &err))
        fail_msg("%s", err.text);
    assert_int_equal(c.n, a->g.nmessages);
    const double time = c.time;
    atn_model_circuits_free(&c);
    return time;
}

static double run_times(const all *a, const atn_ron *net, atn_ron_policy policy, int times)
{
    atn_circuits c;
    atn_error err = {0};
    if (atn_model_ron_run(&a->g, net, policy, times, &c, &err))
        fail_msg("%s", err.text);
    const double time = c.time;
    atn_model_circuits_free(&c);
    return time;
}

static double run_row(const char *row, int p, const atn_ron *net, atn_ron_policy policy)
{
    all a = build(row, p, 1, 1);
    const double time = run(&a, net, policy);
    drop(&a);
    return time;
}

/* Model A: a message takes 1.  Model B: a block takes 1, and d includes the start-up. */
static atn_ron model_a(int k, double d) { return (atn_ron){.ports = k, .delay = d, .start = 1}; }
static atn_ron model_b(int k, double d) { return (atn_ron){.ports = k, .delay = d, .byte = 1}; }

/* ---- the tree of a broadcast ---- */

/* (5.36): the tree that each rank computes locally is the one that grows from the root. */
static void tree_grows(int k, int d, int p)
{
    const atn_params prm = {{k, d}};
    atn_circuit_tree t;
    int *parent = malloc(sizeof *parent * (size_t)p), n = 1;
    atn_algo_circuit_tree_begin(&t, p, &prm);
    assert_int_equal(t.steps, atn_ron_steps(k, d, p));
    for (int step = 1; step <= t.steps; step++) {
        assert_int_equal(n, t.reached[step - 1]);
        const int had = n;
        for (int v = 0; v < had; v++) {
            int first = -1;
            const int children = atn_algo_circuit_children(&t, v, step, &first);
            for (int i = 0; i < children; i++, n++)
                parent[first + i] = v;
        }
    }
    assert_int_equal(n, p);
    for (int v = 1; v < p; v++)
        assert_int_equal(parent[v], atn_algo_circuit_parent(&t, v));
    free(parent);
}

static void trees(void **state)
{
    (void)state;
    for (int k = 1; k <= 4; k++)
        for (int d = 0; d <= 5; d++)
            for (int p = 1; p < 200; p += p < 40 ? 1 : 37)
                tree_grows(k, d, p);
}

/* Published examples: the sends of each step. */
static void expect_sends(const char *row, int p, int round, const char *wanted)
{
    all a = build(row, p, 1, 1);
    char got[400] = "";
    for (int r = 0; r < p; r++)
        for (int i = 0; i < a.s[r]->nops; i++)
            if (a.s[r]->ops[i].kind == ATN_OP_SEND && a.s[r]->ops[i].round == round - 1)
                snprintf(got + strlen(got), sizeof got - strlen(got), "%d>%d ", r,
                         a.s[r]->ops[i].peer);
    assert_string_equal(got, wanted);
    drop(&a);
}

static void examples(void **state)
{
    (void)state;
    const char *two = "bcast/circuit{ports=2,delay=1}", *one = "bcast/circuit{ports=1,delay=3}";
    expect_sends(two, 41, 1, "0>1 0>2 ");
    expect_sends(two, 41, 2, "1>3 1>4 2>5 2>6 ");
    expect_sends(two, 41, 3, "0>7 0>8 3>9 3>10 4>11 4>12 5>13 5>14 6>15 6>16 ");
    expect_sends(one, 14, 5, "0>5 4>6 ");
    expect_sends(one, 14, 6, "1>7 5>8 6>9 ");
    expect_sends(one, 14, 7, "2>10 7>11 8>12 9>13 ");
    const atn_ron net = model_a(2, 1), single = model_a(1, 3);
    near(run_row(two, 41, &net, ATN_RON_PRESET), 4, two);
    near(run_row(one, 14, &single, ATN_RON_PRESET), 7, one);
}

/* ---- formulas and circuits ---- */

static void check_form(const atn_ron_form *f, int p, int k, double d, int more)
{
    char row[ATN_NAME_ROOM], what[ATN_NAME_ROOM + 64];
    const atn_ron net = f->model == 'A' ? model_a(k, d) : model_b(k, d);
    atn_ron_form_row(f, k, d, more, row, sizeof row);
    snprintf(what, sizeof what, "%s %s p=%d k=%d d=%g", f->name, row, p, k, d);
    near(run_row(row, p, &net, f->policy), f->time(p, k, d, more), what);
}

static void broadcasts(void **state)
{
    static const char *const names[] = {"naive", "B1", "B2", "B3", "B4"};
    static const int sizes[] = {1, 2, 3, 7, 14, 27, 41, 85};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int k = 1; k <= 4; k++)
                for (int d = 0; d <= 5; d++)
                    if (d == 0 || sizes[s] > 1) /* B3 waits for unused circuits */
                        check_form(atn_ron_form_find(names[i]), sizes[s], k, d, 0);
}

/* Without initial circuits B4 has one delay more, which makes it comparable with B3. */
static void broadcast_without_preset_circuits(void **state)
{
    (void)state;
    for (int k = 1; k <= 4; k++)
        for (int d = 0; d <= 4; d++) {
            char row[ATN_NAME_ROOM];
            const atn_ron net = model_a(k, d);
            atn_ron_form_row(atn_ron_form_find("B4"), k, d, 0, row, sizeof row);
            near(run_row(row, 60, &net, ATN_RON_EARLY), d + atn_ron_steps(k, d, 60), row);
        }
}

/* S2 (5.38), (5.39), G2 (5.40), (5.41), TE3 (5.42), (5.43): one port and k ports. */
static void block_collectives(void **state)
{
    static const char *const names[] = {"S1", "S2", "GA", "G1", "G2", "TE1", "TE2"};
    static const struct {
        int k, p;
    } sizes[] = {{1, 2}, {1, 8}, {1, 32}, {2, 3}, {2, 9}, {2, 27}, {3, 16}, {3, 64}, {4, 25}};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int d = 0; d <= 20; d += 5)
                check_form(atn_ron_form_find(names[i]), sizes[s].p, sizes[s].k, d + 0.5, 0);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int i = 0; i <= atn_ron_levels(sizes[s].k + 1, sizes[s].p); i++)
            check_form(atn_ron_form_find("TE3"), sizes[s].p, sizes[s].k, 3, i);
}

/* Direct exchanges serve any number of ranks; the last round may be partial (the published formulas
 * do not print the rounding). */
static void direct_exchanges_any_size(void **state)
{
    (void)state;
    for (int p = 2; p < 20; p++)
        for (int k = 1; k <= 4; k++) {
            check_form(atn_ron_form_find("S1"), p, k, 2, 0);
            check_form(atn_ron_form_find("G1"), p, k, 2, 0);
            check_form(atn_ron_form_find("TE1"), p, k, 2, 0);
        }
}

static void best_number_of_standard_steps(void **state)
{
    (void)state;
    const atn_ron_form *te3 = atn_ron_form_find("TE3");
    for (int k = 1; k <= 5; k++)
        for (int levels = 1; levels <= 5; levels++)
            for (double d = 0; d < 400; d = d * 1.3 + 0.25) {
                const int64_t n = (int64_t)pow(k + 1, levels);
                const int best = atn_ron_best_steps(n, k, d);
                for (int i = 0; i <= levels; i++)
                    assert_true(te3->time(n, k, d, best) <= te3->time(n, k, d, i) + 1e-9);
            }
    /* N = 8, i = 1: rounds of 4, 2, 2, 2 messages */
    near(te3->time(8, 1, 7, 1), 4 * 7 + 10, "TE3");
}

/* Every rank of a gather or a reduction sends once: all circuits are set up at the beginning. */
static void delays_of_gathers_overlap(void **state)
{
    (void)state;
    const atn_ron net = {.ports = 2, .delay = 9, .start = 3, .byte = 1};
    near(run_row("gather/knomial{radix=3}", 27, &net, ATN_RON_EARLY), 9 + 3 * 3 + 26 / 2.0,
         "gather");
    near(run_row("gather/knomial{radix=3}", 27, &net, ATN_RON_ANEW), 3 * (9 + 3) + 26 / 2.0,
         "gather");
    near(run_row("reduce/knomial{radix=3}", 27, &net, ATN_RON_EARLY), 9 + 3 * (3 + 1), "reduce");
    /* all ports are always busy: no delay can overlap */
    near(run_row("allgather/bruck{radix=3}", 27, &net, ATN_RON_EARLY), 3 * (9 + 3) + 26 / 2.0,
         "allgather");
}

/* MB2 (5.37). */
static void multi_broadcasts(void **state)
{
    (void)state;
    for (int k = 1; k <= 4; k++) {
        const int d = 3, p = 40, m = 10;
        const atn_ron net = model_a(k, d);
        char row[ATN_NAME_ROOM];
        atn_ron_form_row(atn_ron_form_find("MB2"), k, d, m, row, sizeof row);
        all a = build(row, p, 1, 1);
        near(run_times(&a, &net, ATN_RON_EARLY, m), atn_ron_form_find("MB2")->time(p, k, d, m),
             "MB2");
        drop(&a);
        a = build(row, p, m, m); /* segments of a message are consecutive messages */
        near(run(&a, &net, ATN_RON_EARLY), atn_ron_form_find("MB3")->time(p, k, d, m), "MB3");
        drop(&a);
        atn_ron_form_row(atn_ron_form_find("MB1"), k, d, m, row, sizeof row);
        a = build(row, p, 1, 1);
        const double wanted = atn_ron_form_find("MB1")->time(p, k, d, m);
        near(m * run(&a, &net, ATN_RON_EARLY), wanted, "MB1");
        /* ports that finish early return to their first circuits early */
        assert_true(run_times(&a, &net, ATN_RON_EARLY, m) <= wanted);
        drop(&a);
    }
}

/* Composed operations: up a tree with preset circuits, then down one that overlaps the delays,
 * which begin while ranks wait. */
static void composed_operations(void **state)
{
    (void)state;
    for (int k = 1; k <= 4; k++)
        for (int d = 0; d <= 4; d++) {
            const atn_ron net = model_a(k, d);
            const int p = 27, up = atn_ron_levels(k + 1, p), down = atn_ron_steps(k, d, p);
            char row[ATN_NAME_ROOM];
            snprintf(row, sizeof row, "barrier/circuit{ports=%d,delay=%d}", k, d);
            const double time = run_row(row, p, &net, ATN_RON_EARLY);
            assert_true(time >= d + up + down && time <= d + up + d + down);
            near(run_row(row, p, &net, ATN_RON_PRESET), time - d, row);
            snprintf(row, sizeof row, "barrier/tree{radix=%d}", k + 1);
            assert_true(time <= run_row(row, p, &net, ATN_RON_EARLY));
            /* there are two buffers for operands */
            snprintf(row, sizeof row, "allreduce/circuit{ports=%d,delay=%d}", k, d);
            if (k <= 2)
                near(run_row(row, p, &net, ATN_RON_EARLY), time, row);
        }
}

static void published_tables(void **state)
{
    (void)state;
    int corrected = 0;
    for (int i = 0; i < atn_ron_entries(); i++) {
        const atn_ron_entry e = atn_ron_entry_at(i);
        const atn_ron_form *f = atn_ron_form_find(e.form);
        const double time = f->time(e.ranks, e.ports, e.delay, e.more);
        char what[64];
        snprintf(what, sizeof what, "table %s %s N=%d d=%d", e.table, e.form, e.ranks, e.delay);
        if (strcmp(e.form, "TE3") == 0)
            assert_true(time <= f->time(e.ranks, e.ports, e.delay,
                                        atn_ron_best_steps(e.ranks, e.ports, e.delay)));
        if (e.printed == 1466) { /* the formula gives 1488 */
            near(time, 1488, what);
            corrected++;
        } else {
            near(time, e.printed, what);
        }
        if (e.ranks < 100 && f->model == 'A' && strncmp(e.form, "MB", 2) != 0)
            check_form(f, e.ranks, e.ports, e.delay, e.more);
    }
    assert_int_equal(corrected, 1);
    /* with the printed number of ranks B4 needs one step more than printed */
    near(atn_ron_form_find("B4")->time(22703, 4, 3, 0), 8, "22703");
}

/* ---- verification ---- */

typedef struct {
    const char *what;
    void (*change)(atn_circuits *c);
} fault;

static void too_early(atn_circuits *c) { c->v[c->n - 1].begin -= 0.5, c->v[c->n - 1].end -= 0.5; }
static void too_short(atn_circuits *c) { c->v[0].end -= 0.25; }
static void too_fast(atn_circuits *c)
{
    c->v[0].since += 1;
    c->v[0].begin += 1;
    c->v[0].end += 1;
    c->v[0].ready += 0.5;
}
static void no_port(atn_circuits *c) { c->v[0].port = 7; }
static void elsewhere(atn_circuits *c) { c->v[0].to ^= 1; }
static void lost(atn_circuits *c) { c->n--; }
static void twice(atn_circuits *c) { c->v[1].send = c->v[0].send; }
static void kept(atn_circuits *c) { c->v[0].changed = false; }
static void wrong_time(atn_circuits *c) { c->time += 1; }
static void one_port(atn_circuits *c)
{
    for (int i = 0; i < c->n; i++)
        c->v[i].port = 0;
}

static void faults_are_detected(void **state)
{
    static const fault list[] = {
        {"too_early", too_early}, {"too_short", too_short}, {"too_fast", too_fast},
        {"no_port", no_port},     {"elsewhere", elsewhere}, {"lost", lost},
        {"twice", twice},         {"kept", kept},           {"wrong_time", wrong_time},
        {"one_port", one_port},
    };
    (void)state;
    const atn_ron net = model_a(2, 2);
    all a = build("bcast/circuit{ports=2,delay=2}", 41, 1, 1);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        atn_circuits c;
        atn_error err = {0};
        assert_int_equal(atn_model_ron_run(&a.g, &net, ATN_RON_EARLY, 1, &c, NULL), ATN_OK);
        list[i].change(&c);
        if (atn_ron_check(&a.g, &net, &c, &err) != ATN_FINDING)
            fail_msg("%s was not detected", list[i].what);
        atn_model_circuits_free(&c);
    }
    /* the ports of receivers are limited, too */
    all gather = build("gather/linear", 8, 1, 1);
    atn_circuits c;
    const atn_ron wide = model_a(3, 1), narrow = model_a(2, 1);
    assert_int_equal(atn_model_ron_run(&gather.g, &wide, ATN_RON_EARLY, 1, &c, NULL), ATN_OK);
    assert_int_equal(atn_ron_check(&gather.g, &wide, &c, NULL), ATN_OK);
    assert_int_equal(atn_ron_check(&gather.g, &narrow, &c, NULL), ATN_FINDING);
    atn_model_circuits_free(&c);
    drop(&gather);
    drop(&a);
}

/* Every schedule has circuits, and a laxer policy is never slower. */
static void every_algorithm(void **state)
{
    (void)state;
    const atn_ron one = {.ports = 1, .start = 2e-6, .byte = 1e-9, .reduce = 1e-10};
    const atn_ron net = {.ports = 3, .delay = 5e-6, .start = 2e-6, .byte = 1e-9, .reduce = 1e-10};
    for (int i = 0; i < atn_algo_catalog_rows(); i++) {
        const atn_row *row = atn_algo_catalog_row(i);
        atn_params prm;
        atn_algo_params_default(row, &prm);
        const atn_problem q = {.op = row->op, .p = 8, .bytes = 4096, .segments = 1};
        if (row->algo->build == NULL || atn_algo_refuses(row, &q, &prm))
            continue;
        all a = build(row->name, 8, 1, 4096);
        const double anew = run(&a, &net, ATN_RON_ANEW), early = run(&a, &net, ATN_RON_EARLY);
        assert_true(early <= anew + 1e-12);
        assert_true(run(&a, &net, ATN_RON_PRESET) <= early + 1e-12);
        run(&a, &one, ATN_RON_DEMAND);
        drop(&a);
    }
}

/* With one port and no delay the models equal Hockney's. */
static void models_without_delay(void **state)
{
    static const char *const rows[] = {"bcast/knomial", "alltoall/bruck", "allgather/ring",
                                       "reduce/binomial", "scan/binomial"};
    (void)state;
    atn_machine *m = atn_model_machine_builtin();
    m->copy.nsizes = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double plain = -1, a = -1, b = -1, slow = -1;
        all s = build(rows[i], 8, 1, 65536);
        const atn_model_case c = {.g = &s.g, .m = m};
        m->ports = 0;
        m->delay = 0;
        assert_false(atn_model_fits(atn_model_find("ron-a"), m));
        assert_int_equal(atn_model_find("alpha-beta")->evaluate(&c, &plain, NULL), ATN_OK);
        assert_int_equal(atn_model_find("ron-a")->evaluate(&c, &a, NULL), ATN_OK);
        assert_int_equal(atn_model_find("ron-b")->evaluate(&c, &b, NULL), ATN_OK);
        near(a, plain, rows[i]);
        near(b, plain, rows[i]);
        m->ports = 1;
        m->delay = 1e-3;
        assert_true(atn_model_fits(atn_model_find("ron-a"), m));
        assert_int_equal(atn_model_find("ron-b")->evaluate(&c, &slow, NULL), ATN_OK);
        assert_true(slow > b);
        drop(&s);
    }
    atn_model_machine_free(m);
}

/* ---- overlap with computation ---- */

static void overlap(void **state)
{
    (void)state;
    /* rank 0: 12 us of computation after 2000 bytes (2 us) leave 10 us to overlap; then a wrong
     * prediction; then a correct one after too long a message; rank 1: no prediction, same
     * partner */
    const atn_ron_send sends[] = {
        {0, 1, -1, 0, 2000, 0},    {1, 0, -1, 0, 0, 0},    {0, 2, 2, 12e-6, 1000, 0},
        {0, 3, 1, 50e-6, 9000, 0}, {1, 0, -1, 9e-6, 0, 0}, {0, 1, 1, 8e-6, 0, 0},
    };
    const int n = sizeof sends / sizeof *sends;
    atn_ron_hidden h;
    atn_ron_hide_rules rules = {.delay = 25e-6, .rate = 1e9, .cpu = 1};
    assert_int_equal(atn_ron_hide(sends, n, &rules, &h, NULL), ATN_OK);
    assert_int_equal(h.ranks, 2);
    assert_int_equal(h.intervals, 4);
    assert_int_equal(h.hits, 2);
    near(h.least, (15 + 25 + 25) / 75.0, "least");
    near(h.most, 1, "most");
    near(h.mean, (65 / 75.0 + 1) / 2, "mean");
    near(h.cached, 65 / 75.0, "cached");
    assert_int_equal(h.cached_ranks, 1);
    rules.delay = 5e-6;
    assert_int_equal(atn_ron_hide(sends, n, &rules, &h, NULL), ATN_OK);
    near(h.least, 10 / 15.0, "all of 5 us");
    rules.cpu = 10; /* 1.2 us of computation end before the message */
    assert_int_equal(atn_ron_hide(sends, n, &rules, &h, NULL), ATN_OK);
    near(h.least, 1, "faster processors");
    assert_int_equal(atn_ron_hide(sends, 1, &rules, &h, NULL), ATN_INPUT);
}

/* Computation excludes the time in other calls and the overhead of the tracer. */
static void sends_of_a_trace(void **state)
{
    (void)state;
    atn_trace_event events[] = {
        {.op = ATN_TRACE_SEND, .partner = 1, .bytes = 8, .site = 3, .enter = 1000, .exit = 2000},
        {.op = ATN_TRACE_RECV, .partner = 1, .enter = 5000, .exit = 9000},
        {.op = ATN_TRACE_ALLREDUCE, .partner = ATN_TRACE_NO_RANK, .enter = 9500, .exit = 9900},
        {.op = ATN_TRACE_SEND, .partner = 1, .depth = 1, .enter = 9600, .exit = 9700},
        {.op = ATN_TRACE_SEND, .partner = ATN_TRACE_NULL, .enter = 9950, .exit = 10000},
        {.op = ATN_TRACE_START, .partner = ATN_TRACE_NO_RANK, .enter = 20000, .exit = 20100},
        {.op = ATN_TRACE_START_SEND, .partner = 1, .site = -1, .enter = 20000, .exit = 20100},
        {.op = ATN_TRACE_START_SEND, .partner = 0, .site = -1, .enter = 20000, .exit = 20100},
    };
    atn_trace_rank ranks[2] = {{.present = true, .around_ns = 50}, {.present = true}};
    const atn_trace t = {.p = 2, .ranks = ranks};
    atn_ron_sends sends = {0};
    ranks[0].events.v = events;
    ranks[0].events.n = sizeof events / sizeof *events;
    assert_int_equal(atn_ron_sends_trace(&t, &sends, NULL), ATN_OK);
    assert_int_equal(sends.n, 3);
    assert_int_equal(sends.v[0].bytes, 8);
    assert_int_equal(sends.v[0].site, 4);
    near(sends.v[1].compute, (3000 + 500 + 50 + 10000 - 4 * 50) * 1e-9, "between sends");
    near(sends.v[2].compute, 0, "the same call");
    assert_int_equal(sends.v[2].partner, 0);
    atn_vec_free(&sends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees),
        cmocka_unit_test(examples),
        cmocka_unit_test(broadcasts),
        cmocka_unit_test(broadcast_without_preset_circuits),
        cmocka_unit_test(block_collectives),
        cmocka_unit_test(direct_exchanges_any_size),
        cmocka_unit_test(best_number_of_standard_steps),
        cmocka_unit_test(delays_of_gathers_overlap),
        cmocka_unit_test(multi_broadcasts),
        cmocka_unit_test(composed_operations),
        cmocka_unit_test(published_tables),
        cmocka_unit_test(faults_are_detected),
        cmocka_unit_test(every_algorithm),
        cmocka_unit_test(models_without_delay),
        cmocka_unit_test(overlap),
        cmocka_unit_test(sends_of_a_trace),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
