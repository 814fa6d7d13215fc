/* test_shared_model.c - the shared-memory transport in machine files and models: format, the
 * channel of a pair of ranks, costs of messages and exposures, rankings, parameters from
 * observations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "made.h"
#include "model/fit.h"
#include "model/refine.h"
#include "model/survey_plan.h"
#include "plan/planner.h"
#include "sched/optimise.h"

#include "model_time.h"
#include "shm/channel.h"

#define LOCAL                                                                                      \
    "attune-machine 1\n"                                                                           \
    "table gamma sum f64 1\n"                                                                      \
    "  1K 0.1\n"                                                                                   \
    "channel memory\n"                                                                             \
    "  path segment=32K\n"                                                                         \
    "  overhead below=0.25 eager=4K from=1.5\n"                                                    \
    "  table transfer 1 2 4\n"                                                                     \
    "    8 0.02 0.03 0.06\n"                                                                       \
    "    8K 1.0 1.2 2.4\n"                                                                         \
    "    32K 4 5 10\n"
#define SWITCH                                                                                     \
    "channel switch\n"                                                                             \
    "  hockney alpha=20 beta=8\n"
#define SHARED                                                                                     \
    "channel shared\n"                                                                             \
    "  path segment=8K\n"                                                                          \
    "  overhead below=0.1 eager=16K from=0.8\n"                                                    \
    "  table transfer 1 2 4\n"                                                                     \
    "    8 0.005 0.01 0.05\n"                                                                      \
    "    1K 0.06 0.08 0.16\n"                                                                      \
    "    8K 0.5 0.6 1.2\n"                                                                         \
    "  table single 1 2 4\n"                                                                       \
    "    16K 1.2 1.3 1.5\n"                                                                        \
    "    1M 80 90 110\n"                                                                           \
    "  table expose 1\n"                                                                           \
    "    0 0.02\n"                                                                                 \
    "    8K 0.5\n"                                                                                 \
    "  table exposed 1 2 4\n"                                                                      \
    "    0 0.08 0.1 0.2\n"                                                                         \
    "    8K 0.6 0.8 1.6\n"                                                                         \
    "    16K 1.7 1.8 2\n"                                                                          \
    "    1M 85 95 115\n"

static const char one_host[] = LOCAL SHARED "end\n", cluster[] = LOCAL SWITCH SHARED "end\n";

static void near(double got, double wanted)
{
    if (fabs(got - wanted) > 1e-6 * fabs(wanted) + 1e-15)
        fail_msg("%.9g, wanted %.9g", got, wanted);
}

/* ---- format ---- */

static void printing_inverts_parsing(void **state)
{
    (void)state;
    atn_machine *m = made_machine(cluster);
    assert_int_equal(m->nchannels, 2);
    assert_true(atn_model_machine_shares(m));
    assert_int_equal(m->channel[ATN_CHANNEL_SHARED].eager, 16384);
    near(m->channel[ATN_CHANNEL_SHARED].exposed.v[1][2], 1.6e-6);
    assert_int_equal(atn_model_machine_direct(m), 16384);
    m->unshared = true; /* of no effect on the file */
    assert_false(atn_model_machine_shares(m));
    assert_int_equal(atn_model_machine_direct(m), 0);
    char *text = atn_model_machine_print(m);
    assert_non_null(strstr(text, "channel shared\n"));
    atn_machine *again = made_machine(text);
    char *second = atn_model_machine_print(again);
    assert_string_equal(text, second);
    assert_true(atn_model_machine_shares(again));
    free(text);
    free(second);
    atn_model_machine_free(again);
    atn_model_machine_free(m);
}

static void rejected(const char *text, const char *words)
{
    atn_machine *m = NULL;
    atn_error err = {0};
    assert_int_equal(atn_model_machine_parse(text, strlen(text), "m", &m, &err), ATN_INPUT);
    if (!strstr(err.text, words))
        fail_msg("%s", err.text);
}

static void invalid_files_are_rejected(void **state)
{
    (void)state;
    rejected(LOCAL SHARED "channel shared\nend\n", "duplicate channel shared");
    rejected(LOCAL "channel shared\nend\n", "m:11: channel shared has no time of a message");
    rejected("attune-machine 1\n" SHARED "end\n", "no channel; add at least channel memory");
    rejected(LOCAL "table exposed 1\n  0 1\nend\n", "only channel shared may have these");
}

/* Of a small message synchronisation is the greater part; an empty one contains it. */
static void small_transfers_are_plausible(void **state)
{
    (void)state;
    atn_machine *m = made_machine(one_host);
    assert_int_equal(atn_model_machine_warnings(m, NULL, NULL), 0);
    m->channel[ATN_CHANNEL_SHARED].transfer.v[0][0] = 0;
    assert_int_equal(atn_model_machine_warnings(m, NULL, NULL), 0);
    m->channel[ATN_CHANNEL_SHARED].transfer.v[2][1] = 9e-6; /* more than twice 0.5 us */
    assert_true(atn_model_machine_warnings(m, NULL, NULL) > 0);
    atn_model_machine_free(m);
}

/* ---- channels ---- */

static void the_transport_connects_ranks_of_a_host(void **state)
{
    (void)state;
    atn_machine *m = made_machine(cluster), *host = made_machine(one_host);
    atn_topo *t = made_topology("2@1G;ranks=2");
    assert_int_equal(atn_model_machine_channel_of(m, t, 0, 1), ATN_CHANNEL_SHARED);
    assert_int_equal(atn_model_machine_channel_of(m, t, 1, 2), 1);
    assert_int_equal(atn_model_machine_channel_of(m, NULL, 0, 1), 1);
    assert_int_equal(atn_model_machine_channel_of(host, NULL, 0, 1), ATN_CHANNEL_SHARED);
    assert_int_equal(atn_model_machine_channel_of(host, t, 1, 2), 0); /* another host */
    m->unshared = host->unshared = true;
    assert_int_equal(atn_model_machine_channel_of(m, t, 0, 1), 0);
    assert_int_equal(atn_model_machine_channel_of(host, NULL, 0, 1), 0);
    atn_topo_free(t);
    atn_model_machine_free(host);
    atn_model_machine_free(m);
}

/* ---- costs ---- */

/* A message of up to a segment is two transfers, of several segments a pipeline, and from the limit
 * on one transfer. */
static void messages_have_their_protocol(void **state)
{
    (void)state;
    atn_machine *m = made_machine(one_host);
    near(atn_model_channel_message(m, ATN_CHANNEL_SHARED, 8), 0.1e-6 + 2 * 0.005e-6);
    near(atn_model_channel_message(m, ATN_CHANNEL_SHARED, 8192), 0.1e-6 + 2 * 0.5e-6);
    near(atn_model_channel_message(m, ATN_CHANNEL_SHARED, 16384), 0.8e-6 + 1.2e-6);
    m->channel[ATN_CHANNEL_SHARED].eager = 0;
    near(atn_model_channel_message(m, ATN_CHANNEL_SHARED, 16384),
         0.1e-6 + 2 * 0.5e-6 + 0.6e-6); /* (3.2), two cells */
    atn_model_machine_free(m);
}

/* Where longer messages were measured, their times include the pipelining of segments. */
static void measured_pipelines_are_used(void **state)
{
    (void)state;
    atn_machine *m = made_machine(one_host);
    atn_channel *const c = &m->channel[ATN_CHANNEL_SHARED];
    near(atn_model_channel_cell(c), 8192);
    for (int tau = 1; tau <= 4; tau *= 2)
        assert_true(atn_model_table_put(&c->transfer, 65536, tau, tau * 2e-6));
    near(atn_model_channel_cell(c), 0);
    near(atn_model_channel_transfer(c, 65536, 2), 4e-6);
    c->eager = 0;
    near(atn_model_channel_message(m, ATN_CHANNEL_SHARED, 65536), 0.1e-6 + 2 * 2e-6);
    atn_model_machine_free(m);
}

/* Seconds of an algorithm on p ranks of a host. */
static double time_of(const char *name, int p, int64_t bytes, const atn_machine *m,
                      const char *model, bool optimised)
{
    atn_schedule *s[8] = {NULL};
    const atn_row *const row = atn_algo_catalog_by_name(name);
    atn_params params;
    atn_error err = {0};
    double seconds = 0;
    assert_non_null(row);
    atn_algo_params_default(row, &params);
    for (int r = 0; r < p; r++) {
        const atn_problem q = {
            .op = row->op, .p = p, .r = r, .bytes = bytes, .segments = 1, .shared = ATN_SHARED_ALL};
        assert_int_equal(atn_algo_build(row, &q, &params, &s[r], &err), ATN_OK);
        if (optimised)
            assert_int_equal(atn_sched_optimise(s[r]), ATN_OK);
    }
    if (model_time(atn_model_find(model), s, p, bytes, m, NULL, &seconds, &err) != ATN_OK)
        fail_msg("%s", err.text);
    for (int r = 0; r < p; r++)
        atn_sched_schedule_free(s[r]);
    return seconds;
}

/* A rank that only sends one message copies it, too, whatever its size; one that also receives
 * does not. */
static void a_rank_with_one_send_copies(void **state)
{
    (void)state;
    atn_machine *m = made_machine(one_host);
    near(time_of("bcast/linear", 2, 16384, m, "taulop", false), 0.1e-6 + 2 * 0.5e-6 + 0.6e-6);
    near(time_of("allgather/ring", 2, 16384, m, "taulop", true), 0.8e-6 + 1.3e-6);
    atn_model_machine_free(m);
}

static void exposures_are_costed(void **state)
{
    (void)state;
    atn_machine *m = made_machine(one_host);
    const atn_channel *c = &m->channel[ATN_CHANNEL_SHARED];
    const double at_8 = atn_model_table_time(&c->expose, 8, 1);
    near(time_of("bcast/shared_flat", 2, 8, m, "taulop", false),
         at_8 + atn_model_table_time(&c->exposed, 8, 1));
    near(time_of("bcast/shared_flat", 3, 8, m, "taulop", false),
         at_8 + atn_model_table_time(&c->exposed, 8, 2));
    /* more than a segment is not copied, and the exposing rank waits */
    near(time_of("bcast/shared_flat", 2, 16384, m, "loggph", false), 0.02e-6 + 1.7e-6 + 0.08e-6);
    near(time_of("bcast/shared_flat", 2, 8192, m, "loggph", false), 0.5e-6 + 0.6e-6);
    atn_model_machine_free(m);
}

/* A reduction of a message that is read where the sender has copied it hides the second copy. */
static void fused_reductions_save_a_copy(void **state)
{
    (void)state;
    atn_machine *m = made_machine(one_host);
    const double reduced = 1024 * 0.1e-9, copied = 0.06e-6;
    near(time_of("reduce/linear", 2, 1024, m, "taulop", false), 0.1e-6 + 2 * copied + reduced);
    near(time_of("reduce/linear", 2, 1024, m, "taulop", true), 0.1e-6 + copied + reduced);
    m->unshared = true;
    near(time_of("reduce/linear", 2, 1024, m, "taulop", true),
         time_of("reduce/linear", 2, 1024, m, "taulop", false));
    atn_model_machine_free(m);
}

/* Every model sees that the transport is faster than the library's, and by no model is the network
 * affected. */
static void all_models_use_the_transport(void **state)
{
    (void)state;
    atn_machine *m = made_machine(one_host), *other = made_machine(one_host);
    other->unshared = true;
    for (int i = 0; i < atn_models(); i++) {
        const char *const name = atn_model_at(i)->name;
        if (atn_model_at(i)->circuits)
            continue;
        for (int64_t bytes = 8; bytes <= 1 << 20; bytes <<= 17) {
            const double fast = time_of("bcast/binomial", 4, bytes, m, name, false);
            const double slow = time_of("bcast/binomial", 4, bytes, other, name, false);
            if (!(fast > 0 && fast < slow))
                fail_msg("%s, %d bytes: %g and %g", name, (int)bytes, fast, slow);
        }
    }
    atn_model_machine_free(other);
    atn_model_machine_free(m);
}

static void knobs_turn_the_shared_channel(void **state)
{
    (void)state;
    atn_machine *m = made_machine(cluster);
    double knobs[ATN_KNOBS] = {0};
    char name[64];
    assert_int_equal(atn_model_machine_knobs(m), 7);
    atn_model_machine_knob_name(m, 5, name, sizeof name);
    assert_string_equal(name, "shared transfer");
    atn_model_machine_knob_name(m, 6, name, sizeof name);
    assert_string_equal(name, "reduce");
    knobs[4] = log(2);
    knobs[5] = log(3);
    atn_model_machine_turn(m, knobs);
    near(m->channel[ATN_CHANNEL_SHARED].o_below, 0.2e-6);
    near(m->channel[ATN_CHANNEL_SHARED].single.v[0][0], 3.6e-6);
    near(m->channel[ATN_CHANNEL_SHARED].exposed.v[0][0], 0.24e-6);
    near(m->channel[0].o_below, 0.25e-6);
    atn_model_machine_free(m);
}

/* ---- rankings ---- */

typedef struct {
    char name[ATN_NAME_ROOM];
    double seconds;
    int shared; /* candidates that expose memory */
} best;

static best rank(atn_operation op, int p, int64_t bytes, const atn_topo *t, const atn_machine *m,
                 atn_sharing sharing)
{
    const atn_problem q = {.op = op, .p = p, .bytes = bytes, .topo = t, .shared = sharing};
    atn_ranking r = {0};
    atn_error err = {0};
    best x = {.shared = 0};
    if (atn_plan_planner_rank(&q, m, NULL, 40000000, &r, &err) != ATN_OK)
        fail_msg("%s", err.text);
    atn_algo_params_print(r.v[0].choice.row, &r.v[0].choice.params, x.name, sizeof x.name);
    x.seconds = r.v[0].seconds;
    for (int i = 0; i < r.n; i++)
        x.shared += (r.v[i].choice.row->algo->needs & ATN_NEEDS_SHARED) != 0;
    atn_plan_ranking_free(&r);
    return x;
}

static void scale(atn_cost_table *t, double factor)
{
    for (int i = 0; i < t->nsizes; i++)
        for (int k = 0; k < t->ntaus; k++)
            t->v[i][k] *= factor;
}

/* Large messages are read directly where that is cheap, and sent where it is not; small ones are
 * exposed where a read takes less time than a message. */
static void rankings_follow_the_measurement(void **state)
{
    (void)state;
    static const struct {
        atn_operation op;
        int64_t bytes;
        double cheap; /* factor on the reads of the machine */
    } cases[] = {{ATN_ALLREDUCE, 8, 0.1},       {ATN_BARRIER, 0, 0.1},
                 {ATN_ALLREDUCE, 1 << 20, 0.6}, {ATN_BCAST, 1 << 20, 0.6},
                 {ATN_ALLGATHER, 1 << 17, 0.6}, {ATN_ALLTOALL, 1 << 17, 0.6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_machine *m = made_machine(one_host);
        atn_cost_table *const reads = &m->channel[ATN_CHANNEL_SHARED].exposed;
        scale(reads, cases[i].cheap);
        const best cheap = rank(cases[i].op, 4, cases[i].bytes, NULL, m, ATN_SHARED_ALL);
        if (strstr(cheap.name, "/shared_") == NULL)
            fail_msg("%s", cheap.name);
        scale(reads, 20 / cases[i].cheap);
        const best dear = rank(cases[i].op, 4, cases[i].bytes, NULL, m, ATN_SHARED_ALL);
        if (strstr(dear.name, "/shared_") != NULL)
            fail_msg("%s", dear.name);
        m->unshared = true;
        const best without = rank(cases[i].op, 4, cases[i].bytes, NULL, m, ATN_SHARED_NONE);
        assert_int_equal(without.shared, 0);
        assert_true(cheap.shared > 0 && cheap.seconds < dear.seconds);
        assert_true(dear.seconds < without.seconds);
        atn_model_machine_free(m);
    }
}

/* Two ranks on two cores, as `attune measure` found them: small messages take less time than those
 * of the library, large ones are read directly. */
static void rankings_on_a_measured_host(void **state)
{
    (void)state;
    static const struct {
        atn_operation op;
        int64_t bytes;
        const char *wanted; /* part of the name */
        double most;        /* of the time without the transport */
    } cases[] = {
        {ATN_ALLREDUCE, 8, "allreduce/", 0.6},       {ATN_ALLREDUCE, 4096, "allreduce/", 0.6},
        {ATN_BARRIER, 0, "barrier/", 0.6},           {ATN_ALLREDUCE, 65536, "/shared_split", 0.9},
        {ATN_ALLGATHER, 65536, "/shared_flat", 0.9}, {ATN_ALLTOALL, 65536, "/shared_flat", 0.9}};
    atn_machine *m = NULL;
    atn_error err = {0};
    if (atn_model_machine_read(ATN_SOURCE_DIR "/tests/data/host.machine", &m, &err) != ATN_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        m->unshared = false;
        const best with = rank(cases[i].op, 2, cases[i].bytes, NULL, m, ATN_SHARED_ALL);
        m->unshared = true;
        const best without = rank(cases[i].op, 2, cases[i].bytes, NULL, m, ATN_SHARED_NONE);
        if (strstr(with.name, cases[i].wanted) == NULL ||
            with.seconds > cases[i].most * without.seconds)
            fail_msg("%s %g, %s %g", with.name, with.seconds, without.name, without.seconds);
    }
    atn_model_machine_free(m);
}

static void rankings_inside_levels(void **state)
{
    (void)state;
    atn_machine *m = made_machine(cluster);
    atn_topo *t = made_topology("2@1G;ranks=4");
    const best with = rank(ATN_ALLREDUCE, 8, 4096, t, m, ATN_SHARED_HOSTS);
    m->unshared = true;
    const best without = rank(ATN_ALLREDUCE, 8, 4096, t, m, ATN_SHARED_NONE);
    if (with.seconds >= without.seconds)
        fail_msg("%s %g, %s %g", with.name, with.seconds, without.name, without.seconds);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

/* ---- observations ---- */

static void take(atn_survey *s, const char *text)
{
    atn_error err = {0};
    char *copy = strdup(text), *rest = copy;
    for (char *line; (line = strsep(&rest, "\n")) != NULL && *line != '\0';)
        if (atn_model_survey_line(s, line, &err) != ATN_OK)
            fail_msg("%s: %s", line, err.text);
    free(copy);
}

static const char survey[] = "attune-survey 1\n"
                             "job 4 1 0 0000000000000000 Some MPI\n"
                             "channel memory\n"
                             "plan 26 1 00000000000000aa\n"
                             "o 0 round_trip 0 0 1 - 50 1e-6 1e-6 1e-6\n"
                             "o 1 round_trip 0 1 1 - 50 1e-6 1e-6 1e-6\n"
                             "o 2 round_trip 0 1024 1 - 50 2e-6 2e-6 2e-6\n"
                             "o 3 shared_copy 0 0 1 - 50 0.2e-6 0.2e-6 0.2e-6\n"
                             "o 4 shared_copy 0 8 1 - 50 0.22e-6 0.22e-6 0.22e-6\n"
                             "o 5 shared_copy 0 8192 1 - 50 2.2e-6 2.2e-6 2.2e-6\n"
                             "o 6 shared_single 0 256 1 - 50 1.6e-6 1.6e-6 1.6e-6\n"
                             "o 7 shared_single 0 65536 1 - 50 9.6e-6 9.6e-6 9.6e-6\n"
                             "o 8 shared_ring_copy 0 8 2 - 50 0.14e-6 0.14e-6 0.14e-6\n"
                             "o 9 shared_ring_copy 0 8192 2 - 50 1.5e-6 1.5e-6 1.5e-6\n"
                             "o 10 shared_ring_copy 0 16384 2 - 50 3e-6 3e-6 3e-6\n"
                             "o 11 shared_ring_copy 0 65536 2 - 50 12e-6 12e-6 12e-6\n"
                             "o 12 shared_ring_single 0 8192 2 - 50 2e-6 2e-6 2e-6\n"
                             "o 13 shared_ring_single 0 16384 2 - 50 2.5e-6 2.5e-6 2.5e-6\n"
                             "o 14 shared_ring_single 0 65536 2 - 50 5.8e-6 5.8e-6 5.8e-6\n"
                             "o 15 expose 0 0 1 - 50 0.02e-6 0.02e-6 0.02e-6\n"
                             "o 16 expose 0 8192 1 - 50 0.4e-6 0.4e-6 0.4e-6\n"
                             "o 17 exposed 0 0 1 - 50 0.2e-6 0.2e-6 0.2e-6\n"
                             "o 18 exposed 0 8192 1 - 50 1e-6 1e-6 1e-6\n"
                             "o 19 exposed 0 65536 1 - 50 6e-6 6e-6 6e-6\n"
                             "o 20 exposed 0 8192 3 - 50 2e-6 2e-6 2e-6\n"
                             "o 21 exposed 0 65536 3 - 50 10e-6 10e-6 10e-6\n"
                             "skip 22\n"
                             "o 23 copy -1 1024 1 - 50 1e-7 1e-7 1e-7\n"
                             "o 24 exposed_ring 0 8192 2 - 50 1.9e-6 1.9e-6 1.9e-6\n"
                             "o 25 exposed_ring 0 65536 2 - 50 7e-6 7e-6 7e-6\n"
                             "end\n";

static void parameters_from_observations(void **state)
{
    (void)state;
    atn_survey s = {0};
    atn_machine *m = atn_model_machine_new();
    take(&s, survey);
    assert_true(atn_model_fit_parameters(&s, m));
    const atn_channel *c = &m->channel[ATN_CHANNEL_SHARED];
    assert_true(atn_model_machine_shares(m));
    near(c->o_below, 0.1e-6);
    near(c->o_from, 0.8e-6);
    assert_int_equal(c->segment, atn_shm_chunk_bytes(2) / 2);
    /* +0.5 us at 8 KB and -0.5 us at 16 KB: the lines cross in the middle */
    assert_int_equal(c->eager, 12288);
    near(atn_model_channel_message(m, ATN_CHANNEL_SHARED, 8192), 1.1e-6);
    near(atn_model_table_time(&c->transfer, 8192, 2), 0.7e-6);
    near(atn_model_channel_message(m, ATN_CHANNEL_SHARED, 65536), 4.8e-6);
    near(atn_model_table_time(&c->single, 65536, 2), 5e-6);
    near(atn_model_table_time(&c->expose, 8192, 1), 0.4e-6);
    near(atn_model_table_time(&c->exposed, 0, 1), 0.08e-6);
    near(atn_model_table_time(&c->exposed, 8192, 1), 0.5e-6);
    near(atn_model_table_time(&c->exposed, 65536, 1), 5.88e-6); /* not copied when exposed */
    near(atn_model_table_time(&c->exposed, 65536, 3), 9.88e-6);
    near(atn_model_table_time(&c->exposed, 8192, 2), 1.5e-6); /* both expose and read */
    near(atn_model_table_time(&c->exposed, 65536, 2), 6.98e-6);
    assert_int_equal(c->samples, 21 * 50);
    assert_int_equal(m->channel[0].samples, 3 * 50);
    assert_int_equal(atn_model_machine_check(m, NULL), ATN_OK);
    atn_model_machine_free(m);
    atn_model_survey_free(&s);
}

/* One disturbed experiment changes neither the overhead nor the time of other sizes. */
static void disturbed_observations_are_bounded(void **state)
{
    (void)state;
    atn_survey s = {0};
    atn_machine *m = atn_model_machine_new();
    take(&s, survey);
    for (int i = 0; i < s.seen.n; i++)
        if ((s.seen.v[i].kind == ATN_OBS_SHARED_SINGLE && s.seen.v[i].bytes == 256) ||
            (s.seen.v[i].kind == ATN_OBS_SHARED_COPY && s.seen.v[i].bytes == 8))
            s.seen.v[i].value.mid = 1e-3;
    assert_true(atn_model_fit_parameters(&s, m));
    const atn_channel *c = &m->channel[ATN_CHANNEL_SHARED];
    near(c->o_below, 0.1e-6);
    near(atn_model_channel_message(m, ATN_CHANNEL_SHARED, 65536), 4.8e-6);
    near(atn_model_channel_message(m, ATN_CHANNEL_SHARED, 8192), 1.1e-6);
    assert_true(atn_model_channel_message(m, ATN_CHANNEL_SHARED, 8) <= 1.1e-6 * (1 + 1e-9));
    atn_model_machine_free(m);
    atn_model_survey_free(&s);
}

/* A limit between sizes needs a single copy that is faster at all larger ones. */
static void the_limit_may_be_absent(void **state)
{
    (void)state;
    atn_survey s = {0};
    atn_machine *m = atn_model_machine_new();
    take(&s, survey);
    for (int i = 0; i < s.seen.n; i++)
        if (s.seen.v[i].kind == ATN_OBS_SHARED_RING_SINGLE && s.seen.v[i].bytes == 65536)
            s.seen.v[i].value.mid = 13e-6;
    assert_true(atn_model_fit_parameters(&s, m));
    assert_int_equal(m->channel[ATN_CHANNEL_SHARED].eager, 0);
    atn_model_machine_free(m);
    atn_model_survey_free(&s);
}

/* Whether both protocols are compared at a size. */
static bool are_compared(const atn_experiments *list, int64_t bytes)
{
    int n = 0;
    for (int i = 0; i < list->n; i++) {
        const atn_observation *o = &list->v[i].of;
        n += (o->kind == ATN_OBS_SHARED_RING_COPY || o->kind == ATN_OBS_SHARED_RING_SINGLE) &&
             o->tau == 2 && o->bytes == bytes;
    }
    return n == 2;
}

static int shared_experiments(const char *topology_text, bool shared, int *most_p)
{
    atn_topo *t = made_topology(topology_text);
    atn_experiments list = {0};
    atn_survey s = {0};
    const atn_survey_conditions conditions = {.shared = shared};
    int n = 0;
    assert_int_equal(atn_model_survey_plan(t, conditions, &list, &s, NULL), ATN_OK);
    for (int64_t bytes = 8 << 10; bytes <= 1 << 20; bytes *= bytes < 256 << 10 ? 2 : 4)
        assert_true(!shared || atn_topo_hops(t, 0, 1) > 0 || are_compared(&list, bytes));
    for (int i = 0; i < list.n; i++) {
        const atn_experiment *e = &list.v[i];
        if (!atn_model_obs_is_shared(e->of.kind))
            continue;
        n++;
        *most_p = atn_max(*most_p, e->nactors);
        for (int k = 1; k < e->nactors; k++)
            assert_int_equal(atn_topo_hops(t, e->actor[0], e->actor[k]), 0);
    }
    atn_vec_free(&list);
    atn_model_survey_free(&s);
    atn_topo_free(t);
    return n;
}

static void the_transport_is_measured_inside_hosts(void **state)
{
    (void)state;
    int most = 0;
    assert_true(shared_experiments("1@1G;ranks=2", true, &most) > 20);
    assert_int_equal(most, 2);
    assert_true(shared_experiments("4@1G;ranks=4", true, &most) > 30);
    assert_int_equal(most, 4);
    assert_int_equal(shared_experiments("4@1G;ranks=4", false, &most), 0);
    assert_int_equal(shared_experiments("4@1G", true, &most), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printing_inverts_parsing),
        cmocka_unit_test(invalid_files_are_rejected),
        cmocka_unit_test(small_transfers_are_plausible),
        cmocka_unit_test(the_transport_connects_ranks_of_a_host),
        cmocka_unit_test(messages_have_their_protocol),
        cmocka_unit_test(measured_pipelines_are_used),
        cmocka_unit_test(a_rank_with_one_send_copies),
        cmocka_unit_test(exposures_are_costed),
        cmocka_unit_test(fused_reductions_save_a_copy),
        cmocka_unit_test(all_models_use_the_transport),
        cmocka_unit_test(knobs_turn_the_shared_channel),
        cmocka_unit_test(rankings_follow_the_measurement),
        cmocka_unit_test(rankings_on_a_measured_host),
        cmocka_unit_test(rankings_inside_levels),
        cmocka_unit_test(parameters_from_observations),
        cmocka_unit_test(disturbed_observations_are_bounded),
        cmocka_unit_test(the_limit_may_be_absent),
        cmocka_unit_test(the_transport_is_measured_inside_hosts),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
