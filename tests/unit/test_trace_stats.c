/* test_trace_stats.c - statistics and arrivals of hand-written traces, whose results are plain
 * arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/arrivals.h"
#include "trace/match.h"
#include "trace/shares.h"
#include "trace/slices.h"
#include "trace/stats.h"

/* ---- hand-written traces ---- */

static atn_trace *trace_of(int p)
{
    atn_trace *const t = calloc(1, sizeof *t);
    t->p = p;
    t->ranks = calloc((size_t)p, sizeof *t->ranks);
    t->where = strdup("here");
    atn_trace_comm world = {.id = 1, .size = p, .ranks = calloc((size_t)p, sizeof(int))};
    for (int r = 0; r < p; r++) {
        world.ranks[r] = r;
        t->ranks[r].present = true;
    }
    assert_true(atn_push(&t->comms, world));
    assert_true(atn_push(&t->sites, (atn_trace_site){strdup("app"), 1}));
    return t;
}

/* Times in microseconds. */
static atn_trace_event *add(atn_trace *t, int r, atn_trace_op op, double enter, double exit)
{
    const atn_trace_event e = {.op = (uint8_t)op,
                               .enter = llround(1e3 * enter),
                               .exit = llround(1e3 * exit),
                               .partner = ATN_TRACE_NO_RANK,
                               .tag = ATN_TRACE_NO_TAG,
                               .type = -1};
    assert_true(atn_push(&t->ranks[r].events, e));
    t->end = e.exit > t->end ? e.exit : t->end;
    return &t->ranks[r].events.v[t->ranks[r].events.n - 1];
}

static atn_trace_event *message(atn_trace *t, int r, atn_trace_op op, double enter, double exit,
                                int partner, int tag, int64_t bytes)
{
    atn_trace_event *const e = add(t, r, op, enter, exit);
    e->partner = partner;
    e->tag = tag;
    e->bytes = bytes;
    return e;
}

static void near(double a, double b) { assert_true(fabs(a - b) < 1e-12 + 1e-9 * fabs(b)); }

static void assert_between(const atn_trace_stats *s, const double *us, int n)
{
    assert_int_equal(s->between.n, n);
    for (int i = 0; i < n; i++)
        near(s->between.v[i], 1e-6 * us[i]);
}

/* ---- matching ---- */

/* Two messages of the same tag keep their order; another tag overtakes; a receive from any source
 * is matched by the status of its wait. */
static void test_match(void **state)
{
    (void)state;
    atn_trace *const t = trace_of(2);
    message(t, 0, ATN_TRACE_SEND, 1, 2, 1, 5, 10);
    message(t, 0, ATN_TRACE_SEND, 3, 4, 1, 5, 20);
    message(t, 0, ATN_TRACE_SEND, 5, 6, 1, 6, 30);
    message(t, 0, ATN_TRACE_SEND, 7, 8, ATN_TRACE_NULL, 6, 30);
    atn_trace_event *const any = message(t, 1, ATN_TRACE_IRECV, 0, 1, ATN_TRACE_ANY, -2, 99);
    any->flags = ATN_TRACE_ANY_SOURCE_POSTED | ATN_TRACE_ANY_TAG_POSTED;
    any->request = 1;
    message(t, 1, ATN_TRACE_RECV, 2, 7, 0, 6, 99);
    add(t, 1, ATN_TRACE_WAIT, 8, 9);
    message(t, 1, ATN_TRACE_DONE, 8, 9, 0, 5, 0)->request = 1;
    message(t, 1, ATN_TRACE_RECV, 10, 11, 0, 5, 99);
    atn_trace_messages m = {.v = {0}};
    assert_int_equal(atn_trace_match(t, &m, NULL), ATN_OK);
    assert_int_equal(m.v.n, 3);
    assert_int_equal(m.sends, 3);
    assert_int_equal(m.v.v[0].receive, 0);
    assert_int_equal(m.v.v[1].receive, 4);
    assert_int_equal(m.v.v[2].receive, 1);
    assert_int_equal(m.v.v[0].awaited, 8000);
    assert_int_equal(m.v.v[0].completed, 9000);
    assert_int_equal(m.v.v[2].awaited, 2000);
    atn_trace_messages_free(&m);
    atn_trace_free(t);
}

/* ---- statistics ---- */

static void test_stats(void **state)
{
    (void)state;
    atn_trace *const t = trace_of(2);
    t->ranks[0].inside_ns = 100;
    t->ranks[0].around_ns = 1000;
    add(t, 0, ATN_TRACE_INIT, 0, 10);
    message(t, 0, ATN_TRACE_SEND, 20, 22, 1, 5, 8);
    add(t, 0, ATN_TRACE_BARRIER, 30, 40); /* taken out of the computation between the sends */
    message(t, 0, ATN_TRACE_SEND, 50, 51, 1, 5, 8);
    message(t, 0, ATN_TRACE_SEND, 52, 53, 1, 6, 2000);
    add(t, 0, ATN_TRACE_FINALIZE, 100, 110);
    add(t, 1, ATN_TRACE_INIT, 0, 10);
    message(t, 1, ATN_TRACE_RECV, 15, 23, 0, 5, 8); /* posted before it was sent */
    message(t, 1, ATN_TRACE_IRECV, 24, 25, 0, 5, 8)->request = 1;
    message(t, 1, ATN_TRACE_IRECV, 26, 27, 0, 6, 4000)->request = 2;
    add(t, 1, ATN_TRACE_BARRIER, 30, 40);
    add(t, 1, ATN_TRACE_WAITALL, 60, 62); /* waited for only now */
    add(t, 1, ATN_TRACE_DONE, 60, 62)->request = 1;
    add(t, 1, ATN_TRACE_DONE, 60, 62)->request = 2;
    add(t, 1, ATN_TRACE_FINALIZE, 100, 110);
    atn_trace_stats s;
    assert_int_equal(atn_trace_stats_make(t, &s, NULL), ATN_OK);
    /* 50 - 22 - 10 in the barrier - 2 x 1 of recording; 52 - 51 - 1 */
    assert_between(&s, (const double[]){0, 16}, 2);
    assert_int_equal(atn_trace_above(&s, 5e-6), 1);
    near(atn_trace_percentile(&s, 50), 0);
    near(atn_trace_percentile(&s, 100), 16e-6);
    assert_int_equal(s.ranks[0].sends, 3);
    assert_int_equal(s.ranks[0].destinations, 1);
    assert_int_equal(s.ranks[0].bytes, 2016);
    assert_int_equal(s.ranks[1].receives, 3);
    near(s.ranks[0].mpi_s, 1e-6 * (2 + 10 + 1 + 1 - 4 * 0.1));
    near(s.ranks[0].compute_s, 1e-6 * (90 - 4 - 13.6));
    near(s.ranks[1].mpi_s, 1e-6 * (8 + 1 + 1 + 10 + 2));
    assert_int_equal(s.messages[0 * 2 + 1], 3);
    assert_int_equal(s.bytes[0 * 2 + 1], 2016);
    assert_int_equal(s.messages[1 * 2 + 0], 0);
    assert_int_equal(s.sizes.n, 2);
    assert_int_equal(s.sizes.v[0].messages, 2);
    assert_int_equal(s.sizes.v[1].bytes, 2000);
    assert_int_equal(s.matched, 3);
    assert_int_equal(s.early, 1);
    assert_int_equal(s.ops[ATN_TRACE_DONE].calls, 2);
    assert_int_equal(s.ops[ATN_TRACE_BARRIER].least, 1);
    assert_int_equal(s.ops[ATN_TRACE_SEND].most, 3);
    assert_int_equal(s.ops[ATN_TRACE_SEND].least, 0);
    atn_trace_stats_free(&s);
    atn_trace_free(t);
}

/* A send begins with its start: the start itself is not a call between sends. */
static void test_between_starts(void **state)
{
    (void)state;
    atn_trace *const t = trace_of(2);
    t->ranks[0].around_ns = 1000;
    message(t, 0, ATN_TRACE_SEND, 20, 22, 1, 5, 8);
    add(t, 0, ATN_TRACE_START, 50, 60);
    message(t, 0, ATN_TRACE_START_SEND, 50, 60, 1, 5, 8);
    message(t, 0, ATN_TRACE_START_SEND, 50, 60, 1, 6, 8);
    atn_trace_stats s;
    assert_int_equal(atn_trace_stats_make(t, &s, NULL), ATN_OK);
    assert_between(&s, (const double[]){0, 27}, 2); /* 50 - 22 - 1 of recording */
    atn_trace_stats_free(&s);
    atn_trace_free(t);
}

/* ---- arrivals ---- */

static double ten_us(const void *context, int64_t bytes)
{
    (void)context;
    return bytes > 1000 ? 20e-6 : 10e-6;
}

static double unknown(const void *context, int64_t bytes)
{
    (void)context, (void)bytes;
    return 0;
}

static void test_arrivals(void **state)
{
    (void)state;
    static const double arrive[] = {100, 110, 120, 150}, leave[] = {160, 170, 180, 190};
    atn_trace *const t = trace_of(4);
    for (int r = 0; r < 4; r++) {
        add(t, r, ATN_TRACE_INIT, 0, 10);
        add(t, r, ATN_TRACE_ALLREDUCE, arrive[r], leave[r])->bytes = 8;
        add(t, r, ATN_TRACE_BCAST, 200 + r, 210)->bytes = 4000;
    }
    add(t, 0, ATN_TRACE_BARRIER, 300, 310); /* the others were killed before */
    atn_trace_arrivals a;
    assert_int_equal(atn_trace_arrivals_make(t, ten_us, NULL, &a, NULL), ATN_OK);
    assert_int_equal(a.calls.n, 2);
    assert_int_equal(a.cut, 1);
    const atn_trace_call *const c = &a.calls.v[0];
    assert_int_equal(c->op, ATN_TRACE_ALLREDUCE);
    near(c->elapsed_s, 1e-6 * (60 + 60 + 60 + 40) / 4);
    near(c->worst_s, 50e-6);
    near(c->average_s, 1e-6 * (20 + 10 + 0 + 30) / 4); /* around 120 */
    near(c->worst, 5);
    near(c->average, 1.5);
    near(c->compute_worst_s, 50e-6);              /* computed since MPI_Init: 90 to 140 */
    assert_int_equal(a.calls.v[1].invocation, 1); /* the same call site */
    near(a.calls.v[1].worst, 3.0 / 20);
    near(a.calls.v[1].compute_worst_s, 27e-6); /* 40, 31, 22, 13 */
    const atn_trace_imbalance all = atn_trace_imbalance_of(&a, ATN_TRACE_OPS, -1, INT64_MAX);
    assert_int_equal(all.calls, 2);
    assert_int_equal(all.balanced, 1);
    near(all.worst, (5 + 0.15) / 2);
    near(all.worst_ever, 5);
    int64_t bins[ATN_TRACE_BINS];
    atn_trace_distribution(&a, -1, 1000, bins);
    assert_int_equal(bins[3], 1); /* [4,8) */
    assert_int_equal(bins[0], 0);
    atn_trace_distribution(&a, 1000, INT64_MAX, bins);
    assert_int_equal(bins[0], 1);
    char name[16];
    assert_string_equal(atn_trace_bin_name(3, name), "[4,8)");
    assert_string_equal(atn_trace_bin_name(ATN_TRACE_BINS - 1, name), "[128,inf)");
    near(c->waited_s, 1e-6 * (50 + 40 + 30));
    near(a.ranks[0].waited_s, 1e-6 * (50 + 3));
    near(a.ranks[0].inside_s, 1e-6 * (60 + 10));
    assert_int_equal(a.ranks[0].last, 0);
    assert_int_equal(a.ranks[3].last, 2);
    assert_int_equal(a.ranks[3].calls, 2);
    atn_trace_arrivals_free(&a);
    atn_trace_free(t);
}

/* Calls of one operation, communicator and size class are one share; the longest is first. */
static void test_shares(void **state)
{
    (void)state;
    static const struct {
        atn_trace_op op;
        int64_t bytes;
    } calls[] = {{ATN_TRACE_BCAST, 4096},
                 {ATN_TRACE_ALLREDUCE, 8},
                 {ATN_TRACE_BCAST, 8191},
                 {ATN_TRACE_BCAST, 8192},
                 {ATN_TRACE_BCAST, 0}};
    atn_trace *const t = trace_of(2);
    for (int i = 0; i < 5; i++)
        for (int r = 0; r < 2; r++)
            add(t, r, calls[i].op, 100 * i + 5 * r, 100 * i + 20)->bytes = calls[i].bytes;
    atn_trace_arrivals a;
    atn_trace_shares s;
    assert_int_equal(atn_trace_arrivals_make(t, ten_us, NULL, &a, NULL), ATN_OK);
    assert_int_equal(atn_trace_shares_make(&a, &s, NULL), ATN_OK);
    assert_int_equal(s.v.n, 4);
    assert_int_equal(s.v.v[0].calls, 2);
    assert_int_equal(s.v.v[0].size_class, 13);
    assert_int_equal(s.v.v[0].least, 4096);
    assert_int_equal(s.v.v[0].most, 8191);
    near(s.v.v[0].bytes, 6143.5);
    near(s.v.v[0].seconds, 2 * 35e-6);
    near(s.v.v[0].waited_s, 2 * 5e-6);
    near(s.seconds, 5 * 35e-6);
    near(s.waited_s, 5 * 5e-6);
    assert_int_equal(atn_trace_size_class(0), 0);
    assert_int_equal(atn_trace_size_class(1), 1);
    atn_trace_shares_free(&s);
    atn_trace_arrivals_free(&a);
    atn_trace_free(t);
}

/* Without the time of a message, balance is undefined. */
static void test_no_factors(void **state)
{
    (void)state;
    atn_trace *const t = trace_of(2);
    for (int r = 0; r < 2; r++)
        add(t, r, ATN_TRACE_BARRIER, 10 * r, 20);
    atn_trace_arrivals a;
    assert_int_equal(atn_trace_arrivals_make(t, unknown, NULL, &a, NULL), ATN_OK);
    near(a.calls.v[0].worst_s, 10e-6);
    assert_true(isnan(a.calls.v[0].worst) && isnan(a.calls.v[0].average));
    const atn_trace_imbalance all = atn_trace_imbalance_of(&a, ATN_TRACE_OPS, -1, INT64_MAX);
    assert_true(isnan(all.worst) && isnan(all.average) && isnan(all.worst_ever));
    assert_int_equal(all.balanced, 0);
    int64_t bins[ATN_TRACE_BINS];
    atn_trace_distribution(&a, -1, INT64_MAX, bins);
    assert_int_equal(bins[0], 0);
    atn_trace_arrivals_free(&a);
    atn_trace_free(t);
}

/* The time of a message from what the job measured. */
static void test_message_time(void **state)
{
    (void)state;
    atn_trace *const t = trace_of(1);
    near(atn_trace_message_s(t, 5), 0);
    assert_true(atn_push(&t->ranks[0].times, (atn_trace_time){8, 1000}));
    near(atn_trace_message_s(t, 5), 1e-6);
    near(atn_trace_message_s(t, 5000), 1e-6);
    assert_true(atn_push(&t->ranks[0].times, (atn_trace_time){1008, 2000}));
    assert_true(atn_push(&t->ranks[0].times, (atn_trace_time){11008, 4000}));
    near(atn_trace_message_s(t, 508), 1.5e-6);
    near(atn_trace_message_s(t, 1008), 2e-6);
    near(atn_trace_message_s(t, 6008), 3e-6);
    near(atn_trace_message_s(t, 21008), 6e-6);
    atn_trace_free(t);
}

/* ---- slices ---- */

/* Decodes the stream: sums of calls and durations, and their number. */
static void sum_slices(const atn_trace_slices *s, int p, int64_t *n_p, int64_t *calls_p,
                       int64_t *ns_p)
{
    atn_bytes b = {.at = s->stream.v, .stop = s->stream.v + s->stream.n};
    *n_p = *calls_p = *ns_p = 0;
    for (int r = 0; r < p; r++) {
        const uint64_t n = atn_trace_get_varint(&b);
        int64_t last = 0;
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t kind = atn_trace_get_varint(&b);
            const int64_t start = last + atn_trace_get_signed(&b);
            last = start + (int64_t)atn_trace_get_varint(&b);
            assert_true(kind / 2 < (uint64_t)s->kinds.n);
            *calls_p += kind % 2 ? (int64_t)atn_trace_get_varint(&b) : 1;
            *ns_p += last - start;
        }
        *n_p += (int64_t)n;
    }
    assert_true(!b.bad && b.at == b.stop);
}

static void test_slices(void **state)
{
    (void)state;
    enum { CALLS = 1000 };
    atn_trace *const t = trace_of(2);
    for (int i = 0; i < CALLS; i++)
        for (int r = 0; r < 2; r++)
            add(t, r, i % 2 ? ATN_TRACE_BCAST : ATN_TRACE_BARRIER, 10 * i, 10 * i + 1 + i % 2);
    atn_trace_slices s;
    int64_t n, calls, ns;
    assert_int_equal(atn_trace_slices_make(t, 2 * CALLS, &s, NULL), ATN_OK);
    sum_slices(&s, 2, &n, &calls, &ns);
    assert_int_equal(s.merged_ns, 0);
    assert_int_equal(s.kinds.n, 2);
    assert_int_equal(n, 2 * CALLS);
    assert_int_equal(s.slices, n);
    assert_int_equal(calls, 2 * CALLS);
    assert_int_equal(ns, 2 * CALLS * 1500);
    atn_trace_slices_free(&s);
    assert_int_equal(atn_trace_slices_make(t, 100, &s, NULL), ATN_OK); /* merges */
    sum_slices(&s, 2, &n, &calls, &ns);
    assert_true(s.merged_ns > 0);
    assert_true(n <= 100 && n >= 10);
    assert_int_equal(s.slices, n);
    assert_int_equal(s.calls, 2 * CALLS);
    assert_int_equal(calls, 2 * CALLS);
    assert_int_equal(s.stream.v[1], 0 * 2 + 1 + 2); /* merged, of the kind of the longest call */
    atn_trace_slices_free(&s);
    atn_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_match),          cmocka_unit_test(test_stats),
        cmocka_unit_test(test_between_starts), cmocka_unit_test(test_arrivals),
        cmocka_unit_test(test_no_factors),     cmocka_unit_test(test_message_time),
        cmocka_unit_test(test_shares),         cmocka_unit_test(test_slices),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
