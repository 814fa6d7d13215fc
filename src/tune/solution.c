/* solution.c - see solution.h. */
#include "tune/solution.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/here.h"
#include "plan/patterns.h"
#include "plan/wisdom.h"
#include "tune/offline.h"
#include "tune/tuners.h"

/* ---- solved problems ---- */

static const atn_variant *with_fate(const atn_task *t, const char *fate)
{
    for (int i = 0; i < t->variants.n; i++)
        if (strcmp(t->variants.v[i].fate, fate) == 0)
            return &t->variants.v[i];
    return NULL;
}

static const atn_variant *in_final(const atn_task *t, const char *algorithm)
{
    const bool native = strcmp(algorithm, "native") == 0;
    for (int i = 0; i < t->variants.n; i++) {
        const atn_variant *v = &t->variants.v[i];
        if (v->role == (native ? ATN_ROLE_CONTROL : ATN_ROLE_NAMED) && v->seconds.n > 0 &&
            strcmp(v->algorithm, algorithm) == 0)
            return v;
    }
    return NULL;
}

static atn_estimate estimate(const atn_variant *v)
{
    double *copy = malloc((size_t)v->seconds.n * sizeof *copy);
    atn_estimate e = {v->seconds.v[0], v->seconds.v[0], v->seconds.v[0]};
    if (copy != NULL) {
        memcpy(copy, v->seconds.v, (size_t)v->seconds.n * sizeof *copy);
        e = atn_median(copy, v->seconds.n);
    }
    free(copy);
    return e;
}

/* The fastest other one in the final. */
static void find_next(atn_solution *x)
{
    for (int i = 0; i < x->task->variants.n; i++) {
        const atn_variant *v = &x->task->variants.v[i];
        if ((v->role != ATN_ROLE_CONTROL && v->role != ATN_ROLE_NAMED) || v->seconds.n == 0 ||
            strcmp(v->algorithm, x->use) == 0)
            continue;
        const double t = estimate(v).mid;
        if (x->next == NULL || t < x->next_s) {
            x->next = v->algorithm;
            x->next_s = t;
        }
    }
}

static void find_rival(atn_solution *x, const atn_variant *native)
{
    const atn_variant *first = with_fate(x->task, atn_tune_fate_words[ATN_FATE_FIRST]);
    const atn_variant *rival = NULL;
    if (strcmp(x->use, "native") != 0)
        rival = in_final(x->task, x->use);
    else if (first != NULL)
        rival = in_final(x->task, first->algorithm);
    x->vs_native = (atn_estimate){1, 1, 1};
    if (rival == NULL)
        return;
    x->rival = rival->algorithm;
    x->vs_native = atn_tune_compare_with_native(rival->seconds.v, native->seconds.v,
                                                atn_min(rival->seconds.n, native->seconds.n), 0)
                       .vs_native;
}

bool atn_tune_solution_of(const atn_task *task, atn_solution *point_p)
{
    const atn_variant *won = with_fate(task, atn_tune_fate_words[ATN_FATE_WON]);
    const atn_variant *native = in_final(task, "native");
    const atn_variant *winner = won != NULL ? in_final(task, won->algorithm) : NULL;
    atn_solution x = {.task = task};
    if (winner == NULL || native == NULL || !atn_sched_operation_find(task->operation, &x.op))
        return false;
    x.use = winner->algorithm;
    x.time_s = estimate(winner);
    x.native_s = estimate(native);
    x.samples = winner->seconds.n;
    find_next(&x);
    find_rival(&x, native);
    *point_p = x;
    return true;
}

static int by_problem(const void *a, const void *b)
{
    const atn_solution *x = a, *y = b;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    return (x->task->bytes > y->task->bytes) - (x->task->bytes < y->task->bytes);
}

bool atn_tune_solutions_find(const atn_samples *s, atn_solutions *points_p)
{
    atn_solutions points = {0};
    bool ok = true;
    for (int i = 0; i < s->tasks.n && ok; i++) {
        atn_solution x;
        ok = !atn_tune_solution_of(&s->tasks.v[i], &x) || atn_push(&points, x);
    }
    if (!ok) {
        atn_vec_free(&points);
        return false;
    }
    if (points.n > 0)
        qsort(points.v, (size_t)points.n, sizeof *points.v, by_problem);
    *points_p = points;
    return true;
}

/* ---- crossing points ---- */

/* On a logarithmic scale; a multiple of eight, so that reductions have 64-bit operands. */
static int64_t between(int64_t lo, int64_t hi)
{
    const int64_t middle = (int64_t)llround(sqrt((double)(lo > 0 ? lo : 1) * (double)hi));
    return middle >= 64 ? middle / 8 * 8 : middle;
}

int atn_tune_solution_crossing(const int64_t *bytes, const char *const *use, int n, double closer,
                               int64_t *bytes_p)
{
    for (int i = 0; i + 1 < n; i++) {
        const int64_t middle = between(bytes[i], bytes[i + 1]);
        if (strcmp(use[i], use[i + 1]) == 0 || (double)bytes[i + 1] <= closer * (double)bytes[i] ||
            middle <= bytes[i] || middle >= bytes[i + 1])
            continue;
        *bytes_p = middle;
        return i;
    }
    return -1;
}

/* ---- rules ---- */

static atn_status read_choice(atn_operation op, const char *name, atn_choice *choice_p,
                              atn_error *err)
{
    char text[ATN_NAME_ROOM];
    snprintf(text, sizeof text, "%s", name);
    return atn_plan_choice_read(op, text, choice_p, err);
}

static int64_t picoseconds(double seconds) { return (int64_t)llround(seconds * 1e12); }

static atn_status rule_of(const atn_solution *x, atn_rule *rule, atn_error *err)
{
    const int64_t p = x->task->ranks;
    *rule = atn_plan_rule_blank(x->op);
    rule->ranks = (atn_span){p, p + 1};
    rule->time_ps = picoseconds(x->time_s.mid);
    if (x->samples >= ATN_INTERVAL_SAMPLES)
        rule->ci_ps = picoseconds(0.5 * (x->time_s.hi - x->time_s.lo));
    rule->samples = x->samples;
    atn_status status = read_choice(x->op, x->use, &rule->use, err);
    if (status == ATN_OK && x->next != NULL) {
        status = read_choice(x->op, x->next, &rule->next, err);
        if (x->next_s > x->time_s.mid) /* else native was not beaten by the margin */
            rule->next_ps = picoseconds(x->next_s);
    }
    return status;
}

static const atn_load *load_of(const atn_loads *loads, const atn_solution *x)
{
    for (int i = 0; i < loads->n; i++) {
        const atn_load *load = &loads->v[i];
        if ((load->op == x->op || load->op == ATN_OPERATIONS) && load->bytes == x->task->bytes)
            return load;
    }
    return NULL;
}

typedef ATN_VEC(atn_rule) rule_list;

/* Jobs look for results of patterns and programs at their own place only. */
static bool is_exact(int64_t place)
{
    return place != 0 && strchr(atn_interned(place), '*') == NULL;
}

/* -1: no memory. */
static int64_t owned(int64_t place, uint64_t owner)
{
    char text[ATN_HERE_ROOM + 24];
    snprintf(text, sizeof text, "%.*s" ATN_PLACE_OWNER "%016" PRIx64, ATN_HERE_ROOM,
             atn_interned(place), owner);
    return is_exact(place) ? atn_intern(text) : place;
}

/* Points of one operation: from point `first` up to `end`. */
typedef struct {
    const atn_solutions *points;
    int first, end;
    const atn_loads *loads;
} point_range;

/* Their sizes are shared. */
static atn_status add_ranges(const point_range *p, rule_list *list, atn_error *err)
{
    const char *before = NULL;
    atn_status status = ATN_OK;
    int last = -1;
    for (int i = p->first; i < p->end && status == ATN_OK; i++) {
        const atn_solution *x = &p->points->v[i];
        atn_rule rule;
        if (before != NULL && strcmp(before, x->use) == 0 && load_of(p->loads, x) == NULL)
            continue;
        status = rule_of(x, &rule, err);
        if (status != ATN_OK)
            break;
        if (atn_plan_pattern_of(&rule.use) != 0) /* other calls have other sizes */
            continue;
        rule.bytes = (atn_span){x->task->bytes, INT64_MAX};
        if (last >= 0)
            list->v[last].bytes.hi = x->task->bytes;
        before = x->use;
        last = list->n;
        if (!atn_push(list, rule))
            status = atn_fail(err, ATN_MEMORY, "out of memory");
    }
    return status;
}

/* ---- sizes that ranks do not share: one rule for all ---- */

/* Samples of an algorithm at a point: from the final, else from the screening. */
static const atn_variant *samples_of(const atn_task *t, const char *algorithm)
{
    const atn_variant *found = in_final(t, algorithm);
    for (int i = 0; i < t->variants.n && found == NULL; i++)
        if (t->variants.v[i].seconds.n > 0 && strcmp(t->variants.v[i].algorithm, algorithm) == 0)
            found = &t->variants.v[i];
    return found;
}

/* The sum over all loads; every size counts alike where its frequency is not given.  False: the
 * algorithm did not run everywhere. */
static bool total_of(const point_range *p, const char *algorithm, atn_estimate *sum_p)
{
    atn_estimate sum = {0, 0, 0};
    for (int i = p->first; i < p->end; i++) {
        const atn_solution *x = &p->points->v[i];
        const atn_variant *v = samples_of(x->task, algorithm);
        const atn_load *load = load_of(p->loads, x);
        if (v == NULL)
            return false;
        const atn_estimate t = estimate(v);
        const double weight =
            load != NULL && load->times > 0 ? (double)load->times : 1 / x->native_s.mid;
        sum = (atn_estimate){sum.mid + weight * t.mid, sum.lo + weight * t.lo,
                             sum.hi + weight * t.hi};
    }
    *sum_p = sum;
    return true;
}

/* Whether an algorithm may serve calls of any sizes. */
static bool is_general(atn_operation op, const char *name)
{
    atn_choice choice;
    return read_choice(op, name, &choice, NULL) == ATN_OK && atn_plan_pattern_of(&choice) == 0;
}

/* The point whose winner is best for all; -1: native is. */
static int best_for_all(const point_range *p, bool any)
{
    atn_estimate native, own;
    double least = INFINITY;
    int best = -1;
    if (!total_of(p, "native", &native))
        return -1;
    for (int i = p->first; i < p->end; i++)
        if (strcmp(p->points->v[i].use, "native") != 0 &&
            (any || is_general(p->points->v[i].op, p->points->v[i].use)) &&
            total_of(p, p->points->v[i].use, &own) &&
            own.hi <= (1 - atn_tune_offline_defaults.margin) * native.lo && own.mid < least) {
            least = own.mid;
            best = i;
        }
    return best;
}

static bool has_pattern(const point_range *p)
{
    for (int i = p->first; i < p->end; i++) {
        const atn_load *load = load_of(p->loads, &p->points->v[i]);
        if (load != NULL && load->pattern != 0)
            return true;
    }
    return false;
}

/* The point whose winner serves all calls; -1: native does. */
static int best_of(const point_range *p, bool any)
{
    const atn_solution *const x = &p->points->v[p->first];
    if (p->end - p->first > 1)
        return best_for_all(p, any);
    return any || is_general(x->op, x->use) ? p->first : -1;
}

static atn_status add_single(const point_range *p, const atn_tune_scope *scope, rule_list *list,
                             atn_error *err)
{
    const int best = best_of(p, scope->program != 0);
    atn_rule rule;
    if (best < 0 && has_pattern(p))
        return ATN_OK;
    atn_status status = rule_of(&p->points->v[best < 0 ? p->first : best], &rule, err);
    if (status == ATN_OK && best < 0) {
        const atn_span ranks = rule.ranks;
        rule = atn_plan_rule_blank(rule.op);
        rule.ranks = ranks;
        status = read_choice(rule.op, "native", &rule.use, err);
    }
    if (status == ATN_OK && scope->program != 0)
        rule.place = owned(scope->place, atn_plan_program_owner(scope->program, 0));
    if (status == ATN_OK && !atn_push(list, rule))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    return status;
}

/* ---- calls of a pattern ---- */

static atn_status add_patterns(const point_range *p, int64_t place, rule_list *list, atn_error *err)
{
    atn_status status = ATN_OK;
    for (int i = p->first; i < p->end && status == ATN_OK; i++) {
        const atn_solution *const x = &p->points->v[i];
        const atn_load *const load = load_of(p->loads, x);
        atn_rule rule;
        if (load == NULL || load->pattern == 0 || !is_exact(place))
            continue;
        status = rule_of(x, &rule, err);
        if (status != ATN_OK)
            break;
        rule.place = owned(place, atn_plan_pattern_owner(load->pattern, 0));
        rule.bytes = atn_tune_size_span(atn_plan_shares_bytes(x->op) ? x->task->bytes : -1);
        if (!atn_push(list, rule))
            status = atn_fail(err, ATN_MEMORY, "out of memory");
    }
    return status;
}

atn_status atn_tune_solutions_rules(const atn_solutions *points, const atn_loads *loads,
                                    int64_t date, const atn_tune_scope *scope, atn_rules **rules_p,
                                    atn_error *err)
{
    rule_list list = {0};
    atn_status status = ATN_OK;
    for (int first = 0, end; first < points->n && status == ATN_OK; first = end) {
        const atn_operation op = points->v[first].op;
        for (end = first; end < points->n && points->v[end].op == op;)
            end++;
        const point_range range = {points, first, end, loads};
        status = add_patterns(&range, scope->place, &list, err);
        if (status == ATN_OK)
            status = atn_plan_shares_bytes(op) && op != ATN_BARRIER
                         ? add_ranges(&range, &list, err)
                         : add_single(&range, scope, &list, err);
    }
    for (int i = 0; i < list.n; i++) {
        list.v[i].date = date;
        list.v[i].place = list.v[i].place != 0 ? list.v[i].place : scope->place;
    }
    if (status == ATN_OK) {
        *rules_p = atn_plan_rules_make(list.v, list.n, NULL);
        if (*rules_p == NULL)
            status = atn_fail(err, ATN_MEMORY, "out of memory");
    }
    atn_vec_free(&list);
    return status;
}

/* ---- a file ---- */

/* A measured rule whose range is divided differently now, or has another winner: tuning again
 * replaces the old result, however certain it was. */
static bool outdated(const atn_rule *old, const atn_rules *news)
{
    if (atn_plan_rule_backing(old) == ATN_BY_HAND)
        return false;
    for (int i = 0; i < atn_plan_rules_count(news); i++) {
        const atn_rule *x = atn_plan_rules_at(news, i);
        if (x->op == old->op && x->place == old->place &&
            atn_plan_spans_overlap(x->ranks, old->ranks) &&
            atn_plan_spans_overlap(x->bytes, old->bytes) &&
            (!atn_plan_rule_same_problem(x, old) || !atn_plan_same_choice(&x->use, &old->use)))
            return true;
    }
    return false;
}

static atn_status replace(void *context, const atn_rules *old, atn_rules **new_p, atn_error *err)
{
    const atn_rules *news = context;
    rule_list kept = {0};
    bool ok = true;
    for (int i = 0; i < atn_plan_rules_count(old) && ok; i++)
        ok = outdated(atn_plan_rules_at(old, i), news) ||
             atn_push(&kept, *atn_plan_rules_at(old, i));
    atn_rules *rest = ok ? atn_plan_rules_make(kept.v, kept.n, old) : NULL;
    *new_p = rest != NULL ? atn_plan_wisdom_join(rest, news) : NULL;
    atn_plan_rules_free(rest);
    atn_vec_free(&kept);
    return *new_p != NULL ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

atn_status atn_tune_solutions_merge(const char *path, const atn_rules *news, atn_error *err)
{
    atn_error why = {0};
    const atn_status status = atn_plan_wisdom_update(path, replace, (void *)news, &why);
    if (status == ATN_INPUT) /* damaged: the new rules are written beside it */
        return atn_plan_wisdom_merge(path, news, err);
    return status == ATN_OK ? ATN_OK : atn_fail(err, status, "%s", why.text);
}
