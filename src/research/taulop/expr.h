/* expr.h - tau-Lop expressions: the cost of a transmission or a collective with symbolic
 * parameters.
 *
 *   o0(m)        overhead of channel 0 (shared memory; 1: network); also o0, for all sizes
 *   L0(m,4)      one transfer of m bytes through channel 0 among 4 concurrent ones
 *   T1(m)        a transmission: overhead and all its transfers
 *   c(m,4)       a copy inside a rank while 4 ranks copy;   g(m,4)  a reduction of two operands
 *   X + Y        sequence                       3*X      X three times
 *   4||X         four X concurrently            X || Y   both concurrently
 *   max(X, Y)    the longer one
 *
 * Input: factors bind before +; brackets [ ] { } are parentheses; the star may be omitted; channels
 * may be written L^0 or L⁰ and default to 0; the printed signs · × ‖ γ are accepted. Sizes, factors
 * and degrees are linear forms in symbols (form.h). */
#ifndef ATN_RESEARCH_TAULOP_EXPR_H
#define ATN_RESEARCH_TAULOP_EXPR_H

#include "research/taulop/form.h"

typedef enum {
    ATN_TAU_O,
    ATN_TAU_L,
    ATN_TAU_C,
    ATN_TAU_G,
    ATN_TAU_T,
    ATN_TAU_SUM,
    ATN_TAU_TIMES, /* by `tau` */
    ATN_TAU_WITH,  /* `tau` concurrently */
    ATN_TAU_JOIN,
    ATN_TAU_MAX
} atn_tau_kind;

enum { ATN_TAU_CHANNELS = 8 };

typedef struct atn_tau {
    atn_tau_kind kind;
    int channel;
    bool sizeless; /* an overhead without a message size */
    atn_form size, tau;
    ATN_VEC(struct atn_tau *) children;
} atn_tau;

void atn_tau_free(atn_tau *x); /* x may be NULL */

/* Constructors take ownership of their operands; NULL: out of memory, or an operand is NULL. */
atn_tau *atn_tau_leaf(atn_tau_kind kind, int channel, atn_form size, atn_form tau);
atn_tau *atn_tau_factor(atn_tau_kind kind, atn_form by, atn_tau *x); /* TIMES, WITH */
atn_tau *atn_tau_pair(atn_tau_kind kind, atn_tau *x, atn_tau *y);    /* SUM, JOIN, MAX */

/* ATN_INPUT: 'text': character n: why. */
atn_status atn_tau_parse(const char *text, atn_tau **x_p, atn_error *err);

typedef enum { ATN_TAU_SIGNS, ATN_TAU_ASCII } atn_tau_style;
/* NULL: out of memory; the caller frees. */
char *atn_tau_text(const atn_tau *x, atn_tau_style style);

/* ---- values ----
 * Parameters of a machine in seconds.  `bytes` may be any number >= 0, `tau` >= 1. */
typedef struct {
    void *data;
    double (*o)(void *data, int channel, double bytes);
    double (*L)(void *data, int channel, double bytes, double tau);
    double (*copy)(void *data, double bytes, double tau);
    double (*gamma)(void *data, double bytes, double tau);
} atn_tau_costs;

/* Time of an expression without || between expressions (atn_tau_terms removes it).  T counts as two
 * transfers of channel 0, and one of channel c if c > 0.  ATN_INPUT: a symbol has no value, or ||
 * remains. */
atn_status atn_tau_value(const atn_tau *x, const atn_tau_costs *m, const atn_variable *vars,
                         int nvars, double *seconds_p, atn_error *err);

#endif
