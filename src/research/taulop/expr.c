/* expr.c - tau-Lop expressions: construction, printing, value on a machine. */
#include "research/taulop/expr.h"

#include <math.h>
#include <stdlib.h>

void atn_tau_free(atn_tau *x)
{
    if (!x)
        return;
    for (int i = 0; i < x->children.n; i++)
        atn_tau_free(x->children.v[i]);
    atn_vec_free(&x->children);
    free(x);
}

/* ---- construction ---- */

static atn_tau *fresh(atn_tau_kind kind)
{
    atn_tau *x = calloc(1, sizeof *x);
    if (x)
        *x = (atn_tau){.kind = kind, .size = atn_tau_form_int(0), .tau = atn_tau_form_int(1)};
    return x;
}

/* Takes ownership of both. */
static atn_tau *adopt(atn_tau *x, atn_tau *child)
{
    if (x && child && atn_push(&x->children, child))
        return x;
    atn_tau_free(x);
    atn_tau_free(child);
    return NULL;
}

atn_tau *atn_tau_leaf(atn_tau_kind kind, int channel, atn_form size, atn_form tau)
{
    atn_tau *x = fresh(kind);
    if (x) {
        x->channel = channel;
        x->size = size;
        x->tau = tau;
    }
    return x;
}

atn_tau *atn_tau_factor(atn_tau_kind kind, atn_form by, atn_tau *x)
{
    atn_tau *y = adopt(fresh(kind), x);
    if (y)
        y->tau = by;
    return y;
}

atn_tau *atn_tau_pair(atn_tau_kind kind, atn_tau *x, atn_tau *y)
{
    if (x && y && x->kind == kind)
        return adopt(x, y);
    return adopt(adopt(fresh(kind), x), y);
}

/* ---- printing ---- */

static const char *const letters[] = {
    [ATN_TAU_O] = "o", [ATN_TAU_L] = "L", [ATN_TAU_C] = "c", [ATN_TAU_G] = "g", [ATN_TAU_T] = "T"};

static void print_leaf(FILE *f, const atn_tau *x, atn_tau_style style)
{
    if (x->kind == ATN_TAU_T && !atn_tau_form_is(&x->tau, 1)) {
        atn_tau_form_print(f, &x->tau, true);
        fputs(style == ATN_TAU_ASCII ? "||" : "‖", f);
    }
    fputs(x->kind == ATN_TAU_G && style == ATN_TAU_SIGNS ? "γ" : letters[x->kind], f);
    if (x->kind != ATN_TAU_C && x->kind != ATN_TAU_G)
        fprintf(f, "%d", x->channel);
    if (x->sizeless)
        return;
    fputc('(', f);
    atn_tau_form_print(f, &x->size, false);
    if (x->kind != ATN_TAU_O && x->kind != ATN_TAU_T) {
        fputc(',', f);
        atn_tau_form_print(f, &x->tau, false);
    }
    fputc(')', f);
}

static void print(FILE *f, const atn_tau *x, atn_tau_style style);

static void print_list(FILE *f, const atn_tau *x, const char *between, atn_tau_style style)
{
    if (x->children.n == 0)
        fputc('0', f);
    for (int i = 0; i < x->children.n; i++) {
        fputs(i ? between : "", f);
        print(f, x->children.v[i], style);
    }
}

/* An operand of a factor or of ||. */
static void print_operand(FILE *f, const atn_tau *x, atn_tau_style style)
{
    const bool bare = x->kind <= ATN_TAU_T || x->kind == ATN_TAU_MAX;
    fputs(bare ? "" : "[", f);
    print(f, x, style);
    fputs(bare ? "" : "]", f);
}

static void print_factor(FILE *f, const atn_tau *x, atn_tau_style style)
{
    static const char *const sign[2][2] = {{"·", "‖"}, {"*", "||"}};
    if (x->kind == ATN_TAU_WITH || !atn_tau_form_is(&x->tau, 1)) {
        atn_tau_form_print(f, &x->tau, true);
        fputs(sign[style == ATN_TAU_ASCII][x->kind == ATN_TAU_WITH], f);
    }
    print_operand(f, x->children.v[0], style);
}

static void print_join(FILE *f, const atn_tau *x, atn_tau_style style)
{
    for (int i = 0; i < x->children.n; i++) {
        fputs(i == 0 ? "" : style == ATN_TAU_ASCII ? " || " : " ‖ ", f);
        print_operand(f, x->children.v[i], style);
    }
}

static void print(FILE *f, const atn_tau *x, atn_tau_style style)
{
    switch (x->kind) {
    case ATN_TAU_SUM:
        print_list(f, x, " + ", style);
        break;
    case ATN_TAU_TIMES:
    case ATN_TAU_WITH:
        print_factor(f, x, style);
        break;
    case ATN_TAU_JOIN:
        print_join(f, x, style);
        break;
    case ATN_TAU_MAX:
        fputs("max(", f);
        print_list(f, x, ", ", style);
        fputc(')', f);
        break;
    default:
        print_leaf(f, x, style);
    }
}

char *atn_tau_text(const atn_tau *x, atn_tau_style style)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = atn_open_text(&text, &bytes);
    if (!f)
        return NULL;
    print(f, x, style);
    fclose(f);
    return text;
}

/* ---- value ---- */

typedef struct {
    const atn_tau_costs *m;
    const atn_variable *vars;
    int nvars;
    atn_error *err;
    atn_status status;
} evaluator;

static double form_value(evaluator *v, const atn_form *a)
{
    double x = 0;
    if (!v->status)
        v->status = atn_tau_form_value(a, v->vars, v->nvars, &x, v->err);
    return x;
}

static double leaf_value(evaluator *v, const atn_tau *x, double with)
{
    const atn_tau_costs *m = v->m;
    const double bytes = form_value(v, &x->size), tau = form_value(v, &x->tau) * with;
    if (v->status)
        return 0;
    switch (x->kind) {
    case ATN_TAU_O:
        return m->o(m->data, x->channel, bytes);
    case ATN_TAU_L:
        return m->L(m->data, x->channel, bytes, tau);
    case ATN_TAU_C:
        return m->copy(m->data, bytes, tau);
    case ATN_TAU_G:
        return m->gamma(m->data, bytes, tau);
    default:
        return m->o(m->data, x->channel, bytes) + 2 * m->L(m->data, 0, bytes, tau) +
               (x->channel ? m->L(m->data, x->channel, bytes, tau) : 0);
    }
}

static double value(evaluator *v, const atn_tau *x, double with)
{
    double sum = 0;
    if (x->kind <= ATN_TAU_T)
        return leaf_value(v, x, with);
    if (x->kind == ATN_TAU_JOIN) {
        v->status = atn_fail(v->err, ATN_INPUT, "simplify concurrent terms first");
        return 0;
    }
    const double by =
        x->kind == ATN_TAU_TIMES || x->kind == ATN_TAU_WITH ? form_value(v, &x->tau) : 1;
    for (int i = 0; i < x->children.n && !v->status; i++) {
        const double child = value(v, x->children.v[i], x->kind == ATN_TAU_WITH ? with * by : with);
        sum = x->kind == ATN_TAU_MAX ? fmax(sum, child) : sum + child;
    }
    return x->kind == ATN_TAU_TIMES ? by * sum : sum;
}

atn_status atn_tau_value(const atn_tau *x, const atn_tau_costs *m, const atn_variable *vars,
                         int nvars, double *seconds_p, atn_error *err)
{
    evaluator v = {.m = m, .vars = vars, .nvars = nvars, .err = err};
    const double seconds = value(&v, x, 1);
    if (!v.status)
        *seconds_p = seconds;
    return v.status;
}
