/* rules.c - the rule table: lifetime, what is derived from it, and choosing. */
#include "plan/rules.h"

#include <stdlib.h>
#include <string.h>

#include "plan/here.h"
#include "plan/rules_private.h"
#include "sched/canonical.h"

atn_rules *atn_plan_rules_empty(void)
{
    atn_rules *rules = calloc(1, sizeof *rules);
    if (rules != NULL && !atn_plan_rules_seal(rules)) {
        free(rules);
        return NULL;
    }
    return rules;
}

atn_rule atn_plan_rule_blank(atn_operation op)
{
    return (atn_rule){.op = op,
                      .ranks = atn_plan_any,
                      .bytes = atn_plan_any,
                      .time_ps = -1,
                      .ci_ps = -1,
                      .next_ps = -1,
                      .samples = -1,
                      .date = -1};
}

bool atn_plan_rules_append(atn_rules *rules, const atn_rule *rule)
{
    atn_rule copy = *rule;
    if (rule->note != NULL && (copy.note = strdup(rule->note)) == NULL)
        return false;
    if (atn_push(&rules->list, copy))
        return true;
    free(copy.note);
    return false;
}

bool atn_plan_rules_describe(atn_rules *rules, const char *key, const char *value)
{
    char *copy = strdup(value);
    for (int i = 0; copy != NULL && i < rules->provenance.n; i++)
        if (strcmp(rules->provenance.v[i].key, key) == 0) {
            free(rules->provenance.v[i].value);
            rules->provenance.v[i].value = copy;
            return atn_plan_rules_seal(rules);
        }
    atn_provenance entry = {.key = strdup(key), .value = copy};
    if (copy != NULL && entry.key != NULL && atn_push(&rules->provenance, entry))
        return atn_plan_rules_seal(rules);
    free(entry.key);
    free(copy);
    return false;
}

/* A key that a file has twice is one entry, with the last value and the last note. */
static bool copy_note(atn_rules *rules, const atn_provenance *from)
{
    int i = 0;
    if (from->note == NULL)
        return true;
    while (strcmp(rules->provenance.v[i].key, from->key) != 0)
        i++;
    free(rules->provenance.v[i].note);
    return (rules->provenance.v[i].note = strdup(from->note)) != NULL;
}

static bool copy_provenance(atn_rules *rules, const atn_rules *like)
{
    for (int i = 0; i < like->provenance.n; i++) {
        const atn_provenance *from = &like->provenance.v[i];
        if (!atn_plan_rules_describe(rules, from->key, from->value))
            return false;
        if (!copy_note(rules, from))
            return false;
    }
    return like->note == NULL || (rules->note = strdup(like->note)) != NULL;
}

atn_rules *atn_plan_rules_make(const atn_rule *list, int n, const atn_rules *like)
{
    atn_rules *rules = atn_plan_rules_empty();
    bool done = rules != NULL && (like == NULL || copy_provenance(rules, like));
    for (int i = 0; done && i < n; i++)
        done = atn_plan_rules_append(rules, &list[i]);
    if (done && atn_plan_rules_seal(rules))
        return rules;
    atn_plan_rules_free(rules);
    return NULL;
}

void atn_plan_rules_free(atn_rules *rules)
{
    if (rules == NULL)
        return;
    for (int i = 0; i < rules->list.n; i++)
        free(rules->list.v[i].note);
    for (int i = 0; i < rules->provenance.n; i++) {
        free(rules->provenance.v[i].key);
        free(rules->provenance.v[i].value);
        free(rules->provenance.v[i].note);
    }
    atn_vec_free(&rules->list);
    atn_vec_free(&rules->provenance);
    free(rules->note);
    free(rules->origin);
    free(rules);
}

bool atn_plan_rules_seal(atn_rules *rules)
{
    rules->operations = rules->random ? (1u << ATN_OPERATIONS) - 1 : 0;
    rules->forced = rules->operations;
    for (int op = 0; rules->model && op < ATN_OPERATIONS; op++)
        if (op == ATN_BARRIER || atn_plan_shares_bytes((atn_operation)op))
            rules->operations |= 1u << op;
    for (int i = 0; i < rules->list.n; i++) {
        const atn_rule *rule = &rules->list.v[i];
        if (rule->use.row->algo->build != NULL && rule->place == 0)
            rules->operations |= 1u << rule->op;
        if (rule->forced)
            rules->forced |= 1u << rule->op;
    }
    char *text;
    size_t bytes;
    if (atn_plan_rules_pack(rules, &text, &bytes, NULL) != ATN_OK)
        return false;
    rules->hash = atn_hash(text, bytes, ATN_WISDOM_VERSION);
    free(text);
    return true;
}

int atn_plan_rules_count(const atn_rules *rules) { return rules->list.n; }
const atn_rule *atn_plan_rules_at(const atn_rules *rules, int i) { return &rules->list.v[i]; }
uint32_t atn_plan_rules_operations(const atn_rules *rules) { return rules->operations; }
uint32_t atn_plan_rules_forced(const atn_rules *rules) { return rules->forced; }
bool atn_plan_rules_plan(const atn_rules *rules) { return rules->model; }
bool atn_plan_rules_per_call(const atn_rules *rules) { return rules->random; }
uint64_t atn_plan_rules_hash(const atn_rules *rules) { return rules->hash; }

const char *atn_plan_rules_provenance(const atn_rules *rules, const char *key)
{
    for (int i = 0; i < rules->provenance.n; i++)
        if (strcmp(rules->provenance.v[i].key, key) == 0)
            return rules->provenance.v[i].value;
    return NULL;
}

bool atn_plan_rules_entry(const atn_rules *rules, int i, const char **key_p, const char **value_p)
{
    if (i >= rules->provenance.n)
        return false;
    *key_p = rules->provenance.v[i].key;
    *value_p = rules->provenance.v[i].value;
    return true;
}

/* ---- places ---- */

enum { EXACT_PLACE, ANY_LAYOUT, ANY_MACHINE, EVERYWHERE, OTHER_LAYOUT, ELSEWHERE };

static bool part_fits(const char *part, size_t n, const char *here, size_t m)
{
    return (n == 1 && *part == '*') || (n == m && memcmp(part, here, n) == 0);
}

/* How well a place fits; smaller is better. */
static int place_fit(int64_t place, const char *here)
{
    const char *text = atn_interned(place);
    const size_t n = strcspn(text, "/"), m = strcspn(here, "/");
    if (place == 0)
        return EVERYWHERE;
    if (here[m] == '\0' || !part_fits(text, n, here, m) || strstr(text, ATN_PLACE_OWNER) != NULL)
        return ELSEWHERE;
    if (!part_fits(text + n + 1, strlen(text + n + 1), here + m + 1, strlen(here + m + 1)))
        return OTHER_LAYOUT;
    if (*text == '*')
        return ANY_MACHINE;
    return text[n + 1] == '*' && text[n + 2] == '\0' ? ANY_LAYOUT : EXACT_PLACE;
}

static int fit_of(const atn_rule *rule, const char *here)
{
    return rule->forced ? -1 : place_fit(rule->place, here);
}

bool atn_plan_rules_narrow(atn_rules *rules, const char *here, bool others)
{
    const int last = others ? OTHER_LAYOUT : EVERYWHERE;
    atn_rules kept = {0};
    for (int fit = -1; fit <= last; fit++)
        for (int i = 0; i < rules->list.n; i++) {
            const atn_rule *rule = &rules->list.v[i];
            if (fit_of(rule, here) != fit)
                continue;
            if (!atn_push(&kept.list, *rule)) {
                atn_vec_free(&kept.list);
                return false;
            }
            if (fit <= EVERYWHERE)
                kept.list.v[kept.list.n - 1].place = 0;
        }
    for (int i = 0; i < rules->list.n; i++)
        if (fit_of(&rules->list.v[i], here) > last)
            free(rules->list.v[i].note);
    atn_vec_free(&rules->list);
    memcpy(&rules->list, &kept.list, sizeof rules->list);
    return atn_plan_rules_seal(rules);
}

/* ---- choosing ---- */

/* MPI_IN_PLACE is known to all ranks only where every rank must pass it. */
static bool shares_in_place(atn_operation op)
{
    switch (op) {
    case ATN_ALLGATHER:
    case ATN_ALLGATHERV:
    case ATN_ALLTOALL:
    case ATN_ALLTOALLV:
    case ATN_ALLTOALLW:
    case ATN_ALLREDUCE:
    case ATN_REDUCE_SCATTER_BLOCK:
        return true;
    default:
        return false;
    }
}

/* The problem without data of this rank alone: no algorithm can then use it by mistake. */
static atn_problem shared_part(const atn_problem *q)
{
    atn_problem shared = *q;
    shared.r = 0;
    shared.in_place = q->in_place && shares_in_place(q->op);
    return shared;
}

const char *atn_plan_choice_refuses(const atn_choice *choice, const atn_problem *q)
{
    atn_problem cut = *q;
    cut.segments = atn_algo_segments(choice->row, q, &choice->params);
    return atn_algo_refuses(choice->row, &cut, &choice->params);
}

static bool matches(const atn_rule *rule, const atn_problem *q)
{
    return rule->op == q->op && rule->place == 0 && atn_plan_in_span(rule->ranks, q->p) &&
           atn_plan_in_span(rule->bytes, q->bytes);
}

/* Native, unless its order of operands must not be used. */
void atn_plan_choose_nothing(const atn_problem *q, atn_choice *choice_p)
{
    if (atn_sched_wants_canonical(q)) {
        choice_p->row = atn_algo_canonical_default(q, &choice_p->params);
        return;
    }
    choice_p->row = atn_algo_catalog_native(q->op);
    atn_algo_params_default(choice_p->row, &choice_p->params);
}

static void choose_by_rule(const atn_rules *rules, const atn_problem *q, atn_choice *choice_p,
                           atn_reason *reason)
{
    for (int i = 0; i < rules->list.n; i++) {
        const atn_rule *rule = &rules->list.v[i];
        if (!matches(rule, q))
            continue;
        const char *why = atn_plan_choice_refuses(&rule->use, q);
        if (why == NULL) {
            *choice_p = rule->use;
            reason->rule = i;
            return;
        }
        if (reason->refused < 0) {
            reason->refused = i;
            reason->why = why;
        }
    }
    atn_plan_choose_nothing(q, choice_p);
}

void atn_plan_rules_choose(const atn_rules *rules, const atn_problem *q, uint64_t call,
                           atn_choice *choice_p, atn_reason *reason_p)
{
    const atn_problem shared = shared_part(q);
    atn_reason reason = {.rule = -1, .refused = -1};
    if (rules->random)
        atn_plan_choose_random(rules->seed, &shared, call, choice_p);
    else
        choose_by_rule(rules, &shared, choice_p, &reason);
    if (reason_p != NULL)
        *reason_p = reason;
}

static void print_place(const atn_rules *rules, const atn_rule *rule, char *out, size_t size)
{
    if (rule->forced)
        snprintf(out, size, "ATTUNE_ALGORITHM");
    else
        snprintf(out, size, "%s:%d", rules->origin != NULL ? rules->origin : "rules", rule->line);
}

void atn_plan_reason_print(const atn_rules *rules, const atn_reason *reason, const atn_problem *q,
                           const atn_choice *choice, char *out, size_t size)
{
    const atn_rule *rule = &rules->list.v[reason->refused];
    char place[256], used[ATN_WORD_ROOM];
    print_place(rules, rule, place, sizeof place);
    atn_plan_choice_print(choice, used);
    snprintf(out, size, "%s: %s cannot serve %s on %d ranks: %s; using %s instead", place,
             rule->use.row->name, atn_sched_operation_get(q->op)->name, q->p, reason->why, used);
}
