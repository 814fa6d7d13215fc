/* wisdom_join.c - merges two tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/rules_private.h"
#include "plan/wisdom.h"

/* Without different intervals, this many times the samples outweigh newer evidence. */
enum { MORE_CERTAIN = 4 };

atn_backing atn_plan_rule_backing(const atn_rule *rule)
{
    if (rule->guess != ATN_GUESS_NONE)
        return ATN_GUESSED;
    return rule->time_ps < 0 && rule->samples < 0 ? ATN_BY_HAND : ATN_MEASURED;
}

static bool same_span(atn_span a, atn_span b) { return a.lo == b.lo && a.hi == b.hi; }

bool atn_plan_rule_same_problem(const atn_rule *a, const atn_rule *b)
{
    return a->op == b->op && a->place == b->place && same_span(a->ranks, b->ranks) &&
           same_span(a->bytes, b->bytes);
}

bool atn_plan_same_choice(const atn_choice *a, const atn_choice *b)
{
    return a->row == b->row && memcmp(&a->params, &b->params, sizeof a->params) == 0;
}

/* ---- certainty ---- */

static bool newer(const atn_rule *a, const atn_rule *b) { return a->date > b->date; }

static bool has_interval(const atn_rule *rule) { return rule->ci_ps >= 0 && rule->time_ps > 0; }

/* Products of whole numbers are exact: the order is the same on every processor. */
int atn_plan_rule_certainty(const atn_rule *a, const atn_rule *b)
{
    const bool x = has_interval(a), y = has_interval(b);
    if (!x || !y)
        return y - x;
    const __int128 of_a = (__int128)a->ci_ps * b->time_ps, of_b = (__int128)b->ci_ps * a->time_ps;
    return (of_a > of_b) - (of_a < of_b);
}

/* The time of a choice in a rule, as its winner or runner-up; -1: none. */
static int64_t time_of(const atn_rule *rule, const atn_choice *choice)
{
    if (atn_plan_same_choice(&rule->use, choice))
        return rule->time_ps;
    return rule->next.row != NULL && atn_plan_same_choice(&rule->next, choice) ? rule->next_ps : -1;
}

/* How much longer, at least and at most, a call of a size in `at` may take than one of a size in
 * `from`: times grow with the size, and not faster than it. */
typedef struct {
    double least, most;
} growth;

static growth growth_from(atn_span from, atn_span at)
{
    if (same_span(from, at))
        return (growth){1, 1};
    const bool open = at.hi == INT64_MAX || from.lo <= 0;
    return (growth){from.hi == INT64_MAX ? 0 : fmin(1, (double)at.lo / (double)(from.hi - 1)),
                    open ? INFINITY : fmax(1, (double)(at.hi - 1) / (double)from.lo)};
}

/* A difference above this multiple of the intervals, and this share of the time, is a change. */
static const double beyond_doubt = 3, noticeable = 0.1;

/* Whether `news` measured the choice of `old` again, and what it found is further from the old time
 * than sizes and intervals explain. */
static bool contradicts(const atn_rule *news, const atn_rule *old)
{
    const double was = (double)old->time_ps, is = (double)time_of(news, &old->use);
    if (is <= 0 || !has_interval(news) || !has_interval(old) || !same_span(news->ranks, old->ranks))
        return false;
    const growth g = growth_from(old->bytes, news->bytes);
    const double doubt = (double)old->ci_ps + is * (double)news->ci_ps / (double)news->time_ps;
    const double change = fmax(g.least * was - is, is - g.most * was);
    return change > noticeable * fmin(was, is) && change > beyond_doubt * doubt;
}

/* The machine has changed since. */
static bool refutes(const atn_rule *news, const atn_rule *old)
{
    return newer(news, old) && contradicts(news, old);
}

/* ---- two rules for one problem ---- */

/* The less certain evidence counts as much less as its interval is wider, so that it never widens
 * that of the other.  Without any interval every sample counts alike. */
static void add_samples(const atn_rule *a, const atn_rule *b, atn_rule *into)
{
    const bool both = has_interval(a) && has_interval(b);
    const double x = (double)(both ? (a->ci_ps > 0 ? a->ci_ps : 1) : b->samples);
    const double y = (double)(both ? (b->ci_ps > 0 ? b->ci_ps : 1) : a->samples);
    const double part = both ? y * y / (x * x + y * y) : y / (x + y);
    const int64_t time_ps =
        (int64_t)llround(part * (double)a->time_ps + (1 - part) * (double)b->time_ps);
    into->samples = a->samples + b->samples;
    into->ci_ps = both ? (int64_t)llround(x * y / hypot(x, y)) : -1;
    into->time_ps = time_ps;
}

static void take_times(const atn_rule *from, atn_rule *into)
{
    into->time_ps = from->time_ps;
    into->ci_ps = from->ci_ps;
    into->samples = from->samples;
}

/* The same choice twice: samples are added up if both have an interval. */
static atn_rule pool(const atn_rule *a, const atn_rule *b)
{
    const bool a_last = newer(a, b);
    const atn_rule *last = a_last ? a : b, *other = a_last ? b : a;
    const bool counted = a->samples > 0 && b->samples > 0 && a->time_ps >= 0 && b->time_ps >= 0;
    atn_rule both = *last;
    if (counted && has_interval(a) == has_interval(b) && !contradicts(last, other))
        add_samples(a, b, &both);
    else if (has_interval(other) && !has_interval(last))
        take_times(other, &both);
    if (both.time_ps < 0 && both.samples < 0)
        take_times(other, &both);
    if (both.next.row == NULL) {
        both.next = other->next;
        both.next_ps = other->next_ps;
    }
    return both;
}

/* Negative: a wins. */
static int by_evidence(const atn_rule *a, const atn_rule *b)
{
    const int certainty = atn_plan_rule_certainty(a, b);
    if (refutes(a, b) || refutes(b, a))
        return refutes(a, b) ? -1 : 1;
    if (certainty != 0)
        return certainty;
    if (a->samples > 0 && b->samples > 0 && a->samples >= MORE_CERTAIN * b->samples)
        return -1;
    if (a->samples > 0 && b->samples > 0 && b->samples >= MORE_CERTAIN * a->samples)
        return 1;
    if (a->date != b->date)
        return newer(a, b) ? -1 : 1;
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps ? -1 : 1;
    char x[ATN_WORD_ROOM], y[ATN_WORD_ROOM];
    atn_plan_choice_print(&a->use, x);
    atn_plan_choice_print(&b->use, y);
    return strcmp(x, y);
}

bool atn_plan_rule_outweighs(const atn_rule *a, const atn_rule *b)
{
    const atn_backing x = atn_plan_rule_backing(a), y = atn_plan_rule_backing(b);
    if (x != y || x != ATN_MEASURED)
        return x < y;
    return by_evidence(a, b) < 0;
}

/* Different choices for one problem; the loser becomes the runner-up of a measured winner, unless
 * it is the newer one and the winner has another: weak evidence does not displace that either. */
static atn_rule decide(const atn_rule *old, const atn_rule *news)
{
    const atn_backing x = atn_plan_rule_backing(old), y = atn_plan_rule_backing(news);
    const bool guesses = x == y && x == ATN_GUESSED;
    const bool old_wins = guesses ? newer(old, news) : atn_plan_rule_outweighs(old, news);
    atn_rule winner = old_wins ? *old : *news;
    const atn_rule *loser = old_wins ? news : old;
    if (x == ATN_MEASURED && y == ATN_MEASURED &&
        (winner.next.row == NULL || newer(&winner, loser))) {
        winner.next = loser->use;
        winner.next_ps = loser->time_ps;
    }
    return winner;
}

/* Measured outweighs inferred, also for equal choices. */
static atn_rule settle(const atn_rule *old, const atn_rule *news)
{
    const atn_backing x = atn_plan_rule_backing(old), y = atn_plan_rule_backing(news);
    const bool alike = atn_plan_same_choice(&old->use, &news->use);
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
        if (atn_plan_rule_same_problem(&list->v[i], rule))
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

/* What people wrote stays in their order and comes first; then what was measured, the more certain
 * before the less, because the first rule that matches is used; guesses last.  Of those that are as
 * certain the narrower range comes first. */
static bool comes_before(const atn_rule *a, const atn_rule *b)
{
    const atn_backing x = atn_plan_rule_backing(a), y = atn_plan_rule_backing(b);
    if (x != y || x == ATN_BY_HAND)
        return x < y;
    const int certainty = x == ATN_MEASURED ? atn_plan_rule_certainty(a, b) : 0;
    if (certainty != 0)
        return certainty < 0;
    if (width(a->bytes) != width(b->bytes))
        return width(a->bytes) < width(b->bytes);
    return width(a->ranks) < width(b->ranks);
}

static bool compete(const atn_rule *a, const atn_rule *b)
{
    return a->op == b->op && a->place == b->place && atn_plan_spans_overlap(a->ranks, b->ranks) &&
           atn_plan_spans_overlap(a->bytes, b->bytes) && atn_plan_rule_backing(a) == ATN_MEASURED &&
           atn_plan_rule_backing(b) == ATN_MEASURED;
}

/* Old intervals are meaningless for a machine that has changed. */
static void outdate(rule_list *list)
{
    for (int i = 0; i < list->n; i++)
        for (int k = 0; k < list->n; k++)
            if (compete(&list->v[i], &list->v[k]) && refutes(&list->v[k], &list->v[i]))
                list->v[i].ci_ps = -1;
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
            atn_plan_rules_provenance(rules, entry->key) == NULL || strcmp(entry->key, "date") == 0;
        if (take && !atn_plan_rules_describe(rules, entry->key, entry->value))
            return false;
    }
    return true;
}

atn_rules *atn_plan_wisdom_join(const atn_rules *old, const atn_rules *news)
{
    rule_list all = {0};
    atn_rules *rules = NULL;
    if (gather(old, news, &all)) {
        outdate(&all);
        sort(&all);
        rules = atn_plan_rules_make(all.v, all.n, old);
    }
    atn_vec_free(&all);
    if (rules != NULL && !add_provenance(rules, news)) {
        atn_plan_rules_free(rules);
        rules = NULL;
    }
    return rules;
}
