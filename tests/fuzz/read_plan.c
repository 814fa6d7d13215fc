/* read_plan.c - wisdom, calibrations, machines, settings and what ranks send each other as text. */
#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"
#include "model/expr.h"
#include "model/machine.h"
#include "plan/rules.h"
#include "plan/settings.h"
#include "plan/store.h"
#include "readers.h"
#include "tune/candidate_set.h"
#include "tune/order.h"

static char *printed(const atn_rules *rules)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);
    const bool done = f != NULL && atn_plan_rules_print(f, rules);
    if (f != NULL)
        fclose(f);
    atn_fuzz_expect(done, "wisdom can be printed");
    return text;
}

/* What was read is written, and must be readable. */
static void wisdom_again(const atn_rules *rules)
{
    atn_rules *again = NULL;
    atn_error err = {0};
    char *const text = printed(rules);
    atn_plan_rules_parse(text, strlen(text), "again", &again, &err);
    if (again == NULL)
        fprintf(stderr, "%s\n%s\n", err.text, text);
    atn_fuzz_expect(again != NULL, "printed wisdom can be read");
    char *const other = printed(again);
    atn_fuzz_expect(strcmp(text, other) == 0, "printed wisdom has the same rules");
    atn_plan_rules_free(again);
    free(text);
    free(other);
}

static void wisdom_packed(const atn_rules *rules)
{
    char *text = NULL;
    size_t bytes = 0;
    atn_rules *again = NULL;
    if (atn_plan_rules_pack(rules, &text, &bytes, NULL) == ATN_OK)
        atn_fuzz_expect(atn_plan_rules_unpack(text, bytes, &again, NULL) == ATN_OK,
                        "packed wisdom can be unpacked");
    atn_plan_rules_free(again);
    free(text);
}

void atn_fuzz_wisdom(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    atn_rules *rules = NULL, *unpacked = NULL;
    atn_error err = {0}, other = {0};
    atn_fuzz_judge(atn_plan_rules_parse(text, bytes, "input", &rules, &err), &err);
    atn_plan_rules_unpack(text, bytes, &unpacked, &other);
    if (rules != NULL) {
        wisdom_again(rules);
        wisdom_packed(rules);
        atn_rules *const joined = atn_plan_wisdom_join(rules, rules);
        atn_plan_rules_free(joined);
        atn_plan_rules_narrow(rules, "some-mpi/block", true);
    }
    atn_plan_rules_free(unpacked);
    atn_plan_rules_free(rules);
}

void atn_fuzz_store(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    atn_store s = {0}, again = {0};
    atn_error err = {0};
    const atn_status status = atn_plan_store_parse(text, bytes, "input", &s, &err);
    atn_fuzz_judge(status, &err);
    if (status == ATN_OK) {
        size_t printed = 0;
        char *const out = atn_plan_store_print(&s, &printed);
        if (out != NULL)
            atn_fuzz_expect(atn_plan_store_parse(out, printed, "again", &again, NULL) == ATN_OK &&
                                again.list.n == s.list.n,
                            "a printed calibration can be read");
        free(out);
    }
    atn_plan_store_free(&again);
    atn_plan_store_free(&s);
    atn_error checked = {0};
    s = (atn_store){0};
    atn_fuzz_judge(atn_plan_store_read(atn_fuzz_file(text, bytes), &s, &checked), &checked);
    atn_plan_store_free(&s);
}

void atn_fuzz_machine(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    atn_machine *m = NULL, *again = NULL;
    atn_error err = {0}, other = {0};
    atn_fuzz_judge(atn_model_machine_parse(text, bytes, "input", &m, &err), &err);
    char *const out = m != NULL ? atn_model_machine_print(m) : NULL;
    if (out != NULL) {
        atn_model_machine_parse(out, strlen(out), "again", &again, &other);
        if (again == NULL)
            fprintf(stderr, "%s\n%s\n", other.text, out);
        atn_fuzz_expect(again != NULL, "a printed machine can be read");
    }
    for (int c = -1; m != NULL && (c = atn_model_machine_next(m, c)) >= 0;)
        atn_model_channel_message(m, c, 1000);
    free(out);
    atn_model_machine_free(again);
    atn_model_machine_free(m);
}

/* ---- settings ---- */

enum { VARIABLES = 64 };

void atn_fuzz_settings(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    char *environment[VARIABLES + 1] = {0}, *warning = NULL, *packed = NULL;
    size_t size = 0;
    atn_settings s, again;
    atn_error err = {0}, other = {0};
    atn_plan_settings_default(&again);
    atn_plan_settings_unpack(&again, text, bytes, &other);
    atn_plan_settings_free(&again);
    int n = 0;
    for (char *word; n < VARIABLES && (word = strsep(&text, "\n")) != NULL;)
        environment[n++] = word;
    atn_plan_settings_default(&s);
    const atn_status status = atn_plan_settings_environ(&s, environment, &warning, &err);
    atn_fuzz_judge(status, &err);
    if (status == ATN_OK && atn_plan_settings_pack(&s, &packed, &size, NULL) == ATN_OK) {
        atn_plan_settings_default(&again);
        atn_fuzz_expect(atn_plan_settings_unpack(&again, packed, size, NULL) == ATN_OK &&
                            atn_plan_settings_hash(&again) == atn_plan_settings_hash(&s),
                        "packed settings can be unpacked");
        atn_plan_settings_free(&again);
    }
    free(packed);
    free(warning);
    atn_plan_settings_free(&s);
}

/* ATTUNE_ALGORITHM, then ATTUNE_SELECT on the second line. */
void atn_fuzz_forced(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    (void)bytes;
    atn_rules *rules = NULL;
    atn_error err = {0};
    const char *const forced = strsep(&text, "\n");
    atn_fuzz_judge(atn_plan_rules_load(NULL, forced, text, &rules, &err), &err);
    if (rules != NULL)
        wisdom_packed(rules);
    atn_plan_rules_free(rules);
}

/* ---- what ranks send each other ---- */

void atn_fuzz_order(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    static atn_candidate_set set;
    atn_call_order order;
    char *const other = strdup(text);
    const atn_operation op =
        bytes > 0 ? (atn_operation)((unsigned char)text[0] % ATN_OPERATIONS) : 0;
    if (other != NULL) {
        atn_tune_order_read(op, other, &order);
        atn_tune_candidate_set_read(op, text, &set);
    }
    free(other);
}
