/* terms.c - sums of terms: merging, sorting, printing. */
#include "research/taulop/terms.h"

#include <stdlib.h>
#include <string.h>

void atn_tau_terms_free(atn_terms *t)
{
    for (int i = 0; i < t->n; i++) {
        for (int k = 0; k < t->v[i].nof; k++)
            atn_tau_terms_free(&t->v[i].of[k]);
        free(t->v[i].of);
    }
    atn_vec_free(t);
}

static bool copy_operands(const atn_term *from, atn_term *to)
{
    to->of = calloc((size_t)from->nof, sizeof *to->of);
    to->nof = 0;
    while (to->of && to->nof < from->nof) {
        if (!atn_tau_terms_copy(&from->of[to->nof], &to->of[to->nof]))
            return false;
        to->nof++;
    }
    return to->of;
}

bool atn_tau_terms_append(atn_terms *t, const atn_terms *more, atn_form by)
{
    for (int i = 0; i < more->n; i++) {
        atn_term x = more->v[i];
        x.coef = atn_tau_form_mul(x.coef, by);
        const bool whole = x.nof == 0 || copy_operands(&more->v[i], &x);
        if (!atn_push(t, x) || !whole)
            return false;
    }
    return true;
}

bool atn_tau_terms_copy(const atn_terms *t, atn_terms *to)
{
    *to = (atn_terms){0};
    return atn_tau_terms_append(to, t, atn_tau_form_int(1));
}

/* ---- conversion to expressions ---- */

static atn_tau *term_tau(const atn_term *t)
{
    atn_tau *x;
    if (t->kind == ATN_TAU_MAX) {
        x = atn_tau_terms_tau(&t->of[0]);
        for (int i = 1; i < t->nof; i++)
            x = atn_tau_pair(ATN_TAU_MAX, x, atn_tau_terms_tau(&t->of[i]));
    } else {
        x = atn_tau_leaf(t->kind, t->channel, t->size, t->tau);
        if (x)
            x->sizeless = t->sizeless;
    }
    return atn_tau_form_is(&t->coef, 1) ? x : atn_tau_factor(ATN_TAU_TIMES, t->coef, x);
}

atn_tau *atn_tau_terms_tau(const atn_terms *t)
{
    if (t->n == 0)
        return atn_tau_leaf(ATN_TAU_SUM, 0, atn_tau_form_int(0), atn_tau_form_int(1));
    atn_tau *x = term_tau(&t->v[0]);
    for (int i = 1; i < t->n; i++)
        x = atn_tau_pair(ATN_TAU_SUM, x, term_tau(&t->v[i]));
    return x;
}

char *atn_tau_terms_text(const atn_terms *t, atn_tau_style style)
{
    atn_tau *x = atn_tau_terms_tau(t);
    char *text = x ? atn_tau_text(x, style) : NULL;
    atn_tau_free(x);
    return text;
}

char *atn_tau_term_text(const atn_term *t, atn_tau_style style)
{
    atn_term one = *t;
    const atn_terms list = {.v = &one, .n = 1};
    return atn_tau_terms_text(&list, style);
}

/* ---- amounts ---- */

static bool counted(const atn_term *t)
{
    return t->kind == ATN_TAU_O || t->kind == ATN_TAU_MAX || atn_tau_form_is(&t->size, 0);
}

/* Only S is counted in segments: "2k segments" is linear, 2k times S bytes is not. */
static bool in_segments(const atn_term *t)
{
    return !counted(t) && t->size.n == 1 && t->size.one.num == 0 &&
           strcmp(t->size.part[0].name, "S") == 0;
}

atn_form atn_tau_term_amount(const atn_term *t)
{
    atn_form symbol, factor;
    if (counted(t))
        return t->coef;
    if (in_segments(t) && atn_tau_form_single(&t->size, &symbol, &factor))
        return atn_tau_form_mul(t->coef, factor);
    return atn_tau_form_mul(t->coef, t->size);
}

bool atn_tau_term_same_class(const atn_term *a, const atn_term *b)
{
    return a->kind == b->kind && a->kind != ATN_TAU_MAX && counted(a) == counted(b) &&
           in_segments(a) == in_segments(b);
}

atn_term atn_tau_term_of_amount(const atn_term *t, atn_form amount)
{
    atn_term x = *t;
    atn_form symbol, factor;
    x.coef = atn_tau_form_int(1);
    x.size = amount;
    if (counted(t) || in_segments(t)) {
        x.coef = amount;
        x.size = counted(t) ? t->size : atn_tau_form_symbol("S");
    } else if (t->kind != ATN_TAU_T && atn_tau_form_single(&amount, &symbol, &factor)) {
        x.coef = factor;
        x.size = symbol;
    }
    return x;
}

/* ---- merging ---- */

static int group(const atn_term *t)
{
    static const int order[] = {[ATN_TAU_O] = 0, [ATN_TAU_L] = 1, [ATN_TAU_G] = 2,
                                [ATN_TAU_C] = 3, [ATN_TAU_T] = 4, [ATN_TAU_MAX] = 5};
    return order[t->kind];
}

/* Transfers by ascending degree, transmissions by descending degree, as in the literature. */
static int by_place(const void *a, const void *b)
{
    const atn_term *x = a, *y = b;
    if (group(x) != group(y))
        return group(x) - group(y);
    if (x->channel != y->channel)
        return x->channel - y->channel;
    const int tau = atn_tau_form_order(&x->tau, &y->tau);
    if (tau)
        return x->kind == ATN_TAU_T ? -tau : tau;
    return atn_tau_form_order(&x->size, &y->size);
}

static void normalise(atn_term *t)
{
    atn_form symbol, factor;
    if (counted(t))
        return;
    if (t->kind == ATN_TAU_T) {
        const atn_form size = atn_tau_form_mul(t->coef, t->size);
        if (!atn_tau_form_is_bad(&size)) {
            t->size = size;
            t->coef = atn_tau_form_int(1);
        }
    } else if (atn_tau_form_single(&t->size, &symbol, &factor)) {
        t->coef = atn_tau_form_mul(t->coef, factor);
        t->size = symbol;
    }
}

static bool equal_maxima(const atn_term *a, const atn_term *b)
{
    atn_term x = *a, y = *b;
    x.coef = y.coef = atn_tau_form_int(1);
    char *s = atn_tau_term_text(&x, ATN_TAU_ASCII), *t = atn_tau_term_text(&y, ATN_TAU_ASCII);
    const bool equal = s && t && strcmp(s, t) == 0;
    free(s);
    free(t);
    return equal;
}

static bool alike(const atn_term *a, const atn_term *b)
{
    if (a->kind != b->kind || a->channel != b->channel || a->sizeless != b->sizeless)
        return false;
    if (a->kind == ATN_TAU_MAX)
        return equal_maxima(a, b);
    return atn_tau_form_equal(&a->tau, &b->tau);
}

/* Adds b to a; false: they remain two terms. */
static bool add(atn_term *a, const atn_term *b)
{
    const bool ones = atn_tau_form_is(&a->coef, 1) && atn_tau_form_is(&b->coef, 1);
    if (!alike(a, b))
        return false;
    if (a->kind == ATN_TAU_T && ones) {
        a->size = atn_tau_form_add(a->size, b->size);
        return true;
    }
    if (a->kind == ATN_TAU_MAX || atn_tau_form_equal(&a->size, &b->size)) {
        a->coef = atn_tau_form_add(a->coef, b->coef);
        return true;
    }
    if (a->kind != ATN_TAU_O && !counted(a) && !counted(b) && atn_tau_form_is_number(&a->size) &&
        atn_tau_form_is_number(&b->size)) {
        a->coef = atn_tau_form_add(a->coef,
                                   atn_tau_form_mul(b->coef, atn_tau_form_div(b->size, a->size)));
        return true;
    }
    return false;
}

static void drop(atn_term *t)
{
    atn_terms one = {.v = t, .n = 1};
    for (int k = 0; k < one.v->nof; k++)
        atn_tau_terms_free(&one.v->of[k]);
    free(t->of);
}

static bool is_nothing(const atn_term *t)
{
    return atn_tau_form_is(&t->coef, 0) || (t->kind == ATN_TAU_T && atn_tau_form_is(&t->size, 0)) ||
           (t->kind != ATN_TAU_O && atn_tau_form_is(&t->tau, 0)) ||
           (t->kind == ATN_TAU_C && atn_tau_form_is(&t->size, 0));
}

atn_status atn_tau_terms_merge(atn_terms *t, atn_error *err)
{
    int n = 0;
    for (int i = 0; i < t->n; i++)
        normalise(&t->v[i]);
    if (t->n > 1)
        qsort(t->v, (size_t)t->n, sizeof *t->v, by_place);
    for (int i = 0; i < t->n; i++) {
        int k = n;
        while (!is_nothing(&t->v[i]) && k > 0 && !add(&t->v[k - 1], &t->v[i]))
            k--;
        if (k > 0 || is_nothing(&t->v[i]))
            drop(&t->v[i]);
        else
            t->v[n++] = t->v[i];
    }
    t->n = n;
    for (int i = 0; i < t->n; i++)
        if (atn_tau_form_is_bad(&t->v[i].coef) || atn_tau_form_is_bad(&t->v[i].size) ||
            atn_tau_form_is_bad(&t->v[i].tau))
            return atn_fail(err, ATN_INPUT, "number too large, or product of symbols");
    return ATN_OK;
}

/* ---- concurrent sequences ---- */

typedef struct {
    const atn_terms *actors;
    int n;
    int *head;       /* of each sequence */
    atn_form *spent; /* of each head */
} progress;

/* Whether they contend when they run concurrently. */
static bool meet(const atn_term *a, const atn_term *b)
{
    return a->kind == b->kind && a->channel == b->channel && counted(a) == counted(b);
}

/* The next term of a sequence that contends with `like`; NULL: none. */
static const atn_term *current(progress *x, int i, const atn_term *like)
{
    const atn_terms *t = &x->actors[i];
    while (x->head[i] < t->n && !meet(&t->v[x->head[i]], like)) {
        x->head[i]++;
        x->spent[i] = atn_tau_form_int(0);
    }
    return x->head[i] < t->n ? &t->v[x->head[i]] : NULL;
}

static atn_form left(progress *x, int i, const atn_term *like)
{
    return atn_tau_form_sub(atn_tau_term_amount(current(x, i, like)), x->spent[i]);
}

/* The shortest head and its remaining amount; NULL: undecidable. */
static const atn_term *shortest(progress *x, const atn_term *like, atn_form *d)
{
    const atn_term *least = NULL;
    for (int i = 0; i < x->n; i++) {
        const atn_term *t = current(x, i, like);
        if (!t)
            continue;
        const atn_form mine = left(x, i, like);
        const bool shorter = !least || atn_tau_form_at_least(d, &mine);
        if (least && (!atn_tau_term_same_class(t, least) || /* bytes and segments */
                      (!shorter && !atn_tau_form_at_least(&mine, d))))
            return NULL;
        if (shorter) {
            *d = mine;
            least = t;
        }
    }
    return least && !atn_tau_form_is_bad(d) ? least : NULL;
}

/* All heads advance by d; returns the sum of their degrees. */
static atn_form advance(progress *x, const atn_term *like, atn_form d)
{
    atn_form tau = atn_tau_form_int(0);
    for (int i = 0; i < x->n; i++) {
        const atn_term *t = current(x, i, like);
        if (!t)
            continue;
        tau = atn_tau_form_add(tau, t->tau);
        const atn_form rest = atn_tau_form_sub(left(x, i, like), d);
        x->spent[i] = atn_tau_form_add(x->spent[i], d);
        if (atn_tau_form_is(&rest, 0)) {
            x->head[i]++;
            x->spent[i] = atn_tau_form_int(0);
        }
    }
    return tau;
}

static bool under_way(progress *x, const atn_term *like)
{
    for (int i = 0; i < x->n; i++)
        if (current(x, i, like))
            return true;
    return false;
}

static atn_status run_class(progress *x, const atn_term *like, atn_terms *out, atn_error *err)
{
    for (int i = 0; i < x->n; i++) {
        x->head[i] = 0;
        x->spent[i] = atn_tau_form_int(0);
    }
    while (under_way(x, like)) {
        atn_form d;
        const atn_term *least = shortest(x, like, &d);
        if (!least)
            return atn_fail(err, ATN_INPUT, "cannot order the sizes of concurrent terms");
        atn_term t = atn_tau_term_of_amount(least, d);
        t.tau = advance(x, like, d);
        if (like->kind == ATN_TAU_O)
            t.tau = atn_tau_form_int(1); /* overheads do not contend */
        if (!atn_push(out, t))
            return atn_fail(err, ATN_MEMORY, "out of memory");
    }
    return ATN_OK;
}

/* The first term of its class and channel among all sequences. */
static bool opens_class(const atn_terms *actors, int i, int k)
{
    const atn_term *t = &actors[i].v[k];
    for (int a = 0; a <= i; a++)
        for (int b = 0; b < (a < i ? actors[a].n : k); b++)
            if (meet(&actors[a].v[b], t))
                return false;
    return true;
}

static atn_status run_all(progress *x, atn_terms *out, atn_error *err)
{
    atn_status st = ATN_OK;
    for (int i = 0; i < x->n; i++)
        for (int k = 0; k < x->actors[i].n && !st; k++) {
            if (x->actors[i].v[k].kind == ATN_TAU_MAX)
                return atn_fail(err, ATN_INPUT, "cannot simplify a maximum among concurrent terms");
            if (opens_class(x->actors, i, k))
                st = run_class(x, &x->actors[i].v[k], out, err);
        }
    return st;
}

atn_status atn_tau_terms_progress(const atn_terms *actors, int n, atn_terms *out, atn_error *err)
{
    progress x = {.actors = actors,
                  .n = n,
                  .head = calloc((size_t)n + 1, sizeof *x.head),
                  .spent = calloc((size_t)n + 1, sizeof *x.spent)};
    const atn_status st =
        x.head && x.spent ? run_all(&x, out, err) : atn_fail(err, ATN_MEMORY, "out of memory");
    free(x.head);
    free(x.spent);
    return st;
}
