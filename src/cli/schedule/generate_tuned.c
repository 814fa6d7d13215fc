/* generate_tuned.c - attune schedule generate --wisdom: one routine per operation, whose ranges of
 * sizes have the algorithms that the rules of a file select. */
#include <stdlib.h>
#include <string.h>

#include "cli/lookup.h"
#include "cli/schedule/generate.h"
#include "plan/here.h"
#include "plan/rules.h"

typedef struct {
    const atn_args *a;
    const char *file;
    atn_generate_ranks ranks;
    atn_rules *rules; /* narrowed to the place */
    ATN_VEC(atn_generated) v[ATN_OPERATIONS];
    bool wanted[ATN_OPERATIONS];
    bool *noted; /* of each rule: it was reported as not used */
    int64_t programs;
} tuning;

static const char *name_of(int op) { return atn_sched_operation_get((atn_operation)op)->name; }

static bool serves(const atn_rule *rule, int p)
{
    return rule->ranks.lo <= p && (p < rule->ranks.hi || rule->ranks.hi == INT64_MAX);
}

/* ---- place ---- */

static bool add_place(const atn_rule *rule, int p, int64_t *places, int *n_p, int room)
{
    const char *text = atn_interned(rule->place);
    if (rule->place == 0 || !serves(rule, p) || strstr(text, ATN_PLACE_OWNER) != NULL)
        return true;
    for (int i = 0; i < *n_p; i++)
        if (places[i] == rule->place)
            return true;
    if (*n_p == room)
        return false;
    places[(*n_p)++] = rule->place;
    return true;
}

/* The only section with rules for the number of ranks; NULL: there is none. */
static atn_status find_place(const tuning *t, const char **place_p, atn_error *err)
{
    enum { ROOM = 8 };
    int64_t places[ROOM];
    int n = 0;
    bool all = true;
    for (int i = 0; i < atn_plan_rules_count(t->rules); i++)
        all = add_place(atn_plan_rules_at(t->rules, i), t->ranks.p, places, &n, ROOM) && all;
    *place_p = n == 1 ? atn_interned(places[0]) : NULL;
    if (n <= 1)
        return ATN_OK;
    const char *names[ROOM];
    char list[ATN_ERROR_ROOM];
    for (int i = 0; i < n; i++)
        names[i] = atn_interned(places[i]);
    return atn_fail(err, ATN_INPUT, "%s: rules for %d ranks in several places; add --at %s%s",
                    t->file, t->ranks.p, atn_enumerate(names, n, " or ", list), all ? "" : " ...");
}

static atn_status read_rules(tuning *t, atn_error *err)
{
    const char *place = atn_cli_arg_text(t->a, "at");
    int64_t number;
    if (place != NULL && !atn_plan_place_parse(place, &number))
        return atn_fail(err, ATN_USAGE, "--at %.60s: write MACHINE/LAYOUT", place);
    atn_status st = atn_plan_rules_read(t->file, &t->rules, err);
    if (st == ATN_OK && place == NULL)
        st = find_place(t, &place, err);
    if (st == ATN_OK && place != NULL && !atn_plan_rules_narrow(t->rules, place, false))
        st = atn_fail(err, ATN_MEMORY, "out of memory");
    if (st != ATN_OK)
        return st;
    t->noted = calloc((size_t)atn_plan_rules_count(t->rules) + 1, sizeof *t->noted);
    return t->noted != NULL ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

/* ---- operations ---- */

static atn_status read_operands(tuning *t, atn_error *err)
{
    for (int i = 0; i < t->a->noperands; i++) {
        atn_operation op;
        char all[ATN_ERROR_ROOM];
        const atn_status st = atn_cli_lookup_operation(t->a->operands[i], &op, err);
        if (st != ATN_OK)
            return st;
        if (!atn_sched_generates(op))
            return atn_fail(err, ATN_INPUT, "%s: no generator; available for %s", t->a->operands[i],
                            atn_cli_generate_names(all));
        t->wanted[op] = true;
    }
    return ATN_OK;
}

/* Without operands: all operations of the rules. */
static void find_operations(tuning *t)
{
    bool ruled[ATN_OPERATIONS] = {false};
    for (int i = 0; i < atn_plan_rules_count(t->rules); i++) {
        const atn_rule *rule = atn_plan_rules_at(t->rules, i);
        ruled[rule->op] |= rule->place == 0 && serves(rule, t->ranks.p);
    }
    for (int op = 0; op < ATN_OPERATIONS; op++) {
        t->wanted[op] = ruled[op] && atn_sched_generates((atn_operation)op);
        if (ruled[op] && !t->wanted[op])
            fprintf(stderr, "attune: %s: no generator for %s; omitted\n", t->file, name_of(op));
    }
}

/* ---- ranges of sizes ---- */

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The sizes at which the choice may change, from 0. */
static bool find_borders(const tuning *t, atn_operation op, atn_sizes *list)
{
    bool ok = atn_push(list, 0);
    for (int i = 0; ok && i < atn_plan_rules_count(t->rules); i++) {
        const atn_rule *rule = atn_plan_rules_at(t->rules, i);
        if (rule->op != op || rule->place != 0 || !serves(rule, t->ranks.p))
            continue;
        if (rule->bytes.lo > 0)
            ok = atn_push(list, rule->bytes.lo);
        if (rule->bytes.hi != INT64_MAX)
            ok = ok && atn_push(list, rule->bytes.hi);
    }
    if (ok)
        qsort(list->v, (size_t)list->n, sizeof *list->v, ascending);
    return ok;
}

static bool matches(const tuning *t, int i, atn_operation op, int64_t bytes)
{
    const atn_rule *rule = atn_plan_rules_at(t->rules, i);
    return rule->op == op && rule->place == 0 && serves(rule, t->ranks.p) &&
           rule->bytes.lo <= bytes && (bytes < rule->bytes.hi || rule->bytes.hi == INT64_MAX);
}

static void note(tuning *t, int i, const char *why)
{
    if (!t->noted[i])
        fprintf(stderr, "attune: %s:%d: not used: %s\n", t->file,
                atn_plan_rules_at(t->rules, i)->line, why);
    t->noted[i] = true;
}

/* As in jobs: the first rule that matches and whose algorithm applies.  Rule `last` is known to
 * apply and not built again.  *rule_p -1: native. */
static atn_status choose(tuning *t, atn_operation op, int64_t bytes, int last, atn_generated *v,
                         int *rule_p, atn_error *err)
{
    *rule_p = -1;
    for (int i = 0; i < atn_plan_rules_count(t->rules); i++) {
        const atn_rule *rule = atn_plan_rules_at(t->rules, i);
        atn_error why = {0};
        if (!matches(t, i, op, bytes))
            continue;
        if (rule->use.row->algo->build == NULL)
            return ATN_OK;
        *v = (atn_generated){.from = bytes};
        const atn_status st =
            i == last ? ATN_OK : atn_cli_generate_build(&rule->use, &t->ranks, v, &why);
        if (st == ATN_OK) {
            *rule_p = i;
            return ATN_OK;
        }
        atn_cli_generate_free(v, t->ranks.p);
        if (st != ATN_NOT_APPLICABLE)
            return atn_fail(err, st, "%s", why.text);
        note(t, i, why.text);
    }
    return ATN_OK;
}

static char *describe(const tuning *t, int i, atn_operation op, int64_t from, int64_t below)
{
    const atn_rule *rule = atn_plan_rules_at(t->rules, i);
    char use[ATN_NAME_ROOM], lo[32], hi[32] = "", text[2 * ATN_NAME_ROOM];
    atn_plan_choice_print(&rule->use, use);
    if (below > 0)
        atn_format_size(below, hi);
    snprintf(text, sizeof text, "%s bytes=%s:%s use=%s, line %d", name_of(op),
             atn_format_size(from, lo), hi, use, rule->line);
    return strdup(text);
}

/* The range before has the same rule. */
static atn_status extend(tuning *t, atn_operation op, int64_t below, int rule, atn_error *err)
{
    atn_generated *const v = &t->v[op].v[t->v[op].n - 1];
    free((char *)v->about);
    v->below = below;
    v->about = describe(t, rule, op, v->from, below);
    return v->about != NULL ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

static atn_status add_range(tuning *t, atn_operation op, int64_t from, int64_t below, int *last_p,
                            atn_error *err)
{
    const int last = *last_p;
    atn_generated v = {0};
    const atn_status st = choose(t, op, from, last, &v, last_p, err);
    if (st != ATN_OK || *last_p < 0)
        return st;
    if (*last_p == last)
        return extend(t, op, below, last, err);
    v.below = below;
    v.about = describe(t, *last_p, op, from, below);
    t->programs += (int64_t)v.nsets * t->ranks.p;
    if (v.about != NULL && atn_push(&t->v[op], v))
        return ATN_OK;
    free((char *)v.about);
    atn_cli_generate_free(&v, t->ranks.p);
    return atn_fail(err, ATN_MEMORY, "out of memory");
}

static atn_status build_operation(tuning *t, atn_operation op, atn_error *err)
{
    atn_sizes borders = {0};
    int last = -1;
    atn_status st = find_borders(t, op, &borders) ? ATN_OK : ATN_MEMORY;
    if (st != ATN_OK)
        atn_fail(err, st, "out of memory");
    for (int i = 0; i < borders.n && st == ATN_OK; i++) {
        const bool end = i + 1 == borders.n;
        if (end || borders.v[i + 1] > borders.v[i])
            st = add_range(t, op, borders.v[i], end ? 0 : borders.v[i + 1], &last, err);
        if (st == ATN_OK && t->programs > ATN_MOST_PROGRAMS)
            st = atn_fail(err, ATN_USAGE,
                          "%s: routines for all %d roots would be too large; choose one with "
                          "--root, or name fewer operations",
                          t->file, t->ranks.p);
    }
    atn_vec_free(&borders);
    return st;
}

/* ---- the file ---- */

static atn_status write_file(const tuning *t, atn_error *err)
{
    atn_generated_routine routines[ATN_OPERATIONS];
    char about[400];
    int n = 0;
    for (int op = 0; op < ATN_OPERATIONS; op++)
        if (t->wanted[op])
            routines[n++] = (atn_generated_routine){(atn_operation)op, t->v[op].n, t->v[op].v};
    if (t->programs == 0)
        return atn_fail(err, ATN_INPUT,
                        "%s: no rule has an algorithm for these operations on %d ranks", t->file,
                        t->ranks.p);
    snprintf(about, sizeof about, "tuned collectives for %d ranks, from %.300s", t->ranks.p,
             t->file);
    const atn_generation g = {.about = about,
                              .p = t->ranks.p,
                              .tuned = true,
                              .first_root = t->ranks.first_root,
                              .roots = t->ranks.roots,
                              .n = n,
                              .routines = routines};
    return atn_sched_generate(t->a->out, &g, err);
}

static atn_status check_options(const tuning *t, atn_error *err)
{
    static const char *const others[] = {"algorithm", "param", "pattern"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (atn_cli_arg_given(t->a, others[i]))
            return atn_fail(err, ATN_USAGE,
                            "--%s: the rules of --wisdom name the algorithms; omit it", others[i]);
    if (!atn_cli_arg_given(t->a, "ranks") && !atn_cli_arg_given(t->a, "topology"))
        return atn_fail(err, ATN_USAGE, "no number of ranks; add -p N or --topology FILE|STRING");
    return ATN_OK;
}

static atn_status read_ranks(tuning *t, atn_error *err)
{
    const int requested = (int)atn_cli_arg_int(t->a, "ranks");
    atn_status st = ATN_OK;
    if (atn_cli_arg_given(t->a, "topology"))
        st = atn_cli_lookup_topology(atn_cli_arg_text(t->a, "topology"), &t->ranks.topo, err);
    if (st != ATN_OK)
        return st;
    t->ranks.p = t->ranks.topo != NULL ? t->ranks.topo->p : requested;
    if (requested > 0 && requested != t->ranks.p)
        return atn_fail(err, ATN_USAGE, "-p %d, but the topology has %d ranks; omit one", requested,
                        t->ranks.p);
    return atn_cli_generate_roots(t->a, &t->ranks, err);
}

static void tuning_end(tuning *t)
{
    for (int op = 0; op < ATN_OPERATIONS; op++) {
        for (int i = 0; i < t->v[op].n; i++) {
            free((char *)t->v[op].v[i].about);
            atn_cli_generate_free(&t->v[op].v[i], t->ranks.p);
        }
        atn_vec_free(&t->v[op]);
    }
    free(t->noted);
    atn_plan_rules_free(t->rules);
    atn_topo_free(t->ranks.topo);
}

atn_status atn_cli_generate_tuned(const atn_args *a, atn_error *err)
{
    tuning t = {.a = a, .file = atn_cli_arg_text(a, "wisdom")};
    atn_status st = check_options(&t, err);
    st = st ? st : read_ranks(&t, err);
    st = st ? st : read_operands(&t, err);
    st = st ? st : read_rules(&t, err);
    if (st == ATN_OK && a->noperands == 0)
        find_operations(&t);
    for (int op = 0; op < ATN_OPERATIONS && st == ATN_OK; op++)
        if (t.wanted[op])
            st = build_operation(&t, (atn_operation)op, err);
    st = st ? st : write_file(&t, err);
    tuning_end(&t);
    return st;
}
