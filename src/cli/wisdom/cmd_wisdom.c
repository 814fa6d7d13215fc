/* cmd_wisdom.c - attune wisdom show, check, merge, forget. */
#include <stdlib.h>
#include <string.h>

#include "cli/findings.h"
#include "cli/wisdom/wisdom.h"
#include "plan/settings.h"
#include "plan/wisdom.h"

/* ---- show ---- */

/* All files that jobs read, merged. */
static atn_status load_all(atn_rules **rules_p, atn_error *err)
{
    const char *job = getenv(atn_plan_setting_get(ATN_SET_WISDOM)->name);
    atn_wisdom_files files;
    char *warning;
    atn_plan_wisdom_find(job != NULL ? job : "", getenv("HOME"), getenv("XDG_DATA_HOME"), &files);
    const atn_status status = atn_plan_wisdom_load(&files, rules_p, &warning, err);
    if (status == ATN_OK && warning != NULL)
        fputs(warning, stderr);
    if (status == ATN_OK)
        free(warning);
    return status;
}

static int run_show(const atn_args *a, atn_error *err)
{
    atn_rules *rules;
    atn_status status =
        a->noperands > 0 ? atn_plan_rules_read(a->operands[0], &rules, err) : load_all(&rules, err);
    if (status != ATN_OK)
        return status;
    if (a->command->formats != NULL && strcmp(atn_cli_arg_format(a), "text") != 0)
        status = atn_cli_wisdom_table(a, rules, err);
    else if (!atn_plan_rules_print(a->out, rules))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    atn_plan_rules_free(rules);
    return status;
}

static const char *const show_formats[] = {"text", "table", "csv", "json", NULL};

const atn_command atn_cmd_wisdom_show = {
    .noun = "wisdom",
    .verb = "show",
    ATN_OPERANDS("[FILE]", 0, 1),
    .help = "Check wisdom and print it sorted and aligned",
    .detail =
        "Comments, provenance, measured fields and the precedence of rules are kept. With -o, "
        "FILE may be rewritten in place. Without FILE, the merged rules of the job "
        "(ATTUNE_WISDOM), the user and the system are printed.",
    .examples =
        ATN_NOTES({"attune wisdom show", "Print the rules that jobs use"},
                  {"attune wisdom show cluster.wisdom -o cluster.wisdom", "Format a file in place"},
                  {"attune wisdom show --format json", "Print the rules for a program to read"}),
    .formats = show_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = run_show,
};

/* The older name of `attune wisdom show`. */
const atn_command atn_cmd_rules_show = {
    .noun = "rules",
    .verb = "show",
    ATN_OPERANDS("FILE", 1, 1),
    .help = "Older name of 'attune wisdom show'",
    .flags = ATN_CMD_OUTPUT | ATN_CMD_HIDDEN,
    .run = run_show,
};

/* ---- check ---- */

static bool covers(atn_span a, atn_span b) { return a.lo <= b.lo && b.hi <= a.hi; }

/* Weaker evidence after better evidence is not a finding, because samples may be added to it. */
static bool is_weaker(const atn_rule *rule, const atn_rule *before)
{
    return atn_plan_rule_backing(rule) == ATN_MEASURED &&
           atn_plan_rule_backing(before) == ATN_MEASURED &&
           !atn_plan_rule_same_problem(rule, before) && atn_plan_rule_certainty(before, rule) < 0;
}

/* An earlier rule that covers this one; -1: none. */
static int shadowing(const atn_rules *rules, int i)
{
    const atn_rule *rule = atn_plan_rules_at(rules, i);
    for (int j = 0; j < i; j++) {
        const atn_rule *before = atn_plan_rules_at(rules, j);
        if (before->op == rule->op && before->place == rule->place &&
            covers(before->ranks, rule->ranks) && covers(before->bytes, rule->bytes) &&
            !is_weaker(rule, before))
            return j;
    }
    return -1;
}

static void check_rule(atn_reported *r, const char *file, const atn_rules *rules, int i)
{
    const atn_rule *rule = atn_plan_rules_at(rules, i);
    const int before = shadowing(rules, i);
    const struct {
        bool wrong;
        const char *what;
    } findings[] = {
        {rule->next_ps >= 0 && rule->time_ps > rule->next_ps,
         "the runner-up was faster; measure again, or use it"},
        {rule->ci_ps >= 0 && rule->time_ps >= 0 && 2 * rule->ci_ps > rule->time_ps,
         "the confidence interval is as wide as the time; measure again"},
        {rule->samples >= 0 && rule->samples < 3, "fewer than three samples; measure again"},
        {rule->next.row != NULL && atn_plan_same_choice(&rule->use, &rule->next),
         "the runner-up equals the winner; remove next="},
    };
    if (before >= 0)
        atn_cli_findings_add(r, file, rule->line, "warning",
                             "never used where the algorithm of line %d is applicable; remove one",
                             atn_plan_rules_at(rules, before)->line);
    for (size_t k = 0; k < sizeof findings / sizeof *findings; k++)
        if (findings[k].wrong)
            atn_cli_findings_add(r, file, rule->line, "warning", "%s", findings[k].what);
}

static atn_status check_file(atn_reported *r, const char *file, atn_error *err)
{
    const int before = r->n;
    atn_rules *rules;
    const atn_status status = atn_plan_rules_read(file, &rules, err);
    if (status != ATN_OK)
        return status;
    const int n = atn_plan_rules_count(rules);
    for (int i = 0; i < n; i++)
        check_rule(r, file, rules, i);
    if (r->n == before && r->text != NULL)
        fprintf(r->text, "%s: %d rule%s, no findings\n", file, n, n == 1 ? "" : "s");
    atn_plan_rules_free(rules);
    return ATN_OK;
}

static int run_check(const atn_args *a, atn_error *err)
{
    atn_reported r = atn_cli_findings_begin(a);
    atn_status status = ATN_OK;
    for (int k = 0; k < a->noperands && status == ATN_OK; k++)
        status = check_file(&r, a->operands[k], err);
    if (status == ATN_OK)
        status = atn_cli_findings_end(&r, err);
    atn_report_table_free(&r.t);
    if (status == ATN_OK && r.n > 0)
        status = ATN_FINDING;
    return status;
}

const atn_command atn_cmd_wisdom_check = {
    .noun = "wisdom",
    .verb = "check",
    ATN_OPERANDS("FILE...", 1, 1000),
    .help = "Find rules that are never used or lack evidence",
    .detail = "The exit status is 1 if there are findings.",
    .examples = ATN_NOTES({"attune wisdom check cluster.wisdom", "Check a file"}),
    .formats = atn_cli_findings_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = run_check,
};

/* ---- merge ---- */

/* All files are read before any change, because a repetition after an invalid file would count the
 * samples of earlier files twice. */
static int run_merge(const atn_args *a, atn_error *err)
{
    const int n = a->noperands - 1;
    atn_rules **news = calloc((size_t)n, sizeof(atn_rules *));
    atn_status status = news != NULL ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; i < n && status == ATN_OK; i++)
        status = atn_plan_rules_read(a->operands[i + 1], &news[i], err);
    for (int i = 0; i < n && status == ATN_OK; i++)
        status = atn_plan_wisdom_merge(a->operands[0], news[i], err);
    for (int i = 0; i < n && news != NULL; i++)
        atn_plan_rules_free(news[i]);
    free(news);
    return status;
}

const atn_command atn_cmd_wisdom_merge = {
    .noun = "wisdom",
    .verb = "merge",
    ATN_OPERANDS("INTO FILE...", 2, 1000),
    .help = "Merge wisdom files into one file",
    .detail = "INTO is created if missing and replaced atomically, under a lock that jobs use as "
              "well. Of two rules for one problem, the one with better evidence is kept; see "
              "docs/wisdom-format.md. If INTO is damaged, it is not changed, and the new rules are "
              "written to INTO.unmerged.",
    .examples = ATN_NOTES({"attune wisdom merge cluster.wisdom job1.wisdom job2.wisdom",
                           "Merge the wisdom of two jobs"}),
    .files = ATN_NOTES({"FILE.lock", "Lock of a wisdom file"},
                       {"FILE.unmerged", "New rules, if the wisdom file is damaged"}),
    .run = run_merge,
};

/* ---- forget ---- */

static const atn_option forget_options[] = {
    ATN_LIST("operation", "NAME", "Rules of this operation"),
    ATN_TEXT("ranks", "RANGE", NULL, "Rules whose ranks are within RANGE"),
    ATN_TEXT("bytes", "RANGE", NULL, "Rules whose sizes are within RANGE"),
    ATN_TEXT("at", "PLACE", NULL,
             "Rules of the section PLACE (MACHINE/LAYOUT; *: outside sections)"),
    ATN_TEXT("before", "DATE", NULL, "Rules last measured before DATE, or at an unknown time"),
    ATN_FLAG("guesses", "Only rules without measurements"),
    ATN_FLAG("by-hand", "Also rules written by hand"),
    {0},
};

static atn_status read_operations(const atn_args *a, atn_forgetting *what, atn_error *err)
{
    for (int i = 0; i < atn_cli_arg_count(a, "operation"); i++) {
        atn_operation op;
        const char *name = atn_cli_arg_nth(a, "operation", i);
        if (!atn_sched_operation_find(name, &op)) {
            atn_error error = {0};
            atn_plan_unknown_operation(name, &error);
            return atn_fail(err, ATN_USAGE, "%s", error.text);
        }
        what->operations |= 1u << op;
    }
    return ATN_OK;
}

static bool read_span(const atn_args *a, const char *name, atn_span *span)
{
    const char *text = atn_cli_arg_text(a, name);
    return atn_plan_span_parse(text != NULL ? text : "*", span);
}

static atn_status read_forgetting(const atn_args *a, atn_forgetting *what, atn_error *err)
{
    const char *place = atn_cli_arg_text(a, "at"), *before = atn_cli_arg_text(a, "before");
    *what = (atn_forgetting){.place = -1,
                             .before = -1,
                             .guesses = atn_cli_arg_given(a, "guesses"),
                             .by_hand = atn_cli_arg_given(a, "by-hand")};
    if (!read_span(a, "ranks", &what->ranks) || !read_span(a, "bytes", &what->bytes))
        return atn_fail(err, ATN_USAGE, "a range is LO:HI, LO:, :HI, one number, or *");
    if (place != NULL && !atn_plan_place_parse(place, &what->place))
        return atn_fail(err, ATN_USAGE, "--at %.60s: write MACHINE/LAYOUT, or *", place);
    if (before != NULL && !atn_plan_date_parse(before, &what->before))
        return atn_fail(err, ATN_USAGE, "--before %.60s: write 2026-02-03", before);
    return read_operations(a, what, err);
}

static int run_forget(const atn_args *a, atn_error *err)
{
    atn_forgetting what;
    int n = 0;
    if (a->given.n == 0)
        return atn_fail(err, ATN_USAGE,
                        "no rules selected; --ranks '*' selects all measured rules");
    atn_status status = read_forgetting(a, &what, err);
    if (status == ATN_OK)
        status = atn_plan_wisdom_forget(a->operands[0], &what, &n, err);
    if (status == ATN_OK)
        printf("%s: %d rule%s removed\n", a->operands[0], n, n == 1 ? "" : "s");
    return status;
}

const atn_command atn_cmd_wisdom_forget = {
    .noun = "wisdom",
    .verb = "forget",
    ATN_OPERANDS("FILE", 1, 1),
    .help = "Remove measured rules from a file",
    .detail =
        "Removes rules that match all options; rules written by hand are kept unless --by-hand "
        "is given.",
    .examples = ATN_NOTES(
        {"attune wisdom forget cluster.wisdom --before 2026-01-01", "Remove old measurements"}),
    .options = forget_options,
    .run = run_forget,
};
