/* wisdom_join.c - what two tables say together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/rules_private.h"
#include "plan/wisdom.h"

/* So many times the samples make evidence more certain than newer evidence. */
enum { MORE_CERTAIN = 4 };

atn_backing atn_rule_backing(const atn_rule *rule)
{
    if (rule->guess != ATN_GUESS_NONE)
        return ATN_GUESSED;
    return rule->time_ps < 0 && rule->samples < 0 ? ATN_BY_HAND : ATN_MEASURED;
}

static bool same_span(atn_span a, atn_span b) { return a.lo == b.lo && a.hi == b.hi; }

bool atn_rule_same_problem(const atn_rule *a, const atn_rule *b)
{
    return a->op == b->op && a->place == b->place && same_span(a->ranks, b->ranks) &&
           same_span(a->bytes, b->bytes);
}

bool atn_same_choice(const atn_choice *a, const atn_choice *b)
{
    return a->row == b->row && memcmp(&a->params, &b->params, sizeof a->params) == 0;
}

/* ---- two rules for one problem ---- */

static bool newer(const atn_rule *a, const atn_rule *b) { return a->date > b->date; }

/* Too far apart to be two looks at one thing: the machine has changed in between. */
static bool contradict(const atn_rule *a, const atn_rule *b)
{
    const double apart = fabs((double)a->time_ps - (double)b->time_ps);
    const double least = (double)(a->time_ps < b->time_ps ? a->time_ps : b->time_ps);
    const double doubt =
        (a->ci_ps > 0 ? (double)a->ci_ps : 0) + (b->ci_ps > 0 ? (double)b->ci_ps : 0);
    return apart > 0.1 * least && apart > 3 * doubt;
}

static int64_t pooled_ci(const atn_rule *a, const atn_rule *b)
{
    if (a->ci_ps < 0 || b->ci_ps < 0)
        return a->ci_ps > b->ci_ps ? a->ci_ps : b->ci_ps;
    return (int64_t)llround(
        hypot((double)a->samples * (double)a->ci_ps, (double)b->samples * (double)b->ci_ps) /
        (double)(a->samples + b->samples));
}

static void add_samples(const atn_rule *a, const atn_rule *b, atn_rule *into)
{
    const double n = (double)(a->samples + b->samples);
    const double sum =
        (double)a->time_ps * (double)a->samples + (double)b->time_ps * (double)b->samples;
    const int64_t ci_ps = pooled_ci(a, b);
    into->samples = a->samples + b->samples;
    into->time_ps = (int64_t)llround(sum / n);
    into->ci_ps = ci_ps;
}

/* The same choice twice: samples are added up. */
static atn_rule pool(const atn_rule *a, const atn_rule *b)
{
    atn_rule both = newer(a, b) ? *a : *b;
    const atn_rule *other = newer(a, b) ? b : a;
    const bool counted = a->samples > 0 && b->samples > 0 && a->time_ps >= 0 && b->time_ps >= 0;
    if (counted && !contradict(a, b))
        add_samples(a, b, &both);
    if (both.time_ps < 0 && both.samples < 0) {
        both.time_ps = other->time_ps;
        both.ci_ps = other->ci_ps;
        both.samples = other->samples;
    }
    if (both.next.row == NULL) {
        both.next = other->next;
        both.next_ps = other->next_ps;
    }
    return both;
}

/* Negative: a wins. */
static int by_evidence(const atn_rule *a, const atn_rule *b)
{
    if (a->samples > 0 && b->samples > 0 && a->samples >= MORE_CERTAIN * b->samples)
        return -1;
    if (a->samples > 0 && b->samples > 0 && b->samples >= MORE_CERTAIN * a->samples)
        return 1;
    if (a->date != b->date)
        return newer(a, b) ? -1 : 1;
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps ? -1 : 1;
    char x[ATN_WORD_ROOM], y[ATN_WORD_ROOM];
    atn_choice_print(&a->use, x);
    atn_choice_print(&b->use, y);
    return strcmp(x, y);
}

/* Different choices for one problem; the loser becomes the runner-up of a measured winner. */
static atn_rule decide(const atn_rule *old, const atn_rule *news)
{
    const atn_backing x = atn_rule_backing(old), y = atn_rule_backing(news);
    bool old_wins = x < y;
    if (x == y && x == ATN_MEASURED)
        old_wins = by_evidence(old, news) < 0;
    else if (x == y && x == ATN_GUESSED)
        old_wins = newer(old, news);
    atn_rule winner = old_wins ? *old : *news;
    const atn_rule *loser = old_wins ? news : old;
    if (x == ATN_MEASURED && y == ATN_MEASURED) {
        winner.next = loser->use;
        winner.next_ps = loser->time_ps;
    }
    return winner;
}

/* Measured beats guessed also where both say the same. */
static atn_rule settle(const atn_rule *old, const atn_rule *news)
{
    const atn_backing x = atn_rule_backing(old), y = atn_rule_backing(news);
    const bool alike = atn_same_choice(&old->use, &news->use);
    atn_rule rule =
        alike && (x == ATN_GUESSED) == (y == ATN_GUESSED) ? pool(old, news) : decide(old, news);
    rule.note = old->note != NULL ? old->note : news->note;
    rule.line = old->line;
    return rule;
}

/* ---- tables ---- */

typedef ATN_VEC(atn_rule) rule_list; /* notes belong to the tables they came from */

static int find_same(const rule_list *list, const atn_rule *rule)
{
    for (int i = 0; i < list->n; i++)
        if (atn_rule_same_problem(&list->v[i], rule))
            return i;
    return -1;
}

static bool put(rule_list *list, const atn_rule *rule)
{
    const int i = find_same(list, rule);
    if (i < 0)
        return atn_push(list, *rule);
    list->v[i] = settle(&list->v[i], rule);
    return true;
}

static int64_t width(atn_span s) { return s.hi == INT64_MAX || s.lo < 0 ? INT64_MAX : s.hi - s.lo; }

/* What people wrote stays in their order and comes first; then what was measured, the narrower
 * before the wider; guesses last. */
static bool comes_before(const atn_rule *a, const atn_rule *b)
{
    const atn_backing x = atn_rule_backing(a), y = atn_rule_backing(b);
    if (x != y || x == ATN_BY_HAND)
        return x < y;
    if (width(a->bytes) != width(b->bytes))
        return width(a->bytes) < width(b->bytes);
    return width(a->ranks) < width(b->ranks);
}

static void sort(rule_list *list)
{
    for (int i = 1; i < list->n; i++)
        for (int j = i; j > 0 && comes_before(&list->v[j], &list->v[j - 1]); j--) {
            const atn_rule lower = list->v[j];
            list->v[j] = list->v[j - 1];
            list->v[j - 1] = lower;
        }
}

/* New rules in front, so that the later file's handwritten ones come first. */
static bool gather(const atn_rules *old, const atn_rules *news, rule_list *all)
{
    rule_list known = {0};
    bool done = true;
    for (int i = 0; done && i < old->list.n; i++)
        if (!old->list.v[i].forced)
            done = put(&known, &old->list.v[i]);
    for (int i = 0; done && i < news->list.n; i++) {
        const atn_rule *rule = &news->list.v[i];
        if (!rule->forced)
            done = put(find_same(&known, rule) >= 0 ? &known : all, rule);
    }
    for (int i = 0; done && i < known.n; i++)
        done = atn_push(all, known.v[i]);
    atn_vec_free(&known);
    return done;
}

/* Entries that only the new table has, and its date. */
static bool add_provenance(atn_rules *rules, const atn_rules *news)
{
    for (int i = 0; i < news->provenance.n; i++) {
        const atn_provenance *entry = &news->provenance.v[i];
        const bool take =
            atn_rules_provenance(rules, entry->key) == NULL || strcmp(entry->key, "date") == 0;
        if (take && !atn_rules_describe(rules, entry->key, entry->value))
            return false;
    }
    return true;
}

atn_rules *atn_wisdom_join(const atn_rules *old, const atn_rules *news)
{
    rule_list all = {0};
    atn_rules *rules = NULL;
    if (gather(old, news, &all)) {
        sort(&all);
        rules = atn_rules_make(all.v, all.n, old);
    }
    atn_vec_free(&all);
    if (rules != NULL && !add_provenance(rules, news)) {
        atn_rules_free(rules);
        rules = NULL;
    }
    return rules;
}
