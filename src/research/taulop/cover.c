/* tau_cover.c - pays every term of one sum with parts of another. */
#include "research/taulop/cover.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- sentences ---- */

void atn_proof_say(atn_proof *p, const char *format, ...)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    va_list args;
    if (!f) {
        p->failed = true;
        return;
    }
    va_start(args, format);
    vfprintf(f, format, args);
    va_end(args);
    fclose(f);
    if (!atn_push(&p->v, text)) {
        p->failed = true;
        free(text);
    }
}

void atn_proof_free(atn_proof *p)
{
    for (int i = 0; i < p->v.n; i++)
        free(p->v.v[i]);
    atn_vec_free(&p->v);
}

/* ---- rules ---- */

/* How many units of x pay for one of y; 0: none do. */
typedef int64_t price(const atn_term *x, const atn_term *y);

static bool no_less_at_a_time(const atn_term *x, const atn_term *y)
{
    return atn_form_at_least(&x->tau, &y->tau);
}

static int64_t equal(const atn_term *x, const atn_term *y)
{
    return x->channel == y->channel && atn_form_equal(&x->tau, &y->tau);
}

static int64_t more_at_a_time(const atn_term *x, const atn_term *y)
{
    return x->channel == y->channel && no_less_at_a_time(x, y);
}

static int64_t one_after_the_other(const atn_term *x, const atn_term *y)
{
    if (x->channel != y->channel || x->kind == ATN_TAU_O || !atn_form_is_number(&x->tau) ||
        !atn_form_is_number(&y->tau) || x->tau.one.den != 1 || y->tau.one.den != 1 ||
        x->tau.one.num < 1)
        return 0;
    return (y->tau.one.num + x->tau.one.num - 1) / x->tau.one.num;
}

static int64_t slower_channel(const atn_term *x, const atn_term *y)
{
    return x->channel > y->channel && no_less_at_a_time(x, y);
}

static int64_t slower_even_alone(const atn_term *x, const atn_term *y)
{
    return x->channel > y->channel;
}

static const struct {
    const char *name, *sign, *why;
    price *price;
    bool axiom, strict;
} rules[] = {
    {"C1", "=", "is on both sides", equal, false, false},
    {"C4", ">=", "more at a time", more_at_a_time, false, false},
    {"C3", ">=", "one after the other is no faster", one_after_the_other, false, false},
    {"C2", ">", "the slower channel", slower_channel, true, true},
    {"C5", ">", "the slower channel, even alone", slower_even_alone, true, true},
};
enum { RULES = sizeof rules / sizeof *rules };

/* ---- paying ---- */

typedef struct {
    const atn_term *t;
    atn_form left; /* of its amount */
} item;

typedef struct {
    item *x, *y;
    int nx, ny;
    bool strict;
    atn_proof *proof;
} account;

static void say_payment(account *a, int rule, const atn_term *x, const atn_term *y)
{
    if (!a->proof)
        return;
    char *s = atn_term_text(x, a->proof->style), *t = atn_term_text(y, a->proof->style);
    if (!s || !t)
        a->proof->failed = true;
    else if (rule == 0)
        atn_proof_say(a->proof, "%s: %s %s", rules[rule].name, s, rules[rule].why);
    else
        atn_proof_say(a->proof, "%s: %s %s %s (%s)", rules[rule].name, s, rules[rule].sign, t,
                      rules[rule].why);
    free(s);
    free(t);
}

static bool serves(int rule, const item *x, const item *y)
{
    const atn_form none = atn_form_int(0);
    return !atn_form_is(&x->left, 0) && atn_form_at_least(&x->left, &none) &&
           atn_term_same_class(x->t, y->t) && rules[rule].price(x->t, y->t) > 0;
}

/* x pays for as much of y as it can; false: amounts cannot be ordered. */
static bool pay(account *a, int rule, item *x, item *y)
{
    const atn_form by = atn_form_int(rules[rule].price(x->t, y->t));
    const atn_form need = atn_form_mul(y->left, by);
    const bool whole = atn_form_at_least(&x->left, &need);
    if (!whole && !atn_form_at_least(&need, &x->left))
        return false;
    const atn_form given = whole ? need : x->left, got = atn_form_div(given, by);
    const atn_term gives = atn_term_of_amount(x->t, given), gets = atn_term_of_amount(y->t, got);
    say_payment(a, rule, &gives, &gets);
    a->strict = a->strict || rules[rule].strict;
    x->left = atn_form_sub(x->left, given);
    y->left = atn_form_sub(y->left, got);
    return true;
}

/* Whether x is a better payer than z: the lower channel, then the lower degree, so that the others
 * are left for the terms that need them. */
static bool cheaper(const atn_term *x, const atn_term *z)
{
    if (x->channel != z->channel)
        return x->channel < z->channel;
    return atn_form_order(&x->tau, &z->tau) < 0;
}

/* Where one after the other costs most degrees least, the higher degree is the better payer. */
static bool better(int rule, const item *x, const item *z)
{
    return rules[rule].price == one_after_the_other ? cheaper(z->t, x->t) : cheaper(x->t, z->t);
}

static void pay_item(account *a, int rule, item *y)
{
    while (!atn_form_is(&y->left, 0)) {
        item *best = NULL;
        for (int i = 0; i < a->nx; i++)
            if (serves(rule, &a->x[i], y) && (!best || better(rule, &a->x[i], best)))
                best = &a->x[i];
        if (!best || !pay(a, rule, best, y))
            return;
    }
}

static bool anything_left(const item *v, int n)
{
    for (int i = 0; i < n; i++)
        if (!atn_form_is(&v[i].left, 0))
            return true;
    return false;
}

static void say_rest(account *a)
{
    atn_terms rest = {0};
    bool whole = true;
    for (int i = 0; i < a->nx && whole; i++)
        if (!atn_form_is(&a->x[i].left, 0))
            whole = atn_push(&rest, atn_term_of_amount(a->x[i].t, a->x[i].left));
    char *text = whole ? atn_terms_text(&rest, a->proof->style) : NULL;
    if (text)
        atn_proof_say(a->proof, "left over: %s", text);
    a->proof->failed = a->proof->failed || !text;
    free(text);
    atn_vec_free(&rest);
}

static atn_cover settle(account *a, bool slower)
{
    for (int rule = 0; rule < RULES; rule++)
        for (int j = a->ny - 1; j >= 0 && (slower || !rules[rule].axiom); j--)
            pay_item(a, rule, &a->y[j]);
    if (anything_left(a->y, a->ny))
        return ATN_COVER_NO;
    if (a->proof && anything_left(a->x, a->nx))
        say_rest(a);
    return a->strict || anything_left(a->x, a->nx) ? ATN_COVER_MORE : ATN_COVER_AT_LEAST;
}

static item *itemise(const atn_terms *t)
{
    item *v = malloc(sizeof *v * ((size_t)t->n + 1));
    for (int i = 0; v && i < t->n; i++)
        v[i] = (item){&t->v[i], atn_term_amount(&t->v[i])};
    return v;
}

static atn_cover cover_sums(const atn_terms *x, const atn_terms *y, bool slower, atn_proof *proof)
{
    account a = {.x = itemise(x), .y = itemise(y), .nx = x->n, .ny = y->n, .proof = proof};
    const atn_cover answer = a.x && a.y ? settle(&a, slower) : ATN_COVER_NO;
    free(a.x);
    free(a.y);
    return answer;
}

/* ---- maxima ---- */

static bool has_maximum(const atn_terms *t)
{
    return t->n > 0 && t->v[t->n - 1].kind == ATN_TAU_MAX; /* they are sorted to the end */
}

/* A copy in which a maximum is its last operand, of the slowest channel (a lower bound), or the sum
 * of all (an upper bound). */
static bool bounded(const atn_terms *t, bool above, atn_terms *to, atn_proof *proof)
{
    bool whole = true;
    *to = (atn_terms){0};
    for (int i = 0; i < t->n && whole; i++) {
        const atn_term *x = &t->v[i];
        const atn_terms one = {.v = &t->v[i], .n = 1};
        if (x->kind != ATN_TAU_MAX) {
            whole = atn_terms_append(to, &one, atn_form_int(1));
            continue;
        }
        char *text = proof ? atn_term_text(x, proof->style) : NULL;
        if (text)
            atn_proof_say(proof, "bound: %s is %s", text,
                          above ? "at most the sum of both" : "at least its last part");
        free(text);
        for (int k = above ? 0 : x->nof - 1; k < x->nof && whole; k++)
            whole = atn_terms_append(to, &x->of[k], x->coef);
    }
    return whole && atn_terms_merge(to, NULL) == ATN_OK;
}

static bool identical(const atn_terms *x, const atn_terms *y)
{
    char *s = atn_terms_text(x, ATN_TAU_ASCII), *t = atn_terms_text(y, ATN_TAU_ASCII);
    const bool same = s && t && strcmp(s, t) == 0;
    free(s);
    free(t);
    return same;
}

atn_cover atn_terms_cover(const atn_terms *x, const atn_terms *y, bool slower, atn_proof *proof)
{
    atn_terms low, high;
    if (identical(x, y)) {
        if (proof)
            atn_proof_say(proof, "both sides are the same");
        return ATN_COVER_EQUAL;
    }
    if (!has_maximum(x) && !has_maximum(y))
        return cover_sums(x, y, slower, proof);
    const bool below = bounded(x, false, &low, proof), above = bounded(y, true, &high, proof);
    const atn_cover answer = below && above ? cover_sums(&low, &high, slower, proof) : ATN_COVER_NO;
    atn_terms_free(&low);
    atn_terms_free(&high);
    return answer == ATN_COVER_AT_LEAST || answer == ATN_COVER_MORE ? answer : ATN_COVER_NO;
}
