/* rules.c - the rule table: lifetime, what is derived from it, and choosing. */
#include "plan/rules.h"

#include <stdlib.h>
#include <string.h>

#include "plan/rules_private.h"

atn_rules *atn_rules_empty(void)
{
    atn_rules *rules = calloc(1, sizeof *rules);
    if (rules != NULL && !atn_rules_seal(rules)) {
        free(rules);
        return NULL;
    }
    return rules;
}

void atn_rules_free(atn_rules *rules)
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

bool atn_rules_seal(atn_rules *rules)
{
    rules->operations = rules->random ? (1u << ATN_OPERATIONS) - 1 : 0;
    rules->forced = rules->operations;
    for (int i = 0; i < rules->list.n; i++) {
        const atn_rule *rule = &rules->list.v[i];
        if (rule->use.row->algo->build != NULL)
            rules->operations |= 1u << rule->op;
        if (rule->forced)
            rules->forced |= 1u << rule->op;
    }
    char *text;
    size_t bytes;
    if (atn_rules_pack(rules, &text, &bytes, NULL) != ATN_OK)
        return false;
    rules->hash = atn_hash(text, bytes, ATN_WISDOM_VERSION);
    free(text);
    return true;
}

int atn_rules_count(const atn_rules *rules) { return rules->list.n; }
const atn_rule *atn_rules_at(const atn_rules *rules, int i) { return &rules->list.v[i]; }
uint32_t atn_rules_operations(const atn_rules *rules) { return rules->operations; }
uint32_t atn_rules_forced(const atn_rules *rules) { return rules->forced; }
bool atn_rules_per_call(const atn_rules *rules) { return rules->random; }
uint64_t atn_rules_hash(const atn_rules *rules) { return rules->hash; }

const char *atn_rules_provenance(const atn_rules *rules, const char *key)
{
    for (int i = 0; i < rules->provenance.n; i++)
        if (strcmp(rules->provenance.v[i].key, key) == 0)
            return rules->provenance.v[i].value;
    return NULL;
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

/* The problem without what only this rank knows: no algorithm can then see it by mistake. */
static atn_problem shared_part(const atn_problem *q)
{
    atn_problem shared = *q;
    shared.r = 0;
    shared.in_place = q->in_place && shares_in_place(q->op);
    return shared;
}

const char *atn_choice_refuses(const atn_choice *choice, const atn_problem *q)
{
    atn_problem cut = *q;
    cut.pieces = atn_pieces(choice->row, q, &choice->params);
    return atn_refuses(choice->row, &cut, &choice->params);
}

static bool matches(const atn_rule *rule, const atn_problem *q)
{
    return rule->op == q->op && atn_in_span(rule->ranks, q->p) &&
           atn_in_span(rule->bytes, q->bytes);
}

static void choose_native(const atn_problem *q, atn_choice *choice_p)
{
    choice_p->row = atn_catalog_native(q->op);
    atn_params_default(choice_p->row, &choice_p->params);
}

static void choose_by_rule(const atn_rules *rules, const atn_problem *q, atn_choice *choice_p,
                           atn_reason *reason)
{
    for (int i = 0; i < rules->list.n; i++) {
        const atn_rule *rule = &rules->list.v[i];
        if (!matches(rule, q))
            continue;
        const char *why = atn_choice_refuses(&rule->use, q);
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
    choose_native(q, choice_p);
}

void atn_rules_choose(const atn_rules *rules, const atn_problem *q, uint64_t call,
                      atn_choice *choice_p, atn_reason *reason_p)
{
    const atn_problem shared = shared_part(q);
    atn_reason reason = {.rule = -1, .refused = -1};
    if (rules->random)
        atn_choose_random(rules->seed, &shared, call, choice_p);
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

void atn_reason_print(const atn_rules *rules, const atn_reason *reason, const atn_problem *q,
                      const atn_choice *choice, char *out, size_t size)
{
    const atn_rule *rule = &rules->list.v[reason->refused];
    char place[256], used[ATN_WORD_ROOM];
    print_place(rules, rule, place, sizeof place);
    atn_choice_print(choice, used);
    snprintf(out, size, "%s: %s cannot serve %s on %d ranks: %s; using %s instead", place,
             rule->use.row->name, atn_operation_get(q->op)->name, q->p, reason->why, used);
}
