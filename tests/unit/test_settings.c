/* test_settings.c - environment variables: values, checks, packing, documentation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "plan/settings.h"

/* Reads the environment; fails the test on an error. */
static char *reads(atn_settings *s, char *const *environment)
{
    atn_error err = {0};
    char *warning = NULL;
    atn_plan_settings_default(s);
    if (atn_plan_settings_environ(s, environment, &warning, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return warning;
}

static void defaults_fit_their_table(void **state)
{
    (void)state;
    atn_settings s;
    atn_error err = {0};
    atn_plan_settings_default(&s);
    for (int i = 0; i < ATN_SETTINGS; i++) {
        const atn_setting_info *info = atn_plan_setting_get((atn_setting)i);
        assert_int_equal(s.v[i].source, ATN_FROM_DEFAULT);
        if (*info->fallback != '\0')
            assert_int_equal(
                atn_plan_settings_set(&s, (atn_setting)i, info->fallback, ATN_FROM_COMMAND, &err),
                ATN_OK);
    }
    assert_int_equal(atn_plan_setting_number(&s, ATN_SET_ON), 1);
    assert_int_equal(atn_plan_setting_number(&s, ATN_SET_FIRST), 8);
    assert_int_equal(atn_plan_setting_number(&s, ATN_SET_YIELD), ATN_YIELD_AUTO);
    assert_int_equal(atn_plan_setting_number(&s, ATN_SET_GPU), ATN_GPU_NATIVE);
    assert_null(atn_plan_setting_given(&s, ATN_SET_RULES));
    assert_null(atn_plan_setting_report(&s));
    atn_plan_settings_free(&s);
}

static void values_are_taken_from_the_environment(void **state)
{
    (void)state;
    atn_settings s;
    char *environment[] = {"HOME=/root",        "ATTUNE=OFF",         "ATTUNE_RULES=/a b/c=d",
                           "ATTUNE_FIRST=0",    "ATTUNE_YIELD=never", "ATTUNE_CHECK=yes",
                           "ATTUNE_ALGORITHM=", "ATTUNEX=3",          NULL};
    assert_null(reads(&s, environment));
    assert_int_equal(atn_plan_setting_number(&s, ATN_SET_ON), 0);
    assert_string_equal(atn_plan_setting_text(&s, ATN_SET_RULES), "/a b/c=d");
    assert_int_equal(atn_plan_setting_number(&s, ATN_SET_FIRST), 0);
    assert_int_equal(atn_plan_setting_number(&s, ATN_SET_YIELD), ATN_YIELD_NEVER);
    assert_int_equal(atn_plan_setting_number(&s, ATN_SET_CHECK), 1);
    assert_int_equal(s.v[ATN_SET_FIRST].source, ATN_FROM_ENVIRONMENT);
    assert_int_equal(s.v[ATN_SET_ALGORITHM].source, ATN_FROM_DEFAULT);
    atn_plan_settings_free(&s);
}

static void bad_values_name_variable_and_range(void **state)
{
    (void)state;
    static const struct {
        const char *entry, *message;
    } cases[] = {
        {"ATTUNE=of", "ATTUNE=of: must be one of on|off"},
        {"ATTUNE_FIRST=many", "ATTUNE_FIRST=many: must be a number from 0 to 1000000"},
        {"ATTUNE_FIRST=-1", "must be a number from 0"},
        {"ATTUNE_WATCHDOG=1e9", "must be a number from 0 to 86400"},
        {"ATTUNE_WATCHDOG=99999999999999999999", "must be a number"},
        {"ATTUNE_YIELD=sometimes", "must be one of auto|always|never"},
        {"ATTUNE_GPU=1", "must be one of native|serve"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        atn_settings s;
        atn_error err = {0};
        char *warning = NULL;
        char *environment[] = {(char *)cases[i].entry, NULL};
        atn_plan_settings_default(&s);
        assert_int_equal(atn_plan_settings_environ(&s, environment, &warning, &err), ATN_INPUT);
        if (strstr(err.text, cases[i].message) == NULL)
            fail_msg("%s", err.text);
        atn_plan_settings_free(&s);
    }
}

static void unknown_variables_are_reported(void **state)
{
    (void)state;
    atn_settings s;
    char *environment[] = {"ATTUNE_ALGORITM=x", "ATTUNE_COFFEE=black", "ATTUNE_BUILD=/tmp", NULL};
    char *warning = reads(&s, environment);
    assert_string_equal(
        warning,
        "attune: environment variable ATTUNE_ALGORITM is not a setting and is ignored; did you "
        "mean ATTUNE_ALGORITHM?\n"
        "attune: environment variable ATTUNE_COFFEE is not a setting and is ignored; `attune "
        "settings` lists them\n");
    free(warning);
    atn_plan_settings_free(&s);
}

static void reports_go_nowhere_to_stderr_or_to_a_file(void **state)
{
    (void)state;
    static const struct {
        char *entry;
        const char *report;
    } cases[] = {{"ATTUNE_REPORT=0", NULL}, {"ATTUNE_REPORT=off", NULL}, {"ATTUNE_REPORT=", NULL},
                 {"ATTUNE_REPORT=1", ""},   {"ATTUNE_REPORT=on", ""},    {"ATTUNE_REPORT=a", "a"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        atn_settings s;
        char *environment[] = {cases[i].entry, NULL};
        assert_null(reads(&s, environment));
        if (cases[i].report == NULL)
            assert_null(atn_plan_setting_report(&s));
        else
            assert_string_equal(atn_plan_setting_report(&s), cases[i].report);
        atn_plan_settings_free(&s);
    }
}

/* `attune run` and `attune settings` use the same function. */
static void jobs_learn_under_attune_run(void **state)
{
    (void)state;
    static const struct {
        const char *variable, *select;
    } cases[] = {
        {"OTHER=1", "online"},
        {"ATTUNE_BUDGET=5", "online"},
        {"ATTUNE_SELECT=model", "model"},
        {"ATTUNE_RULES=x", "rules"},
        {"ATTUNE_ALGORITHM=bcast=chain", "rules"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_settings s;
        char *const environment[] = {(char *)cases[i].variable, NULL};
        assert_null(reads(&s, environment));
        assert_int_equal(atn_plan_settings_run(&s, NULL), ATN_OK);
        assert_string_equal(atn_plan_setting_text(&s, ATN_SET_SELECT), cases[i].select);
        atn_plan_settings_free(&s);
    }
    assert_string_equal(atn_plan_setting_run_default(ATN_SET_SELECT), "online");
    assert_string_equal(atn_plan_setting_run_default(ATN_SET_BUDGET), "2");
}

static void packed_settings_round_trip(void **state)
{
    (void)state;
    atn_settings s, other;
    atn_error err = {0};
    char *environment[] = {"ATTUNE_ALGORITHM=a=b,c=d:e=f", "ATTUNE_VERBOSE=2", "ATTUNE_GPU=serve",
                           NULL};
    char *bytes;
    size_t size;
    reads(&s, environment);
    assert_int_equal(atn_plan_settings_pack(&s, &bytes, &size, &err), ATN_OK);
    assert_int_equal(atn_plan_settings_unpack(&other, bytes, size, &err), ATN_OK);
    assert_string_equal(atn_plan_setting_text(&other, ATN_SET_ALGORITHM), "a=b,c=d:e=f");
    assert_int_equal(atn_plan_setting_number(&other, ATN_SET_VERBOSE), 2);
    assert_int_equal(atn_plan_setting_number(&other, ATN_SET_GPU), ATN_GPU_SERVE);
    assert_int_equal(atn_plan_setting_number(&other, ATN_SET_FIRST), 8);
    assert_true(atn_plan_settings_hash(&s) == atn_plan_settings_hash(&other));
    atn_plan_settings_free(&other);
    atn_plan_settings_default(&other);
    assert_true(atn_plan_settings_hash(&s) != atn_plan_settings_hash(&other));
    atn_plan_settings_free(&s);
    atn_plan_settings_free(&other);
    free(bytes);
}

static void the_reference_page_is_up_to_date(void **state)
{
    (void)state;
    char *text, *kept;
    size_t bytes;
    atn_error err = {0};
    FILE *f = open_memstream(&text, &bytes);
    atn_plan_settings_document(f);
    fclose(f);
    assert_int_equal(atn_read_file(ATN_SOURCE_DIR "/docs/settings.md", &kept, NULL, &err), ATN_OK);
    assert_string_equal(text, kept);
    free(text);
    free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fit_their_table),
        cmocka_unit_test(values_are_taken_from_the_environment),
        cmocka_unit_test(bad_values_name_variable_and_range),
        cmocka_unit_test(unknown_variables_are_reported),
        cmocka_unit_test(reports_go_nowhere_to_stderr_or_to_a_file),
        cmocka_unit_test(jobs_learn_under_attune_run),
        cmocka_unit_test(packed_settings_round_trip),
        cmocka_unit_test(the_reference_page_is_up_to_date),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
