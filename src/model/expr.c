/* expr.c - recursive descent that evaluates while parsing. */
#include "model/expr.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct scope {
    atn_variable var; /* of a sum or let */
    const struct scope *outer;
} scope;

typedef struct {
    const char *at;
    const atn_variable *vars;
    int nvars;
    const scope *scopes;
    int depth;
    const char *wrong; /* the first error and its position */
    const char *where;
} reader;

enum { MAX_DEPTH = 100, MAX_NAME = 31 };

static double fault_at(reader *x, const char *where, const char *what)
{
    if (!x->wrong) {
        x->wrong = what;
        x->where = where;
    }
    return 0.0;
}

static double fault(reader *x, const char *what) { return fault_at(x, x->at, what); }

/* A loop, because strspn builds a table of all characters and this is called very often. */
static void skip_space(reader *x)
{
    while (*x->at == ' ' || *x->at == '\t' || *x->at == '\n')
        x->at++;
}

static bool accept(reader *x, char c)
{
    skip_space(x);
    if (*x->at != c)
        return false;
    x->at++;
    return true;
}

static void expect(reader *x, char c, const char *what)
{
    if (!accept(x, c))
        fault(x, what);
}

static double sum_of_terms(reader *x);

/* ---- functions ---- */

static double is_pow2(double v, double unused)
{
    int exponent;
    (void)unused;
    return v >= 1 && frexp(v, &exponent) == 0.5;
}
static double ceil_of(double v, double unused) { return (void)unused, ceil(v); }
static double floor_of(double v, double unused) { return (void)unused, floor(v); }
static double log2_of(double v, double unused) { return (void)unused, log2(v); }
static double is_equal(double v, double w) { return v == w; }

static double levels_of(double v, double base)
{
    double n = 0.0;

    for (double reach = 1.0; base >= 2.0 && reach < v; reach *= base)
        n += 1.0;
    return n;
}

static double knomial_of(double v, double base)
{
    const double below = fmax(0.0, levels_of(v, base) - 1.0);
    return ceil(v / pow(base, below)) - 1.0 + (base - 1.0) * below;
}

static const struct {
    const char *name;
    int args;
    double (*call)(double, double);
} functions[] = {
    {"ceil", 1, ceil_of}, {"floor", 1, floor_of},   {"log2", 1, log2_of},
    {"pow2", 1, is_pow2}, {"min", 2, fmin},         {"max", 2, fmax},
    {"is", 2, is_equal},  {"levels", 2, levels_of}, {"knomial", 2, knomial_of},
};

static double call(reader *x, const char *name, const char *start)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) != 0)
            continue;
        const double v = sum_of_terms(x);
        if (functions[i].args == 2)
            expect(x, ',', "a second argument is missing");
        return functions[i].call(v, functions[i].args == 2 ? sum_of_terms(x) : 0.0);
    }
    return fault_at(x, start, "unknown function");
}

static void read_name(reader *x, char name[MAX_NAME + 1])
{
    size_t n = 0;

    skip_space(x);
    while (isalnum((unsigned char)x->at[n]) || x->at[n] == '_')
        n++;
    if (n == 0 || n > MAX_NAME || isdigit((unsigned char)*x->at))
        fault(x, "a name is missing or too long");
    n = n > MAX_NAME ? MAX_NAME : n;
    memcpy(name, x->at, n);
    name[n] = '\0';
    x->at += n;
}

static double plus(double v, double w) { return v + w; }

/* The term is parsed again for every value of the variable, and once if there is none. */
static double collect(reader *x, const char *name, double from, double to,
                      double (*join)(double, double))
{
    scope s = {{name, from}, x->scopes};
    const char *term = x->at;
    double total = 0.0;

    x->scopes = &s;
    do {
        x->at = term;
        const double v = sum_of_terms(x);
        if (s.var.value <= to)
            total = join(total, v);
        s.var.value += 1.0;
    } while (s.var.value <= to && !x->wrong);
    x->scopes = s.outer;
    return total;
}

static double range(reader *x, double (*join)(double, double))
{
    static const char form[] = "write (variable, from, to, term)";
    char name[MAX_NAME + 1];

    read_name(x, name);
    expect(x, ',', form);
    const double from = sum_of_terms(x);
    expect(x, ',', form);
    const double to = sum_of_terms(x);
    expect(x, ',', form);
    return collect(x, name, from, to, join);
}

static double let(reader *x)
{
    static const char form[] = "write let(variable, value, term)";
    char name[MAX_NAME + 1];

    read_name(x, name);
    expect(x, ',', form);
    const double value = sum_of_terms(x);
    expect(x, ',', form);
    return collect(x, name, value, value, plus);
}

/* ---- grammar ---- */

static double variable(reader *x, const char *name, const char *start)
{
    for (const scope *s = x->scopes; s; s = s->outer)
        if (strcmp(s->var.name, name) == 0)
            return s->var.value;
    for (int i = 0; i < x->nvars; i++)
        if (strcmp(x->vars[i].name, name) == 0)
            return x->vars[i].value;
    return fault_at(x, start, "unknown variable");
}

static double number(reader *x)
{
    char *end;
    const double v = strtod(x->at, &end);

    x->at = end;
    return v;
}

static double named(reader *x)
{
    const char *start = x->at;
    char name[MAX_NAME + 1];

    read_name(x, name);
    if (!accept(x, '('))
        return variable(x, name, start);
    const double v = strcmp(name, "sum") == 0    ? range(x, plus)
                     : strcmp(name, "most") == 0 ? range(x, fmax)
                     : strcmp(name, "let") == 0  ? let(x)
                                                 : call(x, name, start);
    expect(x, ')', "a ')' is missing");
    return v;
}

static double primary(reader *x)
{
    skip_space(x);
    if (isdigit((unsigned char)*x->at))
        return number(x);
    if (!accept(x, '('))
        return named(x);
    const double v = sum_of_terms(x);
    expect(x, ')', "a ')' is missing");
    return v;
}

static double power(reader *x)
{
    if (++x->depth > MAX_DEPTH || x->wrong) {
        x->depth--;
        return fault(x, "nested too deeply");
    }
    const bool minus = accept(x, '-');
    double v = minus ? power(x) : primary(x);
    if (!minus && accept(x, '^'))
        v = pow(v, power(x));
    x->depth--;
    return minus ? -v : v;
}

static double product(reader *x)
{
    double v = power(x);

    while (!x->wrong) {
        if (accept(x, '*'))
            v *= power(x);
        else if (accept(x, '/'))
            v /= power(x);
        else
            break;
    }
    return v;
}

static double sum_of_terms(reader *x)
{
    double v = product(x);

    while (!x->wrong) {
        if (accept(x, '+'))
            v += product(x);
        else if (accept(x, '-'))
            v -= product(x);
        else
            break;
    }
    return v;
}

atn_status atn_model_expr_eval(const char *text, const atn_variable *vars, int n, double *value_p,
                               atn_error *err)
{
    reader x = {.at = text, .vars = vars, .nvars = n};
    const double v = sum_of_terms(&x);

    skip_space(&x);
    if (!x.wrong && *x.at != '\0')
        fault(&x, "an operator is missing");
    if (x.wrong)
        return atn_fail(err, ATN_INPUT, "'%s': character %d: %s", text, (int)(x.where - text) + 1,
                        x.wrong);
    *value_p = v;
    return ATN_OK;
}

bool atn_model_expr_names(const char *text, const char *name)
{
    const size_t n = strlen(name);

    for (const char *at = text; *at;) {
        size_t word = 0;
        while (isalnum((unsigned char)at[word]) || at[word] == '_')
            word++;
        if (word == n && strncmp(at, name, n) == 0)
            return true;
        at += word > 0 ? word : 1;
    }
    return false;
}
