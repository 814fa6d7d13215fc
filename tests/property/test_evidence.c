/* test_evidence.c - rules added by jobs never replace better evidence, at any size; evidence
 * that the machine has changed does. */
#include <inttypes.h>
#include <stdio.h>

#include "all_ranks.h"
#include "plan/wisdom.h"
#include "trees.h"

enum { SETS = 400, JOBS = 4, MOST_RULES = 8 };

/* ---- tables ---- */

static const char *const names[] = {"linear", "chain", "binomial", "kary", "knomial", "native"};

typedef struct {
    uint64_t seed;
    int from, names; /* the candidate algorithms */
    bool octaves;    /* ranges are powers of two, as in online tuning */
} source;

static atn_choice choice_of(int i)
{
    atn_choice c = {.row = atn_algo_catalog_find(ATN_BCAST, names[i])};
    atn_algo_params_default(c.row, &c.params);
    return c;
}

static atn_span draw_span(source *x)
{
    const int lo = draw_below(&x->seed, 12), width = x->octaves ? 1 : 1 + draw_below(&x->seed, 6);
    const bool open = !x->octaves && draw_below(&x->seed, 5) == 0;
    return (atn_span){INT64_C(64) << lo, open ? INT64_MAX : INT64_C(64) << (lo + width)};
}

/* Intervals of 0.1 % to 200 %, or none. */
static atn_rule draw_rule(source *x, int64_t date)
{
    atn_rule rule = atn_plan_rule_blank(ATN_BCAST);
    rule.ranks = (atn_span){8, 9};
    rule.bytes = draw_span(x);
    rule.use = choice_of(x->from + draw_below(&x->seed, x->names));
    rule.time_ps = 1000000 + draw_below(&x->seed, 100000000);
    rule.samples = 1 + draw_below(&x->seed, 60);
    if (draw_below(&x->seed, 6) > 0)
        rule.ci_ps = rule.time_ps * (1 + draw_below(&x->seed, 2000)) / 1000;
    rule.date = date + draw_below(&x->seed, 3) - 1;
    return rule;
}

static atn_rules *draw_table(source *x, int64_t date)
{
    atn_rule list[MOST_RULES];
    const int n = 1 + draw_below(&x->seed, MOST_RULES);
    for (int i = 0; i < n; i++)
        list[i] = draw_rule(x, date);
    return atn_plan_rules_make(list, n, NULL);
}

static const atn_rule *answer(const atn_rules *rules, int64_t bytes)
{
    const atn_problem q = {.op = ATN_BCAST, .p = 8, .segments = 1, .bytes = bytes};
    atn_choice choice;
    atn_reason reason;
    atn_plan_rules_choose(rules, &q, 0, &choice, &reason);
    return reason.rule >= 0 ? atn_plan_rules_at(rules, reason.rule) : NULL;
}

/* ---- reference model of certainty ---- */

static double width(const atn_rule *rule)
{
    return rule->ci_ps < 0 ? 1e300 : (double)rule->ci_ps / (double)rule->time_ps;
}

static bool holds(const atn_rule *rule, int64_t bytes)
{
    return rule->bytes.lo <= bytes && bytes < rule->bytes.hi;
}

static bool same_row(const atn_rule *a, const atn_rule *b) { return a->use.row == b->use.row; }

static const atn_rule *same_problem(const atn_rules *rules, const atn_rule *rule)
{
    for (int i = 0; i < atn_plan_rules_count(rules); i++)
        if (atn_plan_rule_same_problem(atn_plan_rules_at(rules, i), rule))
            return atn_plan_rules_at(rules, i);
    return NULL;
}

/* Whether a rule of a job, or its successor, is evidence about the algorithm of the other rule. */
static bool measured_again(const atn_rule *rule, const atn_rule *was)
{
    return atn_plan_spans_overlap(rule->bytes, was->bytes) &&
           (same_row(rule, was) || rule->next.row == was->use.row);
}

typedef struct {
    const atn_rules *old, *job, *both;
} joined;

/* Whether the job has evidence of at least the same certainty there, alone or with earlier jobs, or
 * has measured the same algorithm again: only that may change the result. */
static bool may_change(const joined *x, const atn_rule *was, int64_t bytes)
{
    for (int i = 0; i < atn_plan_rules_count(x->job); i++) {
        const atn_rule *rule = atn_plan_rules_at(x->job, i), *before = same_problem(x->old, rule);
        const bool adds_up = before != NULL && same_row(before, rule);
        if ((holds(rule, bytes) && (width(rule) <= width(was) || adds_up)) ||
            measured_again(rule, was) || measured_again(same_problem(x->both, rule), was))
            return true;
    }
    return false;
}

/* ---- random sets ---- */

static bool check_sizes(const joined *x, int *checked, char why[200])
{
    for (int64_t b = 32; b <= INT64_C(64) << 19; b *= 2)
        for (int64_t bytes = b - 1; bytes <= b + 1; bytes++) {
            const atn_rule *was = answer(x->old, bytes), *is = answer(x->both, bytes);
            if (was == NULL || may_change(x, was, bytes))
                continue;
            ++*checked;
            if (is != NULL && same_row(was, is))
                continue;
            snprintf(why, 200, "%" PRId64 " bytes: %s +- %.3g was replaced by %s +- %.3g", bytes,
                     was->use.row->name, width(was), is ? is->use.row->name : "nothing",
                     is ? width(is) : 0);
            return false;
        }
    return true;
}

/* Several jobs in sequence add to tuned rules. */
static bool check_set(uint64_t seed, bool same_names, bool octaves, int *checked, char why[200])
{
    source tuned = {seed, 0, same_names ? 6 : 3, false};
    source jobs = {seed ^ 0x5555555, same_names ? 0 : 3, same_names ? 6 : 3, octaves};
    atn_rules *none = atn_plan_rules_empty(), *first = draw_table(&tuned, 1000);
    atn_rules *old = atn_plan_wisdom_join(none, first);
    bool ok = true;
    for (int k = 0; k < JOBS && ok; k++) {
        atn_rules *drawn = draw_table(&jobs, 1000 + k), *job = atn_plan_wisdom_join(none, drawn);
        atn_rules *both = atn_plan_wisdom_join(old, job);
        ok = check_sizes(&(joined){old, job, both}, checked, why);
        atn_plan_rules_free(drawn);
        atn_plan_rules_free(job);
        atn_plan_rules_free(old);
        old = both;
    }
    atn_plan_rules_free(none);
    atn_plan_rules_free(first);
    atn_plan_rules_free(old);
    return ok;
}

static void check_sets(bool same_names, bool octaves, const char *name)
{
    char why[200] = "too few rules were protected";
    int checked = 0;
    bool ok = true;
    for (uint64_t seed = 1; seed <= SETS && ok; seed++)
        ok = check_set(seed * UINT64_C(0x9e3779b97f4a7c15), same_names, octaves, &checked, why);
    tap(ok && checked > SETS, name, why);
    printf("# %d results were protected\n", checked);
}

/* ---- cases ---- */

static atn_rules *table(const char *lines)
{
    char text[1000];
    atn_rules *rules = NULL;
    snprintf(text, sizeof text, "attune-wisdom 1\n%send\n", lines);
    atn_plan_rules_parse(text, strlen(text), "t", &rules, NULL);
    return rules;
}

#define TUNED                                                                                      \
    "rule bcast ranks=8 bytes=4K:64K use=chain time=100us ci=1us samples=48 date=2026-01-01\n"

static const struct {
    const char *name, *old, *job;
    int64_t bytes;
    const char *use;
} cases[] = {
    {"a short run does not split a tuned rule", TUNED,
     "rule bcast ranks=8 bytes=4K:8K use=linear time=17us ci=22us samples=6 date=2026-01-02\n",
     5000, "bcast/chain"},
    {"one sample does not split a tuned rule", TUNED,
     "rule bcast ranks=8 bytes=4K:8K use=linear time=17us ci=0ps samples=1 date=2026-01-02\n", 5000,
     "bcast/chain"},
    {"better evidence splits it", TUNED,
     "rule bcast ranks=8 bytes=4K:8K use=linear time=50us ci=100ns samples=9 date=2026-01-02\n",
     5000, "bcast/linear"},
    {"but only in its range", TUNED,
     "rule bcast ranks=8 bytes=4K:8K use=linear time=50us ci=100ns samples=9 date=2026-01-02\n",
     9000, "bcast/chain"},
    {"a changed machine is detected", TUNED,
     "rule bcast ranks=8 bytes=4K:8K use=linear time=150us ci=5us samples=9 next=chain "
     "next_time=900us date=2026-01-02\n",
     5000, "bcast/linear"},
    {"a longer time at a larger size is not a change", TUNED,
     "rule bcast ranks=8 bytes=32K:64K use=linear time=150us ci=5us samples=9 next=chain "
     "next_time=900us date=2026-01-02\n",
     40000, "bcast/chain"},
    {"a difference within noise is not a change", TUNED,
     "rule bcast ranks=8 bytes=4K:8K use=linear time=150us ci=100us samples=9 next=chain "
     "next_time=900us date=2026-01-02\n",
     5000, "bcast/chain"},
    {"older evidence does not indicate a change", TUNED,
     "rule bcast ranks=8 bytes=4K:8K use=linear time=150us ci=5us samples=9 next=chain "
     "next_time=900us date=2025-01-02\n",
     5000, "bcast/chain"},
};

static void check_case(int i)
{
    atn_rules *old = table(cases[i].old), *job = table(cases[i].job);
    atn_rules *both = atn_plan_wisdom_join(old, job), *again = atn_plan_wisdom_join(both, job);
    const atn_rule *one = answer(both, cases[i].bytes), *other = answer(again, cases[i].bytes);
    tap(one != NULL && strcmp(one->use.row->name, cases[i].use) == 0, cases[i].name,
        one ? one->use.row->name : "nothing");
    tap(other != NULL && same_row(one, other), "idempotent", cases[i].name);
    atn_plan_rules_free(old);
    atn_plan_rules_free(job);
    atn_plan_rules_free(both);
    atn_plan_rules_free(again);
}

int main(void)
{
    check_sets(false, true, "jobs with power-of-two ranges, other algorithms");
    check_sets(false, false, "jobs with any ranges, other algorithms");
    check_sets(true, true, "jobs with power-of-two ranges, any algorithms");
    check_sets(true, false, "jobs with any ranges, any algorithms");
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
        check_case(i);
    return tap_end();
}
