/* form.c - exact linear forms. */
#include "research/taulop/form.h"

#include <inttypes.h>
#include <string.h>

/* ---- fractions ---- */

static const atn_fraction bad = {0, 0};

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        const int64_t t = a % b;
        a = b;
        b = t;
    }
    return a < 0 ? -a : a;
}

static atn_fraction reduced(int64_t num, int64_t den)
{
    if (den == 0 || num == INT64_MIN || den == INT64_MIN)
        return bad;
    const int64_t by = (den < 0 ? -1 : 1) * gcd(num, den);
    return (atn_fraction){num / by, den / by};
}

static atn_fraction times(atn_fraction a, atn_fraction b)
{
    int64_t num, den;
    if (__builtin_mul_overflow(a.num, b.num, &num) || __builtin_mul_overflow(a.den, b.den, &den))
        return bad;
    return reduced(num, den);
}

static atn_fraction plus(atn_fraction a, atn_fraction b)
{
    int64_t x, y, num, den;
    if (__builtin_mul_overflow(a.num, b.den, &x) || __builtin_mul_overflow(b.num, a.den, &y) ||
        __builtin_add_overflow(x, y, &num) || __builtin_mul_overflow(a.den, b.den, &den))
        return bad;
    return reduced(num, den);
}

/* Exact: the precision of long double depends on the processor. */
static int compare(atn_fraction a, atn_fraction b)
{
    const __int128 x = (__int128)a.num * b.den, y = (__int128)b.num * a.den;
    return (x > y) - (x < y);
}

/* ---- forms ---- */

static const atn_form bad_form = {.one = {0, 0}};

atn_form atn_tau_form_fraction(int64_t num, int64_t den)
{
    return (atn_form){.one = reduced(num, den)};
}

atn_form atn_tau_form_symbol(const char *name)
{
    atn_form a = {.one = {0, 1}, .n = 1};
    if (strlen(name) >= ATN_FORM_NAME)
        return bad_form;
    strcpy(a.part[0].name, name);
    a.part[0].by = (atn_fraction){1, 1};
    return a;
}

static bool put(atn_form *a, const char *name, atn_fraction by)
{
    if (by.den == 0 || (by.num != 0 && a->n == ATN_FORM_SYMBOLS))
        return false;
    if (by.num == 0)
        return true;
    memcpy(a->part[a->n].name, name, ATN_FORM_NAME);
    a->part[a->n++].by = by;
    return true;
}

atn_form atn_tau_form_add(atn_form a, atn_form b)
{
    atn_form c = {.one = plus(a.one, b.one)};
    int i = 0, j = 0;
    bool fits = c.one.den != 0;
    while (fits && (i < a.n || j < b.n)) {
        const int which = i == a.n ? 1 : j == b.n ? -1 : strcmp(a.part[i].name, b.part[j].name);
        if (which == 0)
            fits = put(&c, a.part[i].name, plus(a.part[i].by, b.part[j].by));
        else
            fits = which < 0 ? put(&c, a.part[i].name, a.part[i].by)
                             : put(&c, b.part[j].name, b.part[j].by);
        i += which <= 0;
        j += which >= 0;
    }
    return fits ? c : bad_form;
}

static atn_form scaled(atn_form a, atn_fraction by)
{
    atn_form c = {.one = times(a.one, by)};
    bool fits = c.one.den != 0;
    for (int i = 0; i < a.n && fits; i++)
        fits = put(&c, a.part[i].name, times(a.part[i].by, by));
    return fits ? c : bad_form;
}

atn_form atn_tau_form_sub(atn_form a, atn_form b)
{
    return atn_tau_form_add(a, scaled(b, (atn_fraction){-1, 1}));
}

atn_form atn_tau_form_mul(atn_form a, atn_form b)
{
    return a.n == 0 ? scaled(b, a.one) : b.n == 0 ? scaled(a, b.one) : bad_form;
}

atn_form atn_tau_form_div(atn_form a, atn_form b)
{
    return b.n == 0 ? scaled(a, reduced(b.one.den, b.one.num)) : bad_form;
}

/* ---- predicates ---- */

bool atn_tau_form_is(const atn_form *a, int64_t n)
{
    return a->n == 0 && a->one.den == 1 && a->one.num == n;
}

int atn_tau_form_order(const atn_form *a, const atn_form *b)
{
    for (int i = 0; i < a->n && i < b->n; i++) {
        const int names = strcmp(a->part[i].name, b->part[i].name);
        if (names)
            return names;
    }
    if (a->n != b->n)
        return a->n - b->n;
    for (int i = 0; i < a->n; i++) {
        const int by = compare(a->part[i].by, b->part[i].by);
        if (by)
            return by;
    }
    return compare(a->one, b->one);
}

bool atn_tau_form_equal(const atn_form *a, const atn_form *b)
{
    if (a->n != b->n || a->one.num != b->one.num || a->one.den != b->one.den)
        return false;
    for (int i = 0; i < a->n; i++)
        if (strcmp(a->part[i].name, b->part[i].name) != 0 ||
            a->part[i].by.num != b->part[i].by.num || a->part[i].by.den != b->part[i].by.den)
            return false;
    return true;
}

/* k is 1 plus a non-negative number. */
bool atn_tau_form_at_least(const atn_form *a, const atn_form *b)
{
    const atn_form d = atn_tau_form_sub(*a, *b);
    atn_fraction rest = d.one;
    for (int i = 0; i < d.n; i++) {
        if (d.part[i].by.num < 0)
            return false;
        if (strcmp(d.part[i].name, "k") == 0)
            rest = plus(rest, d.part[i].by);
    }
    return rest.den != 0 && rest.num >= 0;
}

bool atn_tau_form_single(const atn_form *a, atn_form *symbol_p, atn_form *factor_p)
{
    if (a->n != 1 || a->one.num != 0 || a->one.den == 0)
        return false;
    *symbol_p = atn_tau_form_symbol(a->part[0].name);
    *factor_p = (atn_form){.one = a->part[0].by};
    return true;
}

/* ---- values and text ---- */

static double value(atn_fraction a) { return (double)a.num / (double)a.den; }

static const atn_variable *find(const char *name, const atn_variable *vars, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(vars[i].name, name) == 0)
            return &vars[i];
    return NULL;
}

atn_status atn_tau_form_value(const atn_form *a, const atn_variable *vars, int n, double *value_p,
                              atn_error *err)
{
    double sum;
    if (atn_tau_form_is_bad(a))
        return atn_fail(err, ATN_INPUT, "number too large, or product of symbols");
    sum = value(a->one);
    for (int i = 0; i < a->n; i++) {
        const atn_variable *v = find(a->part[i].name, vars, n);
        if (!v)
            return atn_fail(err, ATN_INPUT, "symbol %s has no value", a->part[i].name);
        sum += value(a->part[i].by) * v->value;
    }
    *value_p = sum;
    return ATN_OK;
}

/* "3m/4": one summand without its sign. */
static void print_part(FILE *f, const char *name, atn_fraction by)
{
    const int64_t num = by.num < 0 ? -by.num : by.num;
    if (num != 1 || !*name)
        fprintf(f, "%" PRId64, num);
    fputs(name, f);
    if (by.den != 1)
        fprintf(f, "/%" PRId64, by.den);
}

void atn_tau_form_print(FILE *f, const atn_form *a, bool factor)
{
    const bool lone = a->n + (a->one.num != 0) <= 1;
    const bool negative = (a->n > 0 ? a->part[0].by : a->one).num < 0;
    const bool inside = factor && (!lone || negative);
    int printed = 0;
    if (inside)
        fputc('(', f);
    for (int i = 0; i <= a->n; i++) {
        const atn_fraction by = i < a->n ? a->part[i].by : a->one;
        if (by.num == 0 && (i < a->n || a->n > 0))
            continue;
        fputs(by.num < 0 ? (printed ? " - " : "-") : printed ? " + " : "", f);
        print_part(f, i < a->n ? a->part[i].name : "", by);
        printed++;
    }
    if (inside)
        fputc(')', f);
}
