/* expr.c - recursive descent into a tree, which is evaluated for many values of its variables. */
#include "model/expr.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { NUMBER, VARIABLE, NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, CALL, LOOP } kind;

typedef double (*function)(double, double);

/* Operands are indices of nodes.  A loop binds a variable and joins the values of term `c`. */
typedef struct {
    kind kind;
    int a, b, c; /* -1: none */
    int slot;    /* of a variable: its index; those that loops bind follow those that are given */
    double number;
    function call;
} node;

struct atn_expr {
    int nvars, top;
    ATN_VEC(node) nodes;
};

typedef struct scope {
    const char *name; /* of a sum or let */
    int slot;
    const struct scope *outer;
} scope;

typedef struct {
    const char *at;
    const atn_variable *vars;
    atn_expr *expr;
    const scope *scopes;
    int depth, bound;  /* of recursion; variables that are bound here */
    const char *wrong; /* the first error and its position */
    const char *where;
} reader;

enum { MAX_DEPTH = 100, MAX_NAME = 31 };

static int fault_at(reader *x, const char *where, const char *what)
{
    if (!x->wrong) {
        x->wrong = what;
        x->where = where;
    }
    return 0;
}

static int fault(reader *x, const char *what) { return fault_at(x, x->at, what); }

static int add(reader *x, node made)
{
    if (!atn_push(&x->expr->nodes, made))
        return fault(x, "out of memory");
    return x->expr->nodes.n - 1;
}

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

static int sum_of_terms(reader *x);

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
    function call;
} functions[] = {
    {"ceil", 1, ceil_of}, {"floor", 1, floor_of},   {"log2", 1, log2_of},
    {"pow2", 1, is_pow2}, {"min", 2, fmin},         {"max", 2, fmax},
    {"is", 2, is_equal},  {"levels", 2, levels_of}, {"knomial", 2, knomial_of},
};

static int call(reader *x, const char *name, const char *start)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) != 0)
            continue;
        const int a = sum_of_terms(x);
        if (functions[i].args == 2)
            expect(x, ',', "a second argument is missing");
        const int b = functions[i].args == 2 ? sum_of_terms(x) : -1;
        return add(x, (node){.kind = CALL, .a = a, .b = b, .call = functions[i].call});
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

/* The term of a loop over a variable. */
static int bound(reader *x, const char *name, int from, int to, function join)
{
    const scope s = {name, x->expr->nvars + x->bound, x->scopes};

    x->scopes = &s;
    x->bound++;
    const int term = sum_of_terms(x);
    x->bound--;
    x->scopes = s.outer;
    return add(x,
               (node){.kind = LOOP, .a = from, .b = to, .c = term, .slot = s.slot, .call = join});
}

static int range(reader *x, function join)
{
    static const char form[] = "write (variable, from, to, term)";
    char name[MAX_NAME + 1];

    read_name(x, name);
    expect(x, ',', form);
    const int from = sum_of_terms(x);
    expect(x, ',', form);
    const int to = sum_of_terms(x);
    expect(x, ',', form);
    return bound(x, name, from, to, join);
}

static int let(reader *x)
{
    static const char form[] = "write let(variable, value, term)";
    char name[MAX_NAME + 1];

    read_name(x, name);
    expect(x, ',', form);
    const int value = sum_of_terms(x);
    expect(x, ',', form);
    return bound(x, name, value, -1, plus);
}

/* ---- grammar ---- */

static int variable(reader *x, const char *name, const char *start)
{
    for (const scope *s = x->scopes; s; s = s->outer)
        if (strcmp(s->name, name) == 0)
            return add(x, (node){.kind = VARIABLE, .slot = s->slot});
    for (int i = 0; i < x->expr->nvars; i++)
        if (strcmp(x->vars[i].name, name) == 0)
            return add(x, (node){.kind = VARIABLE, .slot = i});
    return fault_at(x, start, "unknown variable");
}

static int number(reader *x)
{
    char *end;
    const double v = strtod(x->at, &end);

    x->at = end;
    return add(x, (node){.kind = NUMBER, .number = v});
}

static int named(reader *x)
{
    const char *start = x->at;
    char name[MAX_NAME + 1];

    read_name(x, name);
    if (!accept(x, '('))
        return variable(x, name, start);
    const int v = strcmp(name, "sum") == 0    ? range(x, plus)
                  : strcmp(name, "most") == 0 ? range(x, fmax)
                  : strcmp(name, "let") == 0  ? let(x)
                                              : call(x, name, start);
    expect(x, ')', "a ')' is missing");
    return v;
}

static int primary(reader *x)
{
    skip_space(x);
    if (isdigit((unsigned char)*x->at))
        return number(x);
    if (!accept(x, '('))
        return named(x);
    const int v = sum_of_terms(x);
    expect(x, ')', "a ')' is missing");
    return v;
}

static int power(reader *x)
{
    if (++x->depth > MAX_DEPTH || x->wrong) {
        x->depth--;
        return fault(x, "nested too deeply");
    }
    const bool minus = accept(x, '-');
    int v = minus ? power(x) : primary(x);
    if (minus)
        v = add(x, (node){.kind = NEGATE, .a = v});
    else if (accept(x, '^'))
        v = add(x, (node){.kind = POWER, .a = v, .b = power(x)});
    x->depth--;
    return v;
}

static int product(reader *x)
{
    int v = power(x);

    while (!x->wrong) {
        if (accept(x, '*'))
            v = add(x, (node){.kind = MULTIPLY, .a = v, .b = power(x)});
        else if (accept(x, '/'))
            v = add(x, (node){.kind = DIVIDE, .a = v, .b = power(x)});
        else
            break;
    }
    return v;
}

static int sum_of_terms(reader *x)
{
    int v = product(x);

    while (!x->wrong) {
        if (accept(x, '+'))
            v = add(x, (node){.kind = ADD, .a = v, .b = product(x)});
        else if (accept(x, '-'))
            v = add(x, (node){.kind = SUBTRACT, .a = v, .b = product(x)});
        else
            break;
    }
    return v;
}

/* ---- values ---- */

static double value_of(const atn_expr *x, int i, double *vars);

static double loop(const atn_expr *x, const node *n, double *vars)
{
    const double from = value_of(x, n->a, vars);
    const double to = n->b < 0 ? from : value_of(x, n->b, vars);
    double total = 0.0;

    for (double v = from; v <= to; v += 1.0) {
        vars[n->slot] = v;
        total = n->call(total, value_of(x, n->c, vars));
    }
    return total;
}

static double value_of(const atn_expr *x, int i, double *vars)
{
    const node *const n = &x->nodes.v[i];

    switch (n->kind) {
    case NUMBER:
        return n->number;
    case VARIABLE:
        return vars[n->slot];
    case NEGATE:
        return -value_of(x, n->a, vars);
    case ADD:
        return value_of(x, n->a, vars) + value_of(x, n->b, vars);
    case SUBTRACT:
        return value_of(x, n->a, vars) - value_of(x, n->b, vars);
    case MULTIPLY:
        return value_of(x, n->a, vars) * value_of(x, n->b, vars);
    case DIVIDE:
        return value_of(x, n->a, vars) / value_of(x, n->b, vars);
    case POWER:
        return pow(value_of(x, n->a, vars), value_of(x, n->b, vars));
    case CALL:
        return n->call(value_of(x, n->a, vars), n->b < 0 ? 0.0 : value_of(x, n->b, vars));
    case LOOP:
        return loop(x, n, vars);
    }
    return 0.0;
}

double atn_model_expr_value(const atn_expr *x, const atn_variable *vars)
{
    double v[ATN_EXPR_VARIABLES + MAX_DEPTH];

    for (int i = 0; i < x->nvars; i++)
        v[i] = vars[i].value;
    return value_of(x, x->top, v);
}

/* ---- interface ---- */

void atn_model_expr_free(atn_expr *x)
{
    if (x)
        atn_vec_free(&x->nodes);
    free(x);
}

atn_status atn_model_expr_read(const char *text, const atn_variable *vars, int n, atn_expr **expr_p,
                               atn_error *err)
{
    atn_expr *const made = calloc(1, sizeof *made);
    reader x = {.at = text, .vars = vars, .expr = made};

    if (made == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    made->nvars = atn_min(n, ATN_EXPR_VARIABLES);
    made->top = sum_of_terms(&x);
    skip_space(&x);
    if (!x.wrong && *x.at != '\0')
        fault(&x, "an operator is missing");
    if (x.wrong) {
        atn_model_expr_free(made);
        return atn_fail(err, ATN_INPUT, "'%s': character %d: %s", text, (int)(x.where - text) + 1,
                        x.wrong);
    }
    *expr_p = made;
    return ATN_OK;
}

atn_status atn_model_expr_eval(const char *text, const atn_variable *vars, int n, double *value_p,
                               atn_error *err)
{
    atn_expr *x = NULL;
    const atn_status status = atn_model_expr_read(text, vars, n, &x, err);

    if (status == ATN_OK)
        *value_p = atn_model_expr_value(x, vars);
    atn_model_expr_free(x);
    return status;
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
