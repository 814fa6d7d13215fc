/* form.h - exact linear forms such as 149, 3m/4 or k - 1: the sizes, numbers and degrees of
 * concurrency of tau-Lop expressions.
 *
 * Symbols stand for non-negative numbers; k, the number of segments, is at least 1.  A form that
 * cannot be represented (product of symbols, more than three of them, numbers too large) is bad,
 * and so is every form computed from it, so one check of the result suffices. */
#ifndef ATN_RESEARCH_TAULOP_FORM_H
#define ATN_RESEARCH_TAULOP_FORM_H

#include "base/base.h"
#include "model/expr.h"

enum { ATN_FORM_SYMBOLS = 3, ATN_FORM_NAME = 8 };

typedef struct {
    int64_t num, den; /* lowest terms, den > 0; den == 0: bad */
} atn_fraction;

typedef struct {
    atn_fraction one; /* the constant */
    int n;
    struct {
        char name[ATN_FORM_NAME];
        atn_fraction by;
    } part[ATN_FORM_SYMBOLS]; /* sorted by name; none is zero */
} atn_form;

atn_form atn_tau_form_fraction(int64_t num, int64_t den);
static inline atn_form atn_tau_form_int(int64_t n) { return atn_tau_form_fraction(n, 1); }
atn_form atn_tau_form_symbol(const char *name); /* bad when the name is too long */
atn_form atn_tau_form_add(atn_form a, atn_form b);
atn_form atn_tau_form_sub(atn_form a, atn_form b);
atn_form atn_tau_form_mul(atn_form a, atn_form b);
atn_form atn_tau_form_div(atn_form a, atn_form b); /* b: a number other than 0 */

static inline bool atn_tau_form_is_bad(const atn_form *a) { return a->one.den == 0; }
static inline bool atn_tau_form_is_number(const atn_form *a) { return a->n == 0; }
bool atn_tau_form_is(const atn_form *a, int64_t n);
bool atn_tau_form_equal(const atn_form *a, const atn_form *b);
/* Whether a >= b for all values of the symbols. */
bool atn_tau_form_at_least(const atn_form *a, const atn_form *b);
/* Print order: by symbols, then by numbers. */
int atn_tau_form_order(const atn_form *a, const atn_form *b);
/* The symbol and its factor, if the form is one symbol times a number. */
bool atn_tau_form_single(const atn_form *a, atn_form *symbol_p, atn_form *factor_p);

/* ATN_INPUT when a symbol has no value. */
atn_status atn_tau_form_value(const atn_form *a, const atn_variable *vars, int n, double *value_p,
                              atn_error *err);
/* `factor`: in parentheses where a factor needs them. */
void atn_tau_form_print(FILE *f, const atn_form *a, bool factor);

#endif
