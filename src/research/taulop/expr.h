/* tau_expr.h - tau-Lop expressions: what a transmission or a collective costs, before any machine
 * is known.
 *
 *   o0(m)        overhead of channel 0 (shared memory; 1: network); also o0, whatever the size
 *   L0(m,4)      one transfer of m bytes through channel 0 while 4 such transfers run
 *   T1(m)        a transmission: overhead and all its transfers
 *   c(m,4)       a copy inside a rank while 4 ranks do the same;   g(m,4)  a combination of two
 *   X + Y        one after the other            3*X   X three times
 *   4||X         four X at a time               X || Y   both at a time
 *   max(X, Y)    the longer one
 *
 * Read: factors bind before +, brackets [ ] { } as parentheses, the star may be left out, channels
 * may be written L^0 or L⁰ and are 0 when left out; printed signs · × ‖ γ are read too.
 * Sizes, factors and degrees are linear forms in symbols (tau_form.h). */
#ifndef ATN_TAU_EXPR_H
#define ATN_TAU_EXPR_H

#include "research/taulop/form.h"

typedef enum {
    ATN_TAU_O,
    ATN_TAU_L,
    ATN_TAU_C,
    ATN_TAU_G,
    ATN_TAU_T,
    ATN_TAU_SUM,
    ATN_TAU_TIMES, /* by `tau` */
    ATN_TAU_WITH,  /* `tau` at a time */
    ATN_TAU_JOIN,
    ATN_TAU_MAX
} atn_tau_kind;

enum { ATN_TAU_CHANNELS = 8 };

typedef struct atn_tau {
    atn_tau_kind kind;
    int channel;
    bool sizeless; /* an overhead that does not name its message */
    atn_form size, tau;
    ATN_VEC(struct atn_tau *) kids;
} atn_tau;

void atn_tau_free(atn_tau *x); /* NULL is fine */

/* Constructors take over their operands; NULL when out of memory or when an operand is NULL. */
atn_tau *atn_tau_leaf(atn_tau_kind kind, int channel, atn_form size, atn_form tau);
atn_tau *atn_tau_factor(atn_tau_kind kind, atn_form by, atn_tau *x); /* TIMES, WITH */
atn_tau *atn_tau_pair(atn_tau_kind kind, atn_tau *x, atn_tau *y);    /* SUM, JOIN, MAX */
atn_tau *atn_tau_copy(const atn_tau *x);

/* ATN_INPUT: 'text': character n: why. */
atn_status atn_tau_parse(const char *text, atn_tau **x_p, atn_error *err);

typedef enum { ATN_TAU_SIGNS, ATN_TAU_ASCII } atn_tau_style;
void atn_tau_print(FILE *f, const atn_tau *x, atn_tau_style style);
/* NULL: out of memory; the caller frees. */
char *atn_tau_text(const atn_tau *x, atn_tau_style style);

/* ---- numbers ----
 * What a machine says, in seconds.  `bytes` may be any number >= 0, `tau` >= 1. */
typedef struct {
    void *data;
    double (*o)(void *data, int channel, double bytes);
    double (*L)(void *data, int channel, double bytes, double tau);
    double (*copy)(void *data, double bytes, double tau);
    double (*gamma)(void *data, double bytes, double tau);
} atn_tau_costs;

/* Time of an expression without || (atn_tau_canonical removes them) other than T, which counts as
 * two transfers of channel 0, and of channel c too when c > 0.  ATN_INPUT: a symbol has no value,
 * or || is left. */
atn_status atn_tau_value(const atn_tau *x, const atn_tau_costs *m, const atn_variable *vars,
                         int nvars, double *seconds_p, atn_error *err);

#endif
