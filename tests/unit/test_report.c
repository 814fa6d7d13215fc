/* Tables in every format, JSON, SVG, and the drawing of every row of the catalogue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "report/draw.h"
#include "report/json.h"
#include "report/svg.h"
#include "report/table.h"
#include "sched/text.h"

static const atn_column columns[] = {
    {"name", ATN_CELL_TEXT}, {"bytes", ATN_CELL_NUMBER}, {"note", ATN_CELL_TEXT}};

static char *written(const char *format)
{
    atn_table t = {.columns = columns, .ncolumns = 3};
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    atn_report_cell(&t, "%s", "ring");
    atn_report_cell(&t, "%d", 4096);
    atn_report_cell(&t, "%s", "a \"quoted\", cut | line");
    atn_report_cell(&t, "%s", "na\xc3\xafve");
    atn_report_cell(&t, "%s", "");
    atn_report_cell(&t, "%s", "two\nlines\x01");
    assert_int_equal(atn_report_table_write(f, &t, format, false, NULL), ATN_OK);
    fclose(f);
    atn_report_table_free(&t);
    return text;
}

static void assert_written(const char *format, const char *expected)
{
    char *text = written(format);
    assert_string_equal(text, expected);
    free(text);
}

static void tables_line_up(void **state)
{
    (void)state;
    assert_written("table", "name   bytes  note\n"
                            "ring    4096  a \"quoted\", cut | line\n"
                            "na\xc3\xafve      -  two\nlines\x01\n");
}

static void csv_is_quoted(void **state)
{
    (void)state;
    assert_written("csv", "name,bytes,note\n"
                          "ring,4096,\"a \"\"quoted\"\", cut | line\"\n"
                          "na\xc3\xafve,,\"two\nlines\x01\"\n");
}

static void json_is_escaped(void **state)
{
    (void)state;
    assert_written("json", "[\n"
                           "  {\n"
                           "    \"name\": \"ring\",\n"
                           "    \"bytes\": 4096,\n"
                           "    \"note\": \"a \\\"quoted\\\", cut | line\"\n"
                           "  },\n"
                           "  {\n"
                           "    \"name\": \"na\xc3\xafve\",\n"
                           "    \"bytes\": null,\n"
                           "    \"note\": \"two\\nlines\\u0001\"\n"
                           "  }\n"
                           "]\n");
}

static void markdown_is_escaped(void **state)
{
    (void)state;
    assert_written("markdown", "| name | bytes | note |\n"
                               "|---|---:|---|\n"
                               "| ring | 4096 | a \"quoted\", cut \\| line |\n"
                               "| na\xc3\xafve |  | two<br>lines\x01 |\n");
}

static void other_formats_are_refused(void **state)
{
    (void)state;
    const atn_table t = {.columns = columns, .ncolumns = 3};
    atn_error err = {0};
    assert_int_equal(atn_report_table_write(stdout, &t, "xml", false, &err), ATN_USAGE);
    assert_non_null(strstr(err.text, "xml"));
}

static void json_nests(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    atn_json j = {.f = f};
    atn_report_json_open(&j, NULL, '{');
    atn_report_json_open(&j, "empty", '[');
    atn_report_json_close(&j, ']');
    atn_report_json_open(&j, "list", '[');
    atn_report_json_int(&j, NULL, -7);
    atn_report_json_bool(&j, NULL, true);
    atn_report_json_text(&j, NULL, NULL);
    atn_report_json_number(&j, NULL, "1.5");
    atn_report_json_number(&j, NULL, "nan");
    atn_report_json_close(&j, ']');
    atn_report_json_close(&j, '}');
    fclose(f);
    assert_string_equal(text, "{\n"
                              "  \"empty\": [],\n"
                              "  \"list\": [\n"
                              "    -7,\n    true,\n    null,\n    1.5,\n    null\n"
                              "  ]\n"
                              "}\n");
    free(text);
}

static void json_knows_numbers(void **state)
{
    (void)state;
    static const char *const numbers[] = {"0", "-7", "10", "0.5", "1e6", "-1.25E-3"};
    static const char *const texts[] = {"",   "-",   "007", "1.", ".5",  "0x1f",  "1e",
                                        "4K", "nan", "any", "+1", "1 2", "1.2.3", "1-2"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_true(atn_report_json_is_number(numbers[i]));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(atn_report_json_is_number(texts[i]));
}

static void values_are_numbers_words_or_null(void **state)
{
    (void)state;
    static const atn_column columns[] = {{"partner", ATN_CELL_VALUE}};
    static const char *const cells[] = {"3", "any", "", "1-2"};
    atn_table t = {.columns = columns, .ncolumns = 1};
    char *text = NULL;
    size_t bytes;
    atn_json j = {.f = open_memstream(&text, &bytes)};
    for (int i = 0; i < 4; i++)
        atn_report_cell(&t, "%s", cells[i]);
    assert_non_null(j.f);
    atn_report_table_json(&j, NULL, &t);
    fclose(j.f);
    assert_string_equal(text, "[\n"
                              "  {\n    \"partner\": 3\n  },\n"
                              "  {\n    \"partner\": \"any\"\n  },\n"
                              "  {\n    \"partner\": null\n  },\n"
                              "  {\n    \"partner\": \"1-2\"\n  }\n"
                              "]\n");
    free(text);
    atn_report_table_free(&t);
}

static void svg_is_escaped(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    atn_report_svg_begin(f, 10, 20, "", "a<b");
    atn_report_svg_text(f, "t", "end", 1, 2.25, "%s", "x & \"y\" > z");
    atn_report_svg_rect(f, "r", 0, 0, 1.5, 2, 0);
    atn_report_svg_end(f);
    fclose(f);
    assert_non_null(strstr(text, "<title>a&lt;b</title>"));
    assert_non_null(strstr(text, " y=\"2.3\">x &amp; &quot;y&quot; &gt; z</text>"));
    assert_non_null(strstr(text, "<rect class=\"r\" x=\"0\" y=\"0\" width=\"1.5\" height=\"2\"/>"));
    free(text);
}

/* ---- drawing ---- */

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

static char *drawn(atn_schedule **set, int p, atn_status *st_p, atn_error *err)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    *st_p = atn_report_schedule_draw(f, set, p, err);
    fclose(f);
    return text;
}

static void free_set(atn_schedule **set, int p)
{
    for (int r = 0; r < p; r++)
        atn_sched_schedule_free(set[r]);
}

/* One arrow per message or read, one mark per local operation. */
static void assert_drawn(atn_schedule **set, int p)
{
    int sends = 0, reduces = 0;
    atn_status st;
    atn_error err = {0};
    for (int r = 0; r < p; r++)
        for (int i = 0; i < set[r]->nops; i++) {
            const atn_op *o = &set[r]->ops[i];
            sends += o->kind == ATN_OP_SEND || atn_sched_is_read(o);
            reduces += o->kind == ATN_OP_REDUCE || o->kind == ATN_OP_READ_REDUCE;
        }
    char *text = drawn(set, p, &st, &err);
    if (st)
        fail_msg("%s", err.text);
    const int legend = count(text, ">message") + count(text, ">synchronisation");
    assert_int_equal(count(text, "-head\" d="), sends + legend);
    assert_int_equal(count(text, "class=\"reduce\""), reduces + (reduces > 0));
    assert_int_equal(count(text, "</svg>"), 1);
    free(text);
}

static void every_row_is_drawn(void **state)
{
    (void)state;
    for (int i = 0; i < atn_algo_catalog_rows(); i++)
        for (int p = 1; p <= 17; p += p < 5 ? 1 : 12) {
            const atn_row *row = atn_algo_catalog_row(i);
            atn_problem q = {
                .op = row->op, .p = p, .shared = ATN_SHARED_ALL, .segments = 1, .bytes = 1024};
            atn_schedule *set[17] = {NULL};
            atn_params prm;
            atn_status st = ATN_OK;
            atn_algo_params_default(row, &prm);
            for (q.r = 0; q.r < p && !st; q.r++)
                st = atn_algo_build(row, &q, &prm, &set[q.r], NULL);
            if (!st)
                assert_drawn(set, p);
            free_set(set, p);
        }
}

static void deadlock_is_not_drawn(void **state)
{
    (void)state;
    static const char text[] = "attune-schedule 1\nname mine\nproblem bcast p=2\n"
                               "rank 0\n0: recv 1 dst[0]\nrank 1\n0: recv 0 dst[0]\nend\n";
    atn_schedule **set;
    atn_error err = {0};
    atn_status st;
    int p;
    assert_int_equal(atn_sched_schedule_parse(text, "f", &set, &p, NULL), ATN_OK);
    char *svg = drawn(set, p, &st, &err);
    assert_int_equal(st, ATN_FINDING);
    assert_non_null(strstr(err.text, "rank 0 deadlocks at operation 0"));
    assert_string_equal(svg, "");
    free(svg);
    free_set(set, p);
    free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_line_up),
        cmocka_unit_test(csv_is_quoted),
        cmocka_unit_test(json_is_escaped),
        cmocka_unit_test(markdown_is_escaped),
        cmocka_unit_test(other_formats_are_refused),
        cmocka_unit_test(json_nests),
        cmocka_unit_test(json_knows_numbers),
        cmocka_unit_test(values_are_numbers_words_or_null),
        cmocka_unit_test(svg_is_escaped),
        cmocka_unit_test(every_row_is_drawn),
        cmocka_unit_test(deadlock_is_not_drawn),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
