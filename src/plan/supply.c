/* supply.c - schedules and patterns in files that rules name: one rank reads and proves them, and
 * packs them with the rules for the others. */
#include <stdlib.h>
#include <string.h>

#include "algo/known_pattern.h"
#include "algo/supplied.h"
#include "plan/patterns.h"
#include "plan/rules_private.h"

/* The file that a rule names; NULL: it names none. */
static const char *file_of(const atn_rule *rule)
{
    return rule->use.row->algo == &atn_algo_file ? atn_interned(rule->use.params.v[0]) : NULL;
}

/* Names without a beginning / are looked for beside the rule file. */
static char *path_of(const char *name, const char *origin)
{
    const char *slash = origin != NULL ? strrchr(origin, '/') : NULL;
    const int folder = *name != '/' && slash != NULL ? (int)(slash - origin) + 1 : 0;
    const size_t room = (size_t)folder + strlen(name) + 1;
    char *path = malloc(room);
    if (path != NULL)
        snprintf(path, room, "%.*s%s", folder, origin != NULL ? origin : "", name);
    return path;
}

static atn_status read_one(const atn_rule *rule, const char *name, const char *path, atn_error *err)
{
    char *text = NULL;
    if (*name == '\0')
        return atn_fail(err, ATN_INPUT, "the schedule is not named; write file{schedule=FILE}");
    atn_status status = atn_plan_check_kind(path, "schedule", err);
    if (status == ATN_OK)
        status = atn_read_file(path, &text, NULL, err);
    if (status == ATN_OK)
        status = atn_algo_supplied_add(rule->op, name, text, NULL, err);
    free(text);
    return status;
}

static atn_status read_schedule(const atn_rule *rule, const char *name, const char *origin,
                                atn_error *err)
{
    char *path = path_of(name, origin);
    const atn_status status =
        path != NULL ? read_one(rule, name, path, err) : atn_fail(err, ATN_MEMORY, "out of memory");
    free(path);
    return status;
}

static atn_status supply(const atn_rule *rule, const char *origin, atn_error *err)
{
    const char *const name = file_of(rule), *const beside = rule->forced ? NULL : origin;
    atn_error why = {0};
    atn_status status = name != NULL ? read_schedule(rule, name, beside, &why) : ATN_OK;
    if (status == ATN_OK)
        status = atn_plan_pattern_supply(&rule->use, beside, &why);
    if (status == ATN_OK)
        status = atn_plan_pattern_supply(&rule->next, beside, &why);
    if (status == ATN_OK)
        return ATN_OK;
    if (rule->forced)
        return atn_fail(err, ATN_INPUT, "ATTUNE_ALGORITHM: %s", why.text);
    return atn_fail(err, ATN_INPUT, "%s:%d: %s", origin, rule->line, why.text);
}

atn_status atn_plan_rules_supply(atn_rules *rules, const char *origin, atn_error *err)
{
    atn_status status = ATN_OK;
    for (int i = 0; i < rules->list.n && status == ATN_OK; i++)
        status = supply(&rules->list.v[i], origin, err);
    return status;
}

/* ---- packing ---- */

static bool named_before(const atn_rules *rules, int i, const char *name)
{
    for (int k = 0; k < i; k++) {
        const atn_rule *other = &rules->list.v[k];
        if (other->op == rules->list.v[i].op && file_of(other) != NULL &&
            strcmp(file_of(other), name) == 0)
            return true;
    }
    return false;
}

/* Comments may hold any byte; the packed text may not. */
static void print_content(FILE *f, const char *text)
{
    fputs("content ", f);
    for (; *text != '\0'; text++) {
        if (*text == '\n' && text[1] != '\0')
            fputs("\ncontent ", f);
        else if (*text != '\n')
            fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
    }
    fputc('\n', f);
}

static void pack_one(FILE *f, const atn_rule *rule, const char *name)
{
    atn_supplied_proof verdict;
    const char *text = atn_algo_supplied_text(rule->op, name, &verdict);
    if (text == NULL)
        return;
    print_content(f, text);
    fprintf(f, "schedule %s %d %d %s\n", atn_sched_operation_get(rule->op)->name, verdict.ordered,
            verdict.aside, name);
}

bool atn_plan_supply_pack(FILE *f, const atn_rules *rules)
{
    for (int i = 0; i < rules->list.n; i++) {
        const char *name = file_of(&rules->list.v[i]);
        if (name != NULL && !named_before(rules, i, name))
            pack_one(f, &rules->list.v[i], name);
    }
    return atn_plan_patterns_pack(f, rules);
}

atn_status atn_plan_supply_unpack(const char *line, const char *content, atn_error *err)
{
    char operation[32];
    int ordered, aside, name = 0;
    atn_operation op;
    if (sscanf(line, "%31s %d %d %n", operation, &ordered, &aside, &name) != 3 || name == 0 ||
        !atn_sched_operation_find(operation, &op))
        return atn_fail(err, ATN_INPUT, "\"schedule %.60s\" is not understood", line);
    const atn_supplied_proof verdict = {ordered, aside};
    return atn_algo_supplied_add(op, line + name, content, &verdict, err);
}

atn_status atn_plan_supply_pattern(const char *name, const char *content, atn_error *err)
{
    return atn_algo_known_add(name, content, 0, err);
}
