/* test_shared.c - operations on shared memory: what the verifier must detect, the dependencies that
 * the builder infers, numbers of exposures in compositions, and where the rows apply. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "algo/supplied.h"
#include "model/model.h"
#include "research/taulop/traffic.h"
#include "sched/generate.h"
#include "sched/text.h"
#include "sched/verify.h"
#include "topo/topo.h"

#include "model_time.h"

/* ---- schedules as text ---- */

static void free_set(atn_schedule **set, int p)
{
    for (int r = 0; set && r < p; r++)
        atn_sched_schedule_free(set[r]);
    free(set);
}

static atn_status verify_text(const char *body, atn_error *err)
{
    char text[1000];
    atn_schedule **set = NULL;
    int p = 0;
    snprintf(text, sizeof text, "attune-schedule 1\nname mine\nproblem %s\nend\n", body);
    assert_int_equal(atn_sched_schedule_parse(text, "f", &set, &p, err), ATN_OK);
    const atn_status status = atn_sched_verify(set, p, NULL, err);
    free_set(set, p);
    return status;
}

static void assert_found(const char *body, const char *finding)
{
    atn_error err = {0};
    const atn_status status = verify_text(body, &err);
    if (status != ATN_FINDING || !strstr(err.text, finding))
        fail_msg("%s\nfound: %s\nwanted: %s", body, err.text, finding);
}

#define READERS "rank 1\n0: read 0.0 to dst[0]\nrank 2\n0: read 0.0 to dst[0]"

static void correct_text_verifies(void **state)
{
    (void)state;
    atn_error err = {0};
    assert_int_equal(verify_text("bcast p=3\nrank 0\n0: expose 0 of dst[0] for 2\n"
                                 "1: close 0\n" READERS,
                                 &err),
                     ATN_OK);
    /* any number; a part of the exposure; an operand apart from the result */
    assert_int_equal(verify_text("reduce p=2\nrank 0 split=2\n"
                                 "0: read_reduce 1.7 with src[0] into dst[0]\n"
                                 "1: read_reduce 1.7 skip vec[0] with src[1] into dst[1]\n"
                                 "rank 1 split=2\n0: expose 7 of src[0..1] for 2\n1: close 7",
                                 &err),
                     ATN_OK);
}

static void faults_are_found(void **state)
{
    (void)state;
    assert_found("bcast p=3\nrank 0\n0: expose 0 of dst[0] for 2\n" READERS, "is never closed");
    assert_found("bcast p=3\nrank 0\n0: expose 0 of dst[0] for 3\n1: close 0\n" READERS,
                 "announces 3 reads of exposure 0, but there are 2");
    assert_found("bcast p=3\nrank 0\n0: expose 0 of dst[0] for 1\n1: close 0\n" READERS,
                 "announces 1 reads of exposure 0, but there are 2");
    assert_found("bcast p=3\nrank 0\n0: expose 1 of dst[0] for 2\n1: close 1\n" READERS,
                 "reads an exposure that does not exist");
    assert_found("bcast p=3\nrank 0\n0: expose 0 of dst[0] for 2\n1: close 0\n2: close 0\n" READERS,
                 "closes an exposure that is closed");
    assert_found("bcast p=3\nrank 0\n0: expose 0 of dst[0] for 2\n1: expose 0 of dst[0] for 2\n"
                 "2: close 0\n" READERS,
                 "has the number of another exposure");
    assert_found("bcast p=3\nrank 0\n0: expose 0 of nothing for 2\n1: close 0\n" READERS,
                 "reads blocks outside of the exposure");
    assert_found("allgather p=2\nrank 0\n0: copy src[0] to dst[0]\n1: expose 0 of src[0] for 1\n"
                 "2: read 1.0 to dst[1]\n3: close 0\n"
                 "rank 1\n0: copy src[0] to dst[1]\n1: expose 0 of src[0] for 1\n"
                 "2: read 0.0 skip vec[0] to dst[0]\n3: close 0",
                 "reads blocks outside of the exposure");
    assert_found("allgather p=2\nrank 0\n0: copy src[0] to dst[0]\n1: expose 0 of src[0] for 1\n"
                 "2: read 1.0 to dst[1]\n3: close 0\n"
                 "rank 1\n0: copy src[0] to dst[1]\n1: expose 0 of src[0] for 1\n"
                 "2: read 0.0 skip vec[0..1] to dst[0]\n3: close 0",
                 "skips blocks that the exposure does not have");
}

/* The result of rank 0 is exposed and written, or written while it is exposed in place. */
static void writes_to_exposed_blocks_are_found(void **state)
{
    (void)state;
    assert_found("allgather p=2\nrank 0\n0: copy src[0] to dst[0]\n1: expose 0 of dst[0..1] for 1\n"
                 "2: read 1.0 to dst[1]\n3: close 0\n"
                 "rank 1\n0: copy src[0] to dst[1]\n1: expose 0 of src[0] for 1\n"
                 "2: read 0.0 to dst[0]\n3: close 0",
                 "rank 0, operation 2: writes blocks that other ranks may be reading");
    assert_found("allreduce p=2\nrank 0 in_place\n0: expose 0 of dst[0] for 1\n"
                 "1: read_reduce 1.0 into dst[0]\n2: close 0\n"
                 "rank 1 in_place\n0: expose 0 of dst[0] for 1\n"
                 "1: read_reduce 0.0 into dst[0]\n2: close 0",
                 "rank 0, operation 1: writes blocks that other ranks may be reading");
    assert_found("reduce p=2\nrank 0\ntmp vec[0]\n0: copy src[0] to tmp[0]\n"
                 "1: expose 0 of tmp[0] for 1\n2: recv_reduce 1 tmp[0] with src[0] into dst[0]\n"
                 "3: close 0\n"
                 "rank 1\ntmp vec[0]\n0: read 0.0 to tmp[0]\n1: send 0 src[0]",
                 "rank 0, operation 2: writes blocks that other ranks may be reading");
}

static void deadlocks_are_found(void **state)
{
    (void)state;
    assert_found("barrier p=2\nrank 0\n0: read 1.0 to nothing\n1: expose 0 of nothing for 1\n"
                 "2: close 0\nrank 1\n0: read 0.0 to nothing\n1: expose 0 of nothing for 1\n"
                 "2: close 0",
                 "deadlock: rank 0 waits forever in operation 0 (read from rank 1, exposure 0)");
    assert_found("barrier p=2\nrank 0\n0: expose 0 of nothing for 1\n1: close 0\n"
                 "2: recv 1 nothing\n"
                 "rank 1\n0: send 0 nothing\n1: read 0.0 to nothing",
                 "deadlock: rank 0 waits forever in operation 1 (close after 1 reads, exposure 0)");
}

/* A read proves that the exposing rank has entered, a close that all readers have. */
static void barriers_are_proven(void **state)
{
    (void)state;
    atn_error err = {0};
    assert_int_equal(verify_text("barrier p=2\nrank 0\n0: expose 0 of nothing for 1\n1: close 0\n"
                                 "rank 1\n0: read 0.0 to nothing",
                                 &err),
                     ATN_OK);
    assert_found("barrier p=3\nrank 0\n0: expose 0 of nothing for 2\n1: close 0\n"
                 "rank 1\n0: read 0.0 to nothing\nrank 2\n0: read 0.0 to nothing",
                 "rank 1 may leave before 2 has entered");
    assert_found("barrier p=2\nrank 0\n0: expose 0 of nothing for 1\n1: expose 1 of nothing for 1\n"
                 "2: close 0\n3: close 1\nrank 1\n0: read 0.1 to nothing",
                 "announces 1 reads of exposure 0, but there are 0");
}

static void bad_text_is_rejected(void **state)
{
    static const struct {
        const char *line, *message;
    } bad[] = {
        {"0: expose 0 dst[0] for 1", "'of' is missing"},
        {"0: expose 0 of dst[0]", "'for' is missing"},
        {"0: expose 0 of dst[0] for 0", "'0' is not a valid number of reads"},
        {"0: read 1 to dst[0]", "'1' is not an exposure; write RANK.NUMBER"},
        {"0: read 0.0 to dst[0]", "rank 0 cannot read its own exposure"},
        {"0: read 1.0 into dst[0]", "'to' is missing"},
        {"0: read 1.0 skip dst[0] to dst[0]", "the blocks to skip are missing"},
        {"0: read_reduce 1.0 to dst[0]", "'into' is missing"},
        {"0: close 3", "closes an exposure that was not made"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[300];
        atn_schedule **set;
        atn_error err = {0};
        int p;
        snprintf(text, sizeof text,
                 "attune-schedule 1\nname a\nproblem allreduce p=2\nrank 0\n%s\nrank 1\nend\n",
                 bad[i].line);
        assert_int_equal(atn_sched_schedule_parse(text, "f", &set, &p, &err), ATN_INPUT);
        if (!strstr(err.text, bad[i].message))
            fail_msg("%s: %s", bad[i].line, err.text);
    }
}

/* ---- the builder ---- */

static bool depends(const atn_schedule *s, int op, int on)
{
    for (int d = 0; d < s->ops[op].ndeps; d++)
        if (s->deps[s->ops[op].dep + d] == on)
            return true;
    return false;
}

static void dependencies_are_inferred(void **state)
{
    const atn_problem q = {.op = ATN_ALLREDUCE, .p = 2, .r = 0, .segments = 1};
    atn_builder *b = atn_builder_new(&q);
    atn_schedule *s = NULL;
    (void)state;
    atn_exposures(b, 1);
    atn_copy(b, atn_src(0, 1), atn_dst(0, 1));
    assert_int_equal(atn_expose(b, atn_dst(0, 1), 1), 0);
    atn_close(b, 0);
    atn_read_reduce(b, 1, 0, (atn_range){0, 0}, atn_src(0, 1), atn_dst(0, 1));
    assert_int_equal(atn_builder_finish(b, "mine", &s, NULL), ATN_OK);
    assert_int_equal(s->nops, 4);
    assert_true(depends(s, 1, 0));                /* the exposure waits for the data */
    assert_true(depends(s, 2, 1));                /* the close for the exposure */
    assert_true(depends(s, 3, 2));                /* the next writer for the close */
    assert_int_equal(s->ops[3].c.space, ATN_SRC); /* the operand is read where it lies */
    atn_sched_schedule_free(s);
}

static void misuse_is_refused(void **state)
{
    const atn_problem q = {.op = ATN_BARRIER, .p = 4, .r = 0, .segments = 1};
    (void)state;
    for (int fault = 0; fault < 3; fault++) {
        static const char *const messages[] = {"an exposure that was not reserved",
                                               "an exposure that was not reserved",
                                               "the peer is not another rank"};
        atn_builder *b = atn_builder_new(&q);
        atn_schedule *s = NULL;
        atn_error err = {0};
        atn_exposures(b, 1);
        atn_expose(b, (atn_ref){.n = 0}, 1);
        if (fault == 0)
            atn_expose(b, (atn_ref){.n = 0}, 1);
        else
            atn_await(b, fault == 1 ? 1 : 0, fault == 1 ? 1 : 0);
        assert_int_equal(atn_builder_finish(b, "mine", &s, &err), ATN_USAGE);
        assert_non_null(strstr(err.text, messages[fault]));
    }
}

/* ---- compositions ---- */

static void two_flags(atn_builder *b, const atn_problem *q, const void *context)
{
    (void)context;
    atn_exposures(b, 1);
    atn_round(b);
    if (q->r == 0)
        atn_expose(b, (atn_ref){.n = 0}, q->p - 1);
    else
        atn_await(b, 0, 0);
    atn_round(b);
    atn_close(b, 0);
}

/* Rank 0 exposes in its pair before it does so for all; rank 2 has no part in that. */
static void emit_groups(atn_builder *b, const atn_problem *q, int domain)
{
    const int pair[] = {0, 1};
    atn_problem inner = {.op = ATN_BARRIER, .p = 2, .r = q->r, .segments = 1};
    if (q->r < 2)
        atn_embed_run(
            b, &(atn_embed){.q = &inner, .ranks = pair, .domain = domain, .build = two_flags});
    two_flags(b, q, NULL);
    two_flags(b, q, NULL);
}

static atn_status build_groups(int domain, atn_schedule *set[3], atn_error *err)
{
    atn_status status = ATN_OK;
    for (int r = 0; r < 3 && status == ATN_OK; r++) {
        const atn_problem q = {.op = ATN_BARRIER, .p = 3, .r = r, .segments = 1};
        atn_builder *b = atn_builder_new(&q);
        emit_groups(b, &q, domain);
        status = atn_builder_finish(b, "groups", &set[r], err);
    }
    return status;
}

static void groups_count_separately(void **state)
{
    atn_schedule *set[3] = {NULL};
    atn_error err = {0};
    (void)state;
    assert_int_equal(build_groups(1, set, &err), ATN_OK);
    if (atn_sched_verify(set, 3, NULL, &err) != ATN_OK) /* the second flag waits for the first */
        fail_msg("%s", err.text);
    assert_int_not_equal(set[0]->ops[0].seq, 0); /* the pair */
    assert_int_equal(set[2]->ops[0].seq, 0);     /* all ranks, beginning with 0 */
    assert_int_equal(set[2]->ops[1].seq, 1);
    for (int r = 0; r < 3; r++)
        atn_sched_schedule_free(set[r]);
    assert_int_equal(build_groups(0, set, &err), ATN_USAGE);
    assert_non_null(strstr(err.text, "exposes memory in a group without a domain"));
}

/* ---- where the rows apply ---- */

static const char *refusal(const char *name, const char *params, const atn_topo *t,
                           atn_sharing shared)
{
    const atn_row *row = atn_algo_catalog_by_name(name);
    const atn_problem q = {.op = row->op, .p = 8, .shared = shared, .segments = 1, .topo = t};
    atn_params prm;
    assert_int_equal(atn_algo_params_parse(row, params, &prm, NULL), ATN_OK);
    return atn_algo_refuses(row, &q, &prm);
}

static void rows_need_shared_memory(void **state)
{
    static const char why[] = "the ranks do not share memory";
    atn_topo *two = NULL, *one = NULL;
    (void)state;
    assert_int_equal(atn_topo_parse_synthetic("2@100M;ranks=4", &two, NULL), ATN_OK);
    assert_int_equal(atn_topo_parse_synthetic("1@100M;ranks=8", &one, NULL), ATN_OK);
    assert_string_equal(refusal("bcast/shared_flat", "", NULL, ATN_SHARED_NONE), why);
    assert_string_equal(refusal("bcast/shared_flat", "", NULL, ATN_SHARED_HOSTS), why);
    assert_string_equal(refusal("bcast/shared_flat", "", two, ATN_SHARED_HOSTS), why);
    assert_null(refusal("bcast/shared_flat", "", one, ATN_SHARED_HOSTS));
    assert_null(refusal("bcast/shared_flat", "", two, ATN_SHARED_ALL));
    assert_string_equal(refusal("bcast/shared_flat", "", one, ATN_SHARED_NONE), why);
    assert_null(refusal("bcast/levels", "rank:shared_flat", two, ATN_SHARED_HOSTS));
    assert_non_null(
        strstr(refusal("bcast/levels", "host:shared_flat", two, ATN_SHARED_HOSTS), why));
    assert_non_null(strstr(refusal("bcast/levels", "rank:shared_flat", two, ATN_SHARED_NONE), why));
    atn_topo_free(two);
    atn_topo_free(one);
}

static atn_schedule **build_row(const char *name, const char *params, int p, const atn_topo *t)
{
    atn_schedule **set = calloc((size_t)p, sizeof *set);
    const atn_row *row = atn_algo_catalog_by_name(name);
    atn_params prm;
    atn_error err = {0};
    assert_int_equal(atn_algo_params_parse(row, params, &prm, NULL), ATN_OK);
    for (int r = 0; r < p; r++) {
        const atn_problem q = {.op = row->op,
                               .p = p,
                               .r = r,
                               .shared = t ? ATN_SHARED_HOSTS : ATN_SHARED_ALL,
                               .segments = 1,
                               .topo = t};
        if (atn_algo_build(row, &q, &prm, &set[r], &err) != ATN_OK)
            fail_msg("%s", err.text);
    }
    return set;
}

/* Every operation over hosts, with reads inside them and messages between. */
static void hosts_share_memory(void **state)
{
    static const struct {
        const char *row, *params;
    } cases[] = {
        {"allgather/levels", "rank:shared_flat"}, {"allreduce/levels", "rank:shared_split"},
        {"alltoall/levels", "rank:shared_flat"},  {"barrier/levels", "rank:shared_flat"},
        {"barrier/levels", "rank:shared_tree"},   {"bcast/levels", "rank:shared_tree{degree=2}"},
        {"gather/levels", "rank:shared_flat"},    {"reduce/levels", "rank:shared_split"},
        {"scatter/levels", "rank:shared_flat"},
    };
    atn_topo *t = NULL;
    (void)state;
    assert_int_equal(atn_topo_parse_synthetic("3@100M;ranks=4", &t, NULL), ATN_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_schedule **set = build_row(cases[i].row, cases[i].params, 12, t);
        atn_error err = {0};
        bool shared = false;
        for (int r = 0; r < 12; r++)
            shared = shared || atn_sched_is_shared(set[r]);
        assert_true(shared);
        if (atn_sched_verify(set, 12, NULL, &err) != ATN_OK)
            fail_msg("%s: %s", cases[i].row, err.text);
        free_set(set, 12);
    }
    atn_topo_free(t);
}

/* ---- other readers of schedules ---- */

static void every_model_evaluates_every_row(void **state)
{
    atn_machine *m = atn_model_machine_builtin();
    atn_topo *t = NULL;
    int rows = 0;
    (void)state;
    assert_int_equal(atn_topo_parse_synthetic("1@100M;ranks=8", &t, NULL), ATN_OK);
    for (int i = 0; i < atn_algo_catalog_rows(); i++) {
        const atn_row *row = atn_algo_catalog_row(i);
        if (!(row->algo->needs & ATN_NEEDS_SHARED))
            continue;
        atn_schedule **set = build_row(row->name, "", 8, t);
        for (int k = 0; k < atn_models(); k++) {
            double time = -1;
            assert_int_equal(model_time(atn_model_at(k), set, 8, 4096, m, t, &time, NULL), ATN_OK);
            if (!(time > 0 && time < 1))
                fail_msg("%s: %s: %g", row->name, atn_model_at(k)->name, time);
        }
        free_set(set, 8);
        rows++;
    }
    assert_true(rows >= 15);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

static void messages_only(void **state)
{
    atn_schedule **set = build_row("bcast/shared_flat", "", 3, NULL);
    atn_generated one = {.about = "mine", .nsets = 1, .sets = &set};
    atn_generated_routine routine = {ATN_BCAST, 1, &one};
    const atn_generation g = {.about = "mine", .p = 3, .roots = 1, .n = 1, .routines = &routine};
    atn_traffic traffic;
    atn_error err = {0};
    char *text = NULL;
    size_t bytes;
    (void)state;
    FILE *f = open_memstream(&text, &bytes);
    assert_int_equal(atn_sched_generate(f, &g, &err), ATN_INPUT);
    assert_non_null(strstr(err.text, "generated routines use only messages"));
    fclose(f);
    free(text);
    err = (atn_error){0};
    assert_int_equal(atn_tau_traffic_of(set, 3, &traffic, &err), ATN_INPUT);
    assert_non_null(strstr(err.text, "reads shared memory"));
    free_set(set, 3);
}

static void supplied_schedules_use_messages(void **state)
{
    static const char text[] = "attune-schedule 1\nname a\nproblem bcast p=2\nrank 0\n"
                               "0: expose 0 of dst[0] for 1\n1: close 0\n"
                               "rank 1\n0: read 0.0 to dst[0]\nend\n";
    atn_error err = {0};
    (void)state;
    assert_int_equal(atn_algo_supplied_add(ATN_BCAST, "shared.txt", text, NULL, &err), ATN_INPUT);
    assert_non_null(strstr(err.text, "rank 0 exposes or reads shared memory"));
}

/* Sequential execution: an exposure is not a step, a read and a close are. */
static void steps(void **state)
{
    atn_schedule **flat = build_row("bcast/shared_flat", "", 4, NULL);
    atn_schedule **direct = build_row("alltoall/shared_flat", "", 4, NULL);
    (void)state;
    for (int r = 0; r < 4; r++) {
        assert_true(atn_sched_is_chain(flat[r]));
        assert_true(atn_sched_is_orderly(flat[r]));
        assert_false(atn_sched_is_chain(direct[r])); /* the reads are independent */
        assert_int_equal(atn_sched_step_length(direct[r], 0), 1);
        assert_int_not_equal(atn_sched_schedule_hash(flat[r]), atn_sched_schedule_hash(direct[r]));
    }
    free_set(flat, 4);
    free_set(direct, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(correct_text_verifies),
        cmocka_unit_test(faults_are_found),
        cmocka_unit_test(writes_to_exposed_blocks_are_found),
        cmocka_unit_test(deadlocks_are_found),
        cmocka_unit_test(barriers_are_proven),
        cmocka_unit_test(bad_text_is_rejected),
        cmocka_unit_test(dependencies_are_inferred),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(groups_count_separately),
        cmocka_unit_test(rows_need_shared_memory),
        cmocka_unit_test(hosts_share_memory),
        cmocka_unit_test(every_model_evaluates_every_row),
        cmocka_unit_test(messages_only),
        cmocka_unit_test(supplied_schedules_use_messages),
        cmocka_unit_test(steps),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
