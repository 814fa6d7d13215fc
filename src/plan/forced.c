/* forced.c - ATTUNE_ALGORITHM, and the table that results from all selection settings. */
#include <stdlib.h>
#include <string.h>

#include "plan/patterns.h"
#include "plan/rules_private.h"

static const char variable[] = "ATTUNE_ALGORITHM";

static atn_status push(atn_rules *rules, atn_operation op, const atn_choice *use, atn_error *err)
{
    atn_rule rule = atn_plan_rule_blank(op);
    rule.use = *use;
    rule.forced = true;
    return atn_push(&rules->list, rule) ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

/* `use` with a copy of the text, which is cut. */
static atn_status read_use(atn_operation op, const char *text, atn_choice *use, atn_error *err)
{
    char *copy = strdup(text);
    const atn_status status = copy != NULL ? atn_plan_choice_read(op, copy, use, err)
                                           : atn_fail(err, ATN_MEMORY, "out of memory");
    free(copy);
    return status;
}

/* The name of the algorithm alone. */
static bool has_algorithm(atn_operation op, const char *text)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "{:"), text);
    return atn_algo_catalog_find(op, name) != NULL;
}

/* "*=ring": every operation that has an algorithm of that name. */
static atn_status force_all(atn_rules *rules, const char *text, atn_error *err)
{
    int served = 0;
    atn_error error = {0};
    for (int i = 0; i < ATN_OPERATIONS; i++) {
        atn_choice use;
        if (!has_algorithm((atn_operation)i, text))
            continue;
        served++;
        if (read_use((atn_operation)i, text, &use, &error) != ATN_OK)
            return atn_fail(err, ATN_INPUT, "%s: %s", variable, error.text);
        if (push(rules, (atn_operation)i, &use, err) != ATN_OK)
            return ATN_MEMORY;
    }
    if (served == 0)
        return atn_fail(
            err, ATN_INPUT,
            "%s: no operation has an algorithm \"%.40s\"; `attune algo list` shows what "
            "there is",
            variable, text);
    return ATN_OK;
}

static atn_status force_one(atn_rules *rules, const char *operation, const char *text,
                            atn_error *err)
{
    atn_operation op;
    atn_choice use;
    atn_error error = {0};
    if (!atn_sched_operation_find(operation, &op))
        atn_plan_unknown_operation(operation, &error);
    else if (read_use(op, text, &use, &error) == ATN_OK)
        return push(rules, op, &use, err);
    return atn_fail(err, ATN_INPUT, "%s: %s", variable, error.text);
}

/* One "operation=name:key=value:key=value" or "operation=name{key=value,key=value}"; `any` picks
 * the entries with "*" or the others. */
static atn_status force_entry(atn_rules *rules, char *entry, bool any, atn_error *err)
{
    char *text = strchr(entry, '=');
    if (text == NULL || text == entry || text[1] == '\0')
        return atn_fail(err, ATN_INPUT,
                        "%s: \"%.60s\" is not understood; write "
                        "operation=algorithm{key=value,key=value}, separated by commas",
                        variable, entry);
    if (strpbrk(entry, " \t") != NULL)
        return atn_fail(err, ATN_INPUT, "%s: \"%.60s\" contains a blank; remove it", variable,
                        entry);
    *text++ = '\0';
    if ((strcmp(entry, "*") == 0) != any)
        return ATN_OK;
    return any ? force_all(rules, text, err) : force_one(rules, entry, text, err);
}

static atn_status force_pass(atn_rules *rules, const char *text, bool any, atn_error *err)
{
    char *copy = strdup(text), *rest = copy;
    atn_status status = copy != NULL ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
    for (char *entry; status == ATN_OK && (entry = atn_next_item(&rest, ", \t")) != NULL;)
        status = force_entry(rules, entry, any, err);
    free(copy);
    return status;
}

/* Other ranks get the rules as lines of text, which such a byte would damage. */
static atn_status check_bytes(const char *text, atn_error *err)
{
    for (const char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' && *at != '\t')
            return atn_fail(err, ATN_INPUT,
                            "%s: byte 0x%02x at character %d is not text; remove it", variable,
                            (unsigned char)*at, (int)(at - text) + 1);
    return ATN_OK;
}

/* Operations that are named come before "*", in whatever order they were written. */
atn_status atn_plan_forced_parse(const char *text, atn_rules *rules, atn_error *err)
{
    atn_status status = check_bytes(text, err);
    if (status == ATN_OK)
        status = atn_check_list(variable, text, ATN_INPUT, err);
    if (status == ATN_OK)
        status = force_pass(rules, text, false, err);
    return status == ATN_OK ? force_pass(rules, text, true, err) : status;
}

/* Appends the rules of `from`, which gives them away. */
static bool move_rules(atn_rules *to, atn_rules *from)
{
    for (int i = 0; i < from->list.n; i++) {
        if (!atn_push(&to->list, from->list.v[i]))
            return false;
        from->list.v[i].note = NULL;
    }
    return true;
}

/* Forced rules go in front; provenance, notes and origin stay with the file's table. */
static atn_status put_forced(atn_rules *rules, const char *forced, atn_error *err)
{
    atn_rules front = {0};
    atn_status status = atn_plan_forced_parse(forced, &front, err);
    if (status == ATN_OK)
        status = atn_plan_rules_supply(&front, NULL, err);
    if (status == ATN_OK && !move_rules(&front, rules))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status != ATN_OK) {
        atn_vec_free(&front.list);
        return status;
    }
    atn_vec_free(&rules->list);
    memcpy(&rules->list, &front.list, sizeof rules->list);
    return ATN_OK;
}

/* Selection by rules must be the same on all ranks, which it is not if only some have a pattern. */
static atn_status check_patterns(const atn_rules *rules, const char *path, atn_error *err)
{
    for (int i = 0; i < rules->list.n; i++) {
        const atn_rule *const rule = &rules->list.v[i];
        if (!atn_plan_pattern_is_known(&rule->use))
            return atn_fail(err, ATN_INPUT,
                            "%s:%d: the pattern %s is not in %s.patterns; copy it from where the "
                            "rule was made, or remove the rule",
                            path != NULL ? path : "ATTUNE_ALGORITHM", rule->line,
                            atn_interned(atn_plan_pattern_of(&rule->use)),
                            path != NULL ? path : "WISDOM");
    }
    return ATN_OK;
}

atn_status atn_plan_rules_load(const char *path, const char *forced, const char *select,
                               atn_rules **rules_p, atn_error *err)
{
    atn_rules *rules = NULL;
    atn_status status = ATN_OK;
    if (path != NULL)
        status = atn_plan_rules_read(path, &rules, err);
    else if ((rules = atn_plan_rules_empty()) == NULL)
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK && forced != NULL)
        status = put_forced(rules, forced, err);
    if (status == ATN_OK)
        status = check_patterns(rules, path, err);
    if (status == ATN_OK && select != NULL)
        status = atn_plan_select_parse(select, rules, err);
    if (status == ATN_OK && !atn_plan_rules_seal(rules))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK)
        *rules_p = rules;
    else
        atn_plan_rules_free(rules);
    return status;
}
