/* rules_write.c - rule table to text: sorted and aligned for people, complete for other ranks. */
#include <stdlib.h>
#include <string.h>

#include "plan/rules_private.h"

/* ---- order ---- */

static bool overlap(atn_span a, atn_span b) { return a.lo < b.hi && b.lo < a.hi; }

static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int rule_order(const atn_rule *a, const atn_rule *b)
{
    const int places = strcmp(atn_interned(a->place), atn_interned(b->place));
    const int64_t keys[][2] = {{places, 0},
                               {a->op, b->op},
                               {a->ranks.lo, b->ranks.lo},
                               {a->ranks.hi, b->ranks.hi},
                               {a->bytes.lo, b->bytes.lo},
                               {a->bytes.hi, b->bytes.hi}};
    int order = 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && order == 0; i++)
        order = compare(keys[i][0], keys[i][1]);
    return order;
}

/* Rules that can match the same problem keep their order: the first one wins.  Between places no
 * order is needed: that which fits best comes first wherever it stands. */
static bool may_swap(const atn_rule *a, const atn_rule *b)
{
    return a->op != b->op || a->place != b->place || !overlap(a->ranks, b->ranks) ||
           !overlap(a->bytes, b->bytes);
}

/* Insertion sort, because a rule must stop at the first neighbour that it may not pass. */
static void sort_rules(const atn_rule **list, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i;
             j > 0 && rule_order(list[j], list[j - 1]) < 0 && may_swap(list[j], list[j - 1]); j--) {
            const atn_rule *lower = list[j];
            list[j] = list[j - 1];
            list[j - 1] = lower;
        }
}

/* ---- cells ---- */

enum { RANKS, BYTES, USE, TIME, CI, NEXT, NEXT_TIME, SAMPLES, DATE, GUESS, CELLS };
static const char *const cell_names[CELLS] = {"ranks", "bytes",     "use",     "time", "ci",
                                              "next",  "next_time", "samples", "date", "guess"};

static void print_duration(int64_t ps, char out[ATN_WORD_ROOM])
{
    if (ps >= 0)
        atn_plan_duration_print(ps, out);
}

/* The value in a cell; empty when the rule has none. */
static void cell_value(const atn_rule *rule, int cell, char out[ATN_WORD_ROOM])
{
    *out = '\0';
    if (cell == RANKS)
        atn_plan_span_print(rule->ranks, false, out);
    if (cell == BYTES)
        atn_plan_span_print(rule->bytes, true, out);
    if (cell == USE)
        atn_plan_choice_print(&rule->use, out);
    if (cell == TIME)
        print_duration(rule->time_ps, out);
    if (cell == CI)
        print_duration(rule->ci_ps, out);
    if (cell == NEXT_TIME)
        print_duration(rule->next_ps, out);
    if (cell == DATE && rule->date >= 0)
        atn_plan_date_print(rule->date, out);
    if (cell == GUESS)
        strcpy(out, atn_plan_guess_words[rule->guess]);
    if (cell == NEXT && rule->next.row != NULL)
        atn_plan_choice_print(&rule->next, out);
    if (cell == SAMPLES && rule->samples >= 0)
        snprintf(out, ATN_WORD_ROOM, "%lld", (long long)rule->samples);
}

static void print_rule(FILE *f, const char *word, const atn_rule *rule, const int width[CELLS])
{
    int blanks = 1; /* owed before the next cell, so that lines never end in blanks */
    if (rule->note != NULL)
        fputs(rule->note, f);
    fprintf(f, "%s %s", word, atn_sched_operation_get(rule->op)->name);
    for (int cell = 0; cell < CELLS; cell++) {
        char value[ATN_WORD_ROOM];
        cell_value(rule, cell, value);
        if (*value != '\0') {
            const int n = fprintf(f, "%*s%s=%s", blanks, "", cell_names[cell], value) - blanks;
            blanks = atn_max(width[cell] - n, 0) + 1;
        } else if (width[cell] > 0) {
            blanks += width[cell] + 1;
        }
    }
}

void atn_plan_rule_print(FILE *f, const atn_rule *rule)
{
    static const int narrow[CELLS];
    atn_rule bare = *rule;
    bare.note = NULL;
    print_rule(f, "rule", &bare, narrow);
    fputc('\n', f);
}

/* Columns are as wide as the widest cell of the operation: a new rule elsewhere moves nothing. */
static void measure(const atn_rule *const *list, int n, int width[CELLS])
{
    for (int i = 0; i < n; i++)
        for (int cell = 0; cell < CELLS; cell++) {
            char value[ATN_WORD_ROOM];
            cell_value(list[i], cell, value);
            if (*value != '\0')
                width[cell] =
                    atn_max(width[cell], (int)(strlen(cell_names[cell]) + strlen(value)) + 1);
        }
}

/* The rules of an operation at a place; `at` when the place begins. */
static void print_group(FILE *f, const atn_rule *const *list, int n, bool begins)
{
    int width[CELLS] = {0};
    measure(list, n, width);
    if (begins)
        fprintf(f, "\nat %s\n", atn_interned(list[0]->place));
    fputc('\n', f);
    for (int i = 0; i < n; i++) {
        print_rule(f, "rule", list[i], width);
        fputc('\n', f);
    }
}

/* ---- whole tables ---- */

static void print_head(FILE *f, const atn_rules *rules)
{
    fprintf(f, "attune-wisdom %d\n", ATN_WISDOM_VERSION);
    for (int i = 0; i < rules->provenance.n; i++) {
        const atn_provenance *entry = &rules->provenance.v[i];
        fprintf(f, "%s%s: %s\n", entry->note != NULL ? entry->note : "", entry->key, entry->value);
    }
}

bool atn_plan_rules_print(FILE *f, const atn_rules *rules)
{
    const atn_rule **list = malloc(((size_t)rules->list.n + 1) * sizeof *list);
    int n = 0;
    if (list == NULL)
        return false;
    for (int i = 0; i < rules->list.n; i++)
        if (!rules->list.v[i].forced)
            list[n++] = &rules->list.v[i];
    sort_rules(list, n);
    print_head(f, rules);
    for (int i = 0, j; i < n; i = j) {
        for (j = i; j < n && list[j]->op == list[i]->op && list[j]->place == list[i]->place;)
            j++;
        print_group(f, list + i, j - i, list[i]->place != (i > 0 ? list[i - 1]->place : 0));
    }
    fprintf(f, "%s%send\n", n > 0 ? "\n" : "", rules->note != NULL ? rules->note : "");
    free(list);
    return true;
}

atn_status atn_plan_rules_pack(const atn_rules *rules, char **text_p, size_t *bytes_p,
                               atn_error *err)
{
    static const int narrow[CELLS];
    FILE *f = atn_open_text(text_p, bytes_p);
    if (f == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    print_head(f, rules);
    if (rules->origin != NULL)
        fprintf(f, "origin %s\n", rules->origin);
    if (rules->model)
        fputs("select model\n", f);
    if (rules->random)
        fprintf(f, "select random:%llu\n", (unsigned long long)rules->seed);
    const bool supplied = atn_plan_supply_pack(f, rules);
    for (int i = 0; i < rules->list.n; i++) {
        const atn_rule *rule = &rules->list.v[i];
        print_rule(f, rule->forced ? "force" : "rule", rule, narrow);
        if (rule->place != 0)
            fprintf(f, " at=%s", atn_interned(rule->place));
        fprintf(f, " line=%d\n", rule->line);
    }
    fprintf(f, "%send\n", rules->note != NULL ? rules->note : "");
    if (fclose(f) == 0 && supplied)
        return ATN_OK;
    free(*text_p);
    *text_p = NULL;
    return atn_fail(err, ATN_MEMORY, "out of memory");
}
