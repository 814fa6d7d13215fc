/* cmd_wisdom_diff.c - attune wisdom diff: the rules of two files. */
#include <stdlib.h>
#include <string.h>

#include "cli/wisdom/wisdom.h"
#include "plan/wisdom.h"

typedef enum { REMOVED, ADDED, BEFORE, AFTER } change;

static const struct {
    const char *word;
    char sign;
} changes[] = {
    [REMOVED] = {"removed", '-'},
    [ADDED] = {"added", '+'},
    [BEFORE] = {"before", '-'},
    [AFTER] = {"after", '+'},
};

typedef struct {
    FILE *text; /* NULL: a table is written at the end */
    atn_table t;
    int n;
    bool failed;
} differences;

/* ---- one rule ---- */

static const atn_rule *find_same(const atn_rules *rules, const atn_rule *rule)
{
    for (int i = 0; i < atn_plan_rules_count(rules); i++)
        if (atn_plan_rule_same_problem(atn_plan_rules_at(rules, i), rule))
            return atn_plan_rules_at(rules, i);
    return NULL;
}

/* NULL: out of memory. */
static char *line_of(const atn_rule *rule)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = atn_open_text(&text, &bytes);
    if (f == NULL)
        return NULL;
    if (rule->place != 0)
        fprintf(f, "at %s: ", atn_interned(rule->place));
    atn_plan_rule_print(f, rule);
    return fclose(f) == 0 ? text : NULL;
}

static void put(differences *d, change what, const atn_rule *rule, const char *line)
{
    if (d->text != NULL) {
        fprintf(d->text, "%c %s", changes[what].sign, line);
    } else {
        atn_report_cell(&d->t, "%s", changes[what].word);
        atn_cli_wisdom_cells(&d->t, rule);
    }
}

/* `news` NULL: the rule is only in one file. */
static void compare(differences *d, change what, const atn_rule *rule, const atn_rule *news)
{
    char *const mine = line_of(rule), *const theirs = news != NULL ? line_of(news) : NULL;
    if (mine == NULL || (news != NULL && theirs == NULL)) {
        d->failed = true;
    } else if (news == NULL) {
        put(d, what, rule, mine);
        d->n++;
    } else if (strcmp(mine, theirs) != 0) {
        put(d, BEFORE, rule, mine);
        put(d, AFTER, news, theirs);
        d->n++;
    }
    free(mine);
    free(theirs);
}

/* ---- two files ---- */

static void compare_all(differences *d, const atn_rules *old, const atn_rules *news)
{
    for (int i = 0; i < atn_plan_rules_count(old); i++) {
        const atn_rule *const rule = atn_plan_rules_at(old, i);
        compare(d, REMOVED, rule, find_same(news, rule));
    }
    for (int i = 0; i < atn_plan_rules_count(news); i++) {
        const atn_rule *const rule = atn_plan_rules_at(news, i);
        if (find_same(old, rule) == NULL)
            compare(d, ADDED, rule, NULL);
    }
}

static atn_status write_differences(const atn_args *a, const atn_rules *old, const atn_rules *news,
                                    atn_error *err)
{
    atn_column columns[ATN_WISDOM_COLUMNS + 1] = {{"change", ATN_CELL_TEXT}};
    memcpy(columns + 1, atn_cli_wisdom_columns, ATN_WISDOM_COLUMNS * sizeof *columns);
    const bool text = strcmp(atn_cli_arg_format(a), "text") == 0;
    differences d = {.text = text ? a->out : NULL,
                     .t = {.columns = columns, .ncolumns = ATN_WISDOM_COLUMNS + 1}};
    atn_status status = ATN_OK;
    compare_all(&d, old, news);
    d.t.failed = d.t.failed || d.failed;
    if (!text)
        status = atn_cli_arg_table(a, &d.t, err);
    else if (d.failed)
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK && d.n > 0)
        status = ATN_FINDING;
    return status;
}

static int run_diff(const atn_args *a, atn_error *err)
{
    atn_rules *old = NULL, *news = NULL;
    atn_status status = atn_plan_rules_read(a->operands[0], &old, err);
    if (status == ATN_OK)
        status = atn_plan_rules_read(a->operands[1], &news, err);
    if (status == ATN_OK)
        status = write_differences(a, old, news, err);
    atn_plan_rules_free(old);
    atn_plan_rules_free(news);
    return status;
}

static const char *const formats[] = {"text", "table", "csv", "json", NULL};

const atn_command atn_cmd_wisdom_diff = {
    .noun = "wisdom",
    .verb = "diff",
    ATN_OPERANDS("OLD NEW", 2, 2),
    .help = "Compare the rules of two files",
    .detail =
        "Lines of OLD are marked with -, lines of NEW with +; order and alignment are ignored. In "
        "tables, 'change' is removed, added, or before and after for the two versions of a rule. "
        "The exit status is 1 if there are differences.",
    .examples = ATN_NOTES({"attune wisdom diff old.wisdom new.wisdom", "Compare two files"}),
    .formats = formats,
    .flags = ATN_CMD_OUTPUT,
    .run = run_diff,
};
