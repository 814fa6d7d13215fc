/* test_neighbours.c - virtual topologies, and the readers of neighbourhood schedules: verifier,
 * text, drawing, models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "model_time.h"
#include "report/draw.h"
#include "sched/neighbourhood.h"
#include "sched/text.h"
#include "sched/verify.h"

static atn_neighbourhood *parsed(const char *word, int p)
{
    atn_neighbourhood *n = NULL;
    atn_error err = {0};
    if (atn_sched_neighbourhood_parse(word, p, &n, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return n;
}

/* "-1 2 ..." in the order of blocks. */
static void assert_ranks(const atn_neighbourhood *n, int r, atn_way way, const char *wanted)
{
    char text[200] = "", *at = text;
    for (int i = 0; i < atn_sched_neighbourhood_count(n, r, way); i++)
        at += sprintf(at, "%s%d", i ? " " : "", atn_sched_neighbourhood_rank(n, r, way, i));
    assert_string_equal(text, wanted);
}

/* ---- grids ---- */

static void grids_list_both_directions(void **state)
{
    (void)state;
    atn_neighbourhood *n = parsed("cart:2x3p", 0);
    assert_int_equal(n->p, 6);
    assert_ranks(n, 0, ATN_OUTWARD, "-1 3 2 1");
    assert_ranks(n, 0, ATN_INWARD, "-1 3 2 1");
    assert_ranks(n, 5, ATN_OUTWARD, "2 -1 4 3");
    assert_false(n->repeats || n->doubtful);
    atn_sched_neighbourhood_free(n);
}

/* What leaves in one direction arrives from the other one. */
static void grids_match_by_direction(void **state)
{
    (void)state;
    static const char *const words[] = {"cart:1p", "cart:2p", "cart:2px1p", "cart:3px2"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        atn_neighbourhood *n = parsed(words[w], 0);
        for (int r = 0; r < n->p; r++)
            for (int i = 0; i < n->most; i++) {
                const bool missing = atn_sched_neighbourhood_rank(n, r, ATN_OUTWARD, i) < 0;
                assert_int_equal(atn_sched_neighbourhood_mate(n, r, ATN_OUTWARD, i),
                                 missing ? -1 : i ^ 1);
            }
        atn_sched_neighbourhood_free(n);
    }
}

/* Where libraries deviate from each other. */
static void several_edges_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        bool repeats, doubtful, lonely;
    } cases[] = {
        {"cart:2px3p", true, true, false},      {"cart:1px3p", false, true, false},
        {"cart:1x2x3p", false, false, false},   {"lists:0/0;/", false, false, true},
        {"lists:0,0/0,0", false, true, false},  {"lists:/1,1;0,0/", true, true, false},
        {"lists:1/1;0/0", false, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_neighbourhood *n = parsed(cases[i].word, 0);
        if (n->repeats != cases[i].repeats || n->doubtful != cases[i].doubtful ||
            n->lonely != cases[i].lonely)
            fail_msg("%s", cases[i].word);
        atn_sched_neighbourhood_free(n);
    }
}

/* ---- graphs ---- */

static void graphs_match_in_order(void **state)
{
    (void)state;
    atn_neighbourhood *n = parsed("lists:1,0,1,0/0,1,0;0/0,0", 2);
    assert_true(n->repeats && n->doubtful && !n->lonely && n->most == 4);
    assert_int_equal(atn_sched_neighbourhood_mate(n, 0, ATN_OUTWARD, 0), 1);
    assert_int_equal(atn_sched_neighbourhood_mate(n, 0, ATN_OUTWARD, 1), 0);
    assert_int_equal(atn_sched_neighbourhood_mate(n, 0, ATN_OUTWARD, 2), 3);
    assert_int_equal(atn_sched_neighbourhood_mate(n, 1, ATN_OUTWARD, 0), 0);
    assert_int_equal(atn_sched_neighbourhood_mate(n, 1, ATN_OUTWARD, 1), 2);
    assert_int_equal(atn_sched_neighbourhood_mate(n, 0, ATN_INWARD, 3), 2);
    assert_int_equal(atn_sched_neighbourhood_round(n, 0, ATN_OUTWARD, 0), -1);
    atn_sched_neighbourhood_free(n);
}

/* ---- box stencils ---- */

static void box_of(const char *word, char out[80])
{
    atn_neighbourhood *n = parsed(word, 0);
    char *at = out;
    *at = '\0';
    for (int d = 0; d < n->box.ndims; d++)
        at += sprintf(at, "%s%d%s", d ? "x" : "", n->box.dims[d], n->box.periodic[d] ? "p" : "");
    atn_sched_neighbourhood_free(n);
}

/* In any order of neighbours, with edges of ranks to themselves; one edge more or less is another
 * graph. */
static void box_stencils_are_recognised(void **state)
{
    (void)state;
    static const struct {
        const char *word, *box;
    } cases[] = {
        {"box:4x5", "4x5"},
        {"box:4px5", "4px5"},
        {"box:3x4px5p", "3x4px5p"},
        {"box:2x2x3x4p", "2x2x3x4p"},
        {"box:16x16", "16x16"},
        {"box:5p", ""},    /* a ring */
        {"box:2px4p", ""}, /* several edges to the same rank */
        {"box:1x6", ""},   /* a line */
        {"cart:4x4", ""},  /* without diagonals */
        {"lists:3,1,2/1,2,3;0,2,3/2,3,0;1,0,3/0,1,3;2,1,0/2,1,0", "2x2"},
        {"lists:3,0,1,2/1,2,3,0;0,2,3/2,3,0;1,0,3/0,1,3;2,1,0/2,1,0", "2x2"},
        {"lists:1,2/1,2,3;0,2,3/2,3,0;1,0,3/0,1,3;2,1,0/2,1", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char box[80];
        box_of(cases[i].word, box);
        if (strcmp(box, cases[i].box) != 0)
            fail_msg("%s: '%s'", cases[i].word, box);
    }
}

static void offsets_name_ranks(void **state)
{
    (void)state;
    const atn_box x = {.ndims = 2, .dims = {3, 4}, .periodic = {true, false}};
    assert_int_equal(atn_sched_box_rank(&x, 0, 0), -1); /* (-1, -1) */
    assert_int_equal(atn_sched_box_rank(&x, 0, 2), 9);  /* (-1, 1): row 2, column 1 */
    assert_int_equal(atn_sched_box_offset(&x, 0, 9), 2);
    assert_int_equal(atn_sched_box_offset(&x, 0, 3), -1);
    assert_int_equal(atn_sched_box_part(&x, 2, 0, 0), 1);
    for (int o = 0; o < 9; o++)
        assert_int_equal(atn_sched_box_offset(&x, 5, atn_sched_box_rank(&x, 5, o)), o);
}

static void files_keep_the_order_of_edges(void **state)
{
    (void)state;
    atn_neighbourhood *n = NULL;
    atn_error err = {0};
    assert_int_equal(atn_sched_neighbourhood_edges("2 0 # first\n1 0\n\n0 2\n", "g", 0, &n, &err),
                     ATN_OK);
    assert_int_equal(n->p, 3);
    assert_ranks(n, 0, ATN_INWARD, "2 1");
    assert_ranks(n, 2, ATN_INWARD, "0");
    atn_sched_neighbourhood_free(n);
    assert_int_equal(atn_sched_neighbourhood_edges("0 1\n0 4\n", "g", 4, &n, &err), ATN_INPUT);
    assert_string_equal(err.text, "g:2: an edge is written FROM TO, with ranks from 0 to 3");
}

static void wrong_words_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        int p;
        const char *why;
    } cases[] = {
        {"cart:", 0, "the form is cart:"},          {"cart:4x", 0, "the form is cart:"},
        {"cart:0x4", 0, "the form is cart:"},       {"cart:4x4", 8, "those of 16 ranks, not of 8"},
        {"ringo", 4, "the form is ring"},           {"ring", 0, "need a number of ranks"},
        {"random:x", 4, "the form is random:"},     {"random:99999:1", 4, "the form is random:"},
        {"lists:1/1", 0, "not one of the 1 ranks"}, {"lists:1/1;1/0", 2, "does not list it"},
        {"lists:0,/0", 1, "the form is lists:"},    {"lists:0", 1, "the form is lists:"},
        {"torus:4", 4, "unknown; write cart:4x4"},  {"box:", 0, "the form is box:"},
        {"box:2x2x2x2x2x2", 0, "the form is box:"}, {"box:999999x2", 0, "the form is box:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_neighbourhood *n = NULL;
        atn_error err = {0};
        assert_int_equal(atn_sched_neighbourhood_parse(cases[i].word, cases[i].p, &n, &err),
                         ATN_INPUT);
        if (!strstr(err.text, cases[i].why) || n)
            fail_msg("%s: %s", cases[i].word, err.text);
    }
}

/* ---- schedules ---- */

static atn_schedule **build(const char *name, const char *word, int p, const atn_topo *t)
{
    const atn_row *row = atn_algo_catalog_by_name(name);
    atn_neighbourhood *n = parsed(word, p);
    atn_problem q = {
        .op = row->op, .p = p, .segments = 1, .bytes = 4096, .topo = t, .neighbourhood = n};
    atn_schedule **set = calloc((size_t)p, sizeof *set);
    atn_params prm;
    atn_error err = {0};
    atn_algo_params_default(row, &prm);
    for (q.r = 0; q.r < p; q.r++)
        if (atn_algo_build(row, &q, &prm, &set[q.r], &err) != ATN_OK)
            fail_msg("%s", err.text);
    atn_sched_neighbourhood_free(n); /* the schedules hold it */
    return set;
}

static void free_set(atn_schedule **set, int p)
{
    for (int r = 0; r < p; r++)
        atn_sched_schedule_free(set[r]);
    free(set);
}

static const char *const rows[] = {"neighbor_allgather/aggregate", "neighbor_allgatherv/combine",
                                   "neighbor_alltoall/direct",     "neighbor_alltoall/aggregate",
                                   "neighbor_alltoallv/pairwise",  "neighbor_alltoallw/aggregate"};
enum { ROWS = sizeof rows / sizeof *rows };

static char *print(atn_schedule *const *set, int p)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    atn_sched_schedule_print(f, set, p);
    fclose(f);
    return text;
}

static void texts_are_read_back(void **state)
{
    (void)state;
    static const char *const words[] = {"cart:2px2x2p", "random:3:5"};
    atn_topo *t = NULL;
    assert_int_equal(atn_topo_parse_synthetic("4@100M;ranks=2", &t, NULL), ATN_OK);
    for (int i = 0; i < ROWS; i++)
        for (int w = 0; w < 2; w++) {
            atn_schedule **set = build(rows[i], words[w], 8, t), **again;
            char *text = print(set, 8);
            atn_error err = {0};
            int p = 0;
            if (atn_sched_schedule_parse(text, "text", &again, &p, &err) != ATN_OK)
                fail_msg("%s\n%s", err.text, text);
            char *twice = print(again, p);
            assert_string_equal(text, twice);
            if (atn_sched_verify(again, p, NULL, &err) != ATN_OK)
                fail_msg("%s: %s", rows[i], err.text);
            free(text);
            free(twice);
            free_set(set, 8);
            free_set(again, 8);
        }
    atn_topo_free(t);
}

static void assert_refused(const char *text, atn_status status, const char *why)
{
    atn_schedule **set = NULL;
    atn_error err = {0};
    int p = 0;
    atn_status st = atn_sched_schedule_parse(text, "text", &set, &p, &err);
    if (st == ATN_OK) {
        st = atn_sched_verify(set, p, NULL, &err);
        free_set(set, p);
    }
    if (st != status || !strstr(err.text, why))
        fail_msg("%d: %s", st, err.text);
}

#define HEAD "attune-schedule 1\nname mine\nproblem neighbor_alltoall p=2 "

static void texts_must_name_the_neighbours(void **state)
{
    (void)state;
    assert_refused(HEAD "\nrank 0\nrank 1\nend\n", ATN_INPUT, "add neighbors=");
    assert_refused(HEAD "neighbors=cart:3\nrank 0\nrank 1\nend\n", ATN_INPUT, "those of 3 ranks");
    assert_refused(HEAD "neighbors=cart:x\nrank 0\nrank 1\nend\n", ATN_INPUT, "text:3: neighbours");
    assert_refused("attune-schedule 1\nname mine\nproblem bcast p=2 neighbors=ring\n", ATN_INPUT,
                   "ring");
    assert_refused("attune-schedule 1\nname mine\nproblem bcast p=2 neighbors=cart:2\n", ATN_INPUT,
                   "remove neighbors=");
}

/* Two ranks in a periodic dimension: blocks must cross over, and holes stay as they are. */
static void verifier_checks_the_direction(void **state)
{
    (void)state;
    static const char right[] = HEAD "neighbors=cart:2p\n"
                                     "rank 0\n0: send 1 src[0..1]\n1: recv 1 dst[1,0]\n"
                                     "rank 1\n0: recv 0 dst[1,0]\n1: send 0 src[0..1]\nend\n";
    static const char wrong[] = HEAD "neighbors=cart:2p\n"
                                     "rank 0\n0: send 1 src[0..1]\n1: recv 1 dst[0..1]\n"
                                     "rank 1\n0: recv 0 dst[0..1]\n1: send 0 src[0..1]\nend\n";
    static const char hole[] = HEAD "neighbors=cart:2\n"
                                    "rank 0\n0: send 1 src[1]\n1: recv 1 dst[1]\n"
                                    "2: copy dst[1] to dst[0]\n"
                                    "rank 1\n0: recv 0 dst[0]\n1: send 0 src[0]\nend\n";
    assert_refused(right, ATN_OK, "");
    assert_refused(wrong, ATN_FINDING, "result block 0 does not hold the data it should");
    assert_refused(hole, ATN_FINDING, "writes result block 0, which must stay unchanged");
}

/* In the v form, a block fits only the matching edge. */
static void verifier_checks_sizes_of_edges(void **state)
{
    (void)state;
    assert_refused(
        "attune-schedule 1\nname mine\nproblem neighbor_alltoallv p=2 "
        "neighbors=lists:1,1/1,1;0,0/0,0\n"
        "rank 0\n0: send 1 src[0]\n1: recv 1 dst[0]\n2: send 1 src[1]\n3: recv 1 dst[1]\n"
        "rank 1\n0: recv 0 dst[1]\n1: send 0 src[0]\n2: recv 0 dst[0]\n3: send 0 src[1]\n"
        "end\n",
        ATN_FINDING, "puts data into a block of another size");
}

/* ---- other readers ---- */

static void every_model_evaluates_every_row(void **state)
{
    (void)state;
    atn_machine *m = atn_model_machine_builtin();
    atn_topo *t = NULL;
    assert_int_equal(atn_topo_parse_synthetic("4@100M;ranks=2", &t, NULL), ATN_OK);
    for (int i = 0; i < ROWS; i++) {
        atn_schedule **set = build(rows[i], "random:4:1", 8, t);
        for (int k = 0; k < atn_models(); k++) {
            double time = -1;
            assert_int_equal(model_time(atn_model_at(k), set, 8, 4096, m, t, &time, NULL), ATN_OK);
            if (!(time > 0 && time < 1))
                fail_msg("%s: %s: %g", rows[i], atn_model_at(k)->name, time);
        }
        free_set(set, 8);
    }
    atn_topo_free(t);
    atn_model_machine_free(m);
}

static void every_row_is_drawn(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        atn_topo *t = NULL;
        assert_int_equal(atn_topo_parse_synthetic("4@100M;ranks=2", &t, NULL), ATN_OK);
        atn_schedule **set = build(rows[i], "random:3:5", 8, t);
        char *text = NULL;
        size_t bytes;
        FILE *f = open_memstream(&text, &bytes);
        assert_int_equal(atn_report_schedule_draw(f, set, 8, NULL), ATN_OK);
        fclose(f);
        assert_non_null(strstr(text, "</svg>"));
        free(text);
        free_set(set, 8);
        atn_topo_free(t);
    }
}

/* What makes `aggregate` worth its detour: one message between two hosts, each block once. */
static void aggregate_crosses_once(void **state)
{
    (void)state;
    atn_topo *t = NULL;
    int crossing = 0, blocks = 0;
    assert_int_equal(atn_topo_parse_synthetic("4@100M;ranks=4", &t, NULL), ATN_OK);
    atn_schedule **set = build("neighbor_allgather/aggregate", "random:9:3", 16, t);
    for (int r = 0; r < 16; r++)
        for (int i = 0; i < set[r]->nops; i++) {
            const atn_op *o = &set[r]->ops[i];
            if (o->kind != ATN_OP_SEND || atn_topo_host_of(t, r) == atn_topo_host_of(t, o->peer))
                continue;
            crossing++;
            blocks += atn_sched_slot_blocks(set[r], &o->a);
        }
    assert_int_equal(crossing, 4 * 3);
    assert_true(blocks <= 4 * 3 * 4);
    free_set(set, 16);
    atn_topo_free(t);
}

static void rows_refuse_without_neighbours(void **state)
{
    (void)state;
    const atn_row *row = atn_algo_catalog_by_name("neighbor_alltoall/direct");
    atn_neighbourhood *other = parsed("ring", 5);
    atn_problem q = {.op = row->op, .p = 4, .segments = 1};
    atn_params prm;
    atn_algo_params_default(row, &prm);
    assert_non_null(strstr(atn_algo_refuses(row, &q, &prm), "not known"));
    q.neighbourhood = other;
    assert_non_null(strstr(atn_algo_refuses(row, &q, &prm), "not known"));
    q.p = 5;
    assert_null(atn_algo_refuses(row, &q, &prm));
    atn_sched_neighbourhood_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_list_both_directions),
        cmocka_unit_test(grids_match_by_direction),
        cmocka_unit_test(several_edges_are_found),
        cmocka_unit_test(graphs_match_in_order),
        cmocka_unit_test(box_stencils_are_recognised),
        cmocka_unit_test(offsets_name_ranks),
        cmocka_unit_test(files_keep_the_order_of_edges),
        cmocka_unit_test(wrong_words_are_refused),
        cmocka_unit_test(texts_are_read_back),
        cmocka_unit_test(texts_must_name_the_neighbours),
        cmocka_unit_test(verifier_checks_the_direction),
        cmocka_unit_test(verifier_checks_sizes_of_edges),
        cmocka_unit_test(every_model_evaluates_every_row),
        cmocka_unit_test(every_row_is_drawn),
        cmocka_unit_test(aggregate_crosses_once),
        cmocka_unit_test(rows_refuse_without_neighbours),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
