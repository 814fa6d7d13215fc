/* expr.h - evaluates the closed forms in which algorithms state their cost.
 *
 *   + - * / ^ and parentheses        ceil floor log2 min max
 *   pow2(x)                          1 when x is a power of two, else 0
 *   is(x, y)                         1 when they are equal, else 0
 *   levels(x, k)                     ceil of the logarithm of x to the base k, exact
 *   knomial(x, k)                    messages of the root of a k-nomial tree of x ranks (shape.h)
 *   sum(i, from, to, term)           terms for i = from, from + 1, ..., to; 0 when from > to
 *   most(i, from, to, term)          the largest of these terms, at least 0
 *   let(x, value, term)              term with x bound to the value */
#ifndef ATN_MODEL_EXPR_H
#define ATN_MODEL_EXPR_H

#include "base/base.h"

typedef struct {
    const char *name;
    double value;
} atn_variable;

enum { ATN_EXPR_VARIABLES = 32 };

/* An expression in up to ATN_EXPR_VARIABLES variables, read once.  ATN_INPUT: not an expression;
 * the error has position and reason. */
typedef struct atn_expr atn_expr;
atn_status atn_model_expr_read(const char *text, const atn_variable *vars, int n, atn_expr **expr_p,
                               atn_error *err);
void atn_model_expr_free(atn_expr *x); /* NULL is fine */
/* For other values of the same variables in the same order. */
double atn_model_expr_value(const atn_expr *x, const atn_variable *vars);
/* Both together. */
atn_status atn_model_expr_eval(const char *text, const atn_variable *vars, int n, double *value_p,
                               atn_error *err);
/* Whether the text names the variable or function. */
bool atn_model_expr_names(const char *text, const char *name);

#endif
