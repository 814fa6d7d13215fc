/* cover.c - covers every term of one sum with parts of another. */
#include "research/taulop/cover.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- proof steps ---- */

__attribute__((format(printf, 2, 3))) static void add_step(atn_tau_proof *p, const char *format,
                                                           ...)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = atn_open_text(&text, &bytes);
    va_list args;
    if (!f) {
        p->failed = true;
        return;
    }
    va_start(args, format);
    vfprintf(f, format, args);
    va_end(args);
    if (fclose(f) != 0 || !atn_push(&p->v, text)) {
        p->failed = true;
        free(text);
    }
}

void atn_tau_proof_free(atn_tau_proof *p)
{
    for (int i = 0; i < p->v.n; i++)
        free(p->v.v[i]);
    atn_vec_free(&p->v);
}

/* ---- rules ---- */

/* Units of x that cover one unit of y; 0: x cannot cover y. */
typedef int64_t cover_ratio(const atn_term *x, const atn_term *y);

static bool degree_at_least(const atn_term *x, const atn_term *y)
{
    return atn_tau_form_at_least(&x->tau, &y->tau);
}

static int64_t equal(const atn_term *x, const atn_term *y)
{
    return x->channel == y->channel && atn_tau_form_equal(&x->tau, &y->tau);
}

static int64_t higher_degree(const atn_term *x, const atn_term *y)
{
    return x->channel == y->channel && degree_at_least(x, y);
}

static int64_t serialized(const atn_term *x, const atn_term *y)
{
    if (x->channel != y->channel || x->kind == ATN_TAU_O || !atn_tau_form_is_number(&x->tau) ||
        !atn_tau_form_is_number(&y->tau) || x->tau.one.den != 1 || y->tau.one.den != 1 ||
        x->tau.one.num < 1)
        return 0;
    return (y->tau.one.num + x->tau.one.num - 1) / x->tau.one.num;
}

static int64_t slower_channel(const atn_term *x, const atn_term *y)
{
    return x->channel > y->channel && degree_at_least(x, y);
}

static int64_t slower_even_alone(const atn_term *x, const atn_term *y)
{
    return x->channel > y->channel;
}

static const struct {
    const char *name, *sign, *why;
    cover_ratio *ratio;
    bool axiom, strict;
} rules[] = {
    {"C1", "=", "on both sides", equal, false, false},
    {"C4", ">=", "higher concurrency", higher_degree, false, false},
    {"C3", ">=", "serialization is no faster", serialized, false, false},
    {"C2", ">", "the slower channel", slower_channel, true, true},
    {"C5", ">", "the slower channel, even alone", slower_even_alone, true, true},
};
enum { RULES = sizeof rules / sizeof *rules };

/* ---- covering ---- */

typedef struct {
    const atn_term *t;
    atn_form left; /* not yet used or covered */
} item;

typedef struct {
    item *x, *y;
    int nx, ny;
    bool strict;
    atn_tau_proof *proof;
} balance;

static void add_cover_step(balance *a, int rule, const atn_term *x, const atn_term *y)
{
    if (!a->proof)
        return;
    char *s = atn_tau_term_text(x, a->proof->style), *t = atn_tau_term_text(y, a->proof->style);
    if (!s || !t)
        a->proof->failed = true;
    else if (rule == 0)
        add_step(a->proof, "%s: %s %s", rules[rule].name, s, rules[rule].why);
    else
        add_step(a->proof, "%s: %s %s %s (%s)", rules[rule].name, s, rules[rule].sign, t,
                 rules[rule].why);
    free(s);
    free(t);
}

static bool can_cover(int rule, const item *x, const item *y)
{
    const atn_form none = atn_tau_form_int(0);
    return !atn_tau_form_is(&x->left, 0) && atn_tau_form_at_least(&x->left, &none) &&
           atn_tau_term_same_class(x->t, y->t) && rules[rule].ratio(x->t, y->t) > 0;
}

/* x covers as much of y as it can; false: amounts cannot be ordered. */
static bool cover(balance *a, int rule, item *x, item *y)
{
    const atn_form by = atn_tau_form_int(rules[rule].ratio(x->t, y->t));
    const atn_form need = atn_tau_form_mul(y->left, by);
    const bool whole = atn_tau_form_at_least(&x->left, &need);
    if (!whole && !atn_tau_form_at_least(&need, &x->left))
        return false;
    const atn_form given = whole ? need : x->left, got = atn_tau_form_div(given, by);
    const atn_term gives = atn_tau_term_of_amount(x->t, given),
                   gets = atn_tau_term_of_amount(y->t, got);
    add_cover_step(a, rule, &gives, &gets);
    a->strict = a->strict || rules[rule].strict;
    x->left = atn_tau_form_sub(x->left, given);
    y->left = atn_tau_form_sub(y->left, got);
    return true;
}

/* Whether to use x before z: the lower channel, then the lower degree, which leaves the others for
 * the terms that need them. */
static bool cheaper(const atn_term *x, const atn_term *z)
{
    if (x->channel != z->channel)
        return x->channel < z->channel;
    return atn_tau_form_order(&x->tau, &z->tau) < 0;
}

/* By C3 the higher degree covers more, so it is used first. */
static bool better(int rule, const item *x, const item *z)
{
    return rules[rule].ratio == serialized ? cheaper(z->t, x->t) : cheaper(x->t, z->t);
}

static void cover_term(balance *a, int rule, item *y)
{
    while (!atn_tau_form_is(&y->left, 0)) {
        item *best = NULL;
        for (int i = 0; i < a->nx; i++)
            if (can_cover(rule, &a->x[i], y) && (!best || better(rule, &a->x[i], best)))
                best = &a->x[i];
        if (!best || !cover(a, rule, best, y))
            return;
    }
}

static bool has_remainder(const item *v, int n)
{
    for (int i = 0; i < n; i++)
        if (!atn_tau_form_is(&v[i].left, 0))
            return true;
    return false;
}

static void add_remainder(balance *a)
{
    atn_terms rest = {0};
    bool whole = true;
    for (int i = 0; i < a->nx && whole; i++)
        if (!atn_tau_form_is(&a->x[i].left, 0))
            whole = atn_push(&rest, atn_tau_term_of_amount(a->x[i].t, a->x[i].left));
    char *text = whole ? atn_tau_terms_text(&rest, a->proof->style) : NULL;
    if (text)
        add_step(a->proof, "remainder: %s", text);
    a->proof->failed = a->proof->failed || !text;
    free(text);
    atn_vec_free(&rest);
}

static atn_cover cover_all(balance *a, bool slower)
{
    for (int rule = 0; rule < RULES; rule++)
        for (int j = a->ny - 1; j >= 0 && (slower || !rules[rule].axiom); j--)
            cover_term(a, rule, &a->y[j]);
    if (has_remainder(a->y, a->ny))
        return ATN_COVER_NO;
    if (a->proof && has_remainder(a->x, a->nx))
        add_remainder(a);
    return a->strict || has_remainder(a->x, a->nx) ? ATN_COVER_MORE : ATN_COVER_AT_LEAST;
}

static item *itemise(const atn_terms *t)
{
    item *v = malloc(sizeof *v * ((size_t)t->n + 1));
    for (int i = 0; v && i < t->n; i++)
        v[i] = (item){&t->v[i], atn_tau_term_amount(&t->v[i])};
    return v;
}

static atn_cover cover_sums(const atn_terms *x, const atn_terms *y, bool slower,
                            atn_tau_proof *proof)
{
    balance a = {.x = itemise(x), .y = itemise(y), .nx = x->n, .ny = y->n, .proof = proof};
    const atn_cover answer = a.x && a.y ? cover_all(&a, slower) : ATN_COVER_NO;
    free(a.x);
    free(a.y);
    return answer;
}

/* ---- maxima ---- */

static bool has_maximum(const atn_terms *t)
{
    return t->n > 0 && t->v[t->n - 1].kind == ATN_TAU_MAX; /* maxima are sorted to the end */
}

/* A copy in which each maximum is replaced by its last operand, of the slowest channel (a lower
 * bound), or by the sum of all (an upper bound). */
static bool bounded(const atn_terms *t, bool above, atn_terms *to, atn_tau_proof *proof)
{
    bool whole = true;
    *to = (atn_terms){0};
    for (int i = 0; i < t->n && whole; i++) {
        const atn_term *x = &t->v[i];
        const atn_terms one = {.v = &t->v[i], .n = 1};
        if (x->kind != ATN_TAU_MAX) {
            whole = atn_tau_terms_append(to, &one, atn_tau_form_int(1));
            continue;
        }
        char *text = proof ? atn_tau_term_text(x, proof->style) : NULL;
        if (text)
            add_step(proof, "bound: %s is %s", text,
                     above ? "at most the sum of its operands" : "at least its last operand");
        free(text);
        for (int k = above ? 0 : x->nof - 1; k < x->nof && whole; k++)
            whole = atn_tau_terms_append(to, &x->of[k], x->coef);
    }
    return whole && atn_tau_terms_merge(to, NULL) == ATN_OK;
}

static bool identical(const atn_terms *x, const atn_terms *y)
{
    char *s = atn_tau_terms_text(x, ATN_TAU_ASCII), *t = atn_tau_terms_text(y, ATN_TAU_ASCII);
    const bool same = s && t && strcmp(s, t) == 0;
    free(s);
    free(t);
    return same;
}

atn_cover atn_tau_terms_cover(const atn_terms *x, const atn_terms *y, bool slower,
                              atn_tau_proof *proof)
{
    atn_terms low, high;
    if (identical(x, y)) {
        if (proof)
            add_step(proof, "both sides are equal");
        return ATN_COVER_EQUAL;
    }
    if (!has_maximum(x) && !has_maximum(y))
        return cover_sums(x, y, slower, proof);
    const bool below = bounded(x, false, &low, proof), above = bounded(y, true, &high, proof);
    const atn_cover answer = below && above ? cover_sums(&low, &high, slower, proof) : ATN_COVER_NO;
    atn_tau_terms_free(&low);
    atn_tau_terms_free(&high);
    return answer == ATN_COVER_AT_LEAST || answer == ATN_COVER_MORE ? answer : ATN_COVER_NO;
}
