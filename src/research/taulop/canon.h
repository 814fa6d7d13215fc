/* tau_canon.h - the canonical form of a tau-Lop expression, by its rewriting rules.
 *
 *   R1  A||L(m,t) = L(m,A*t)              R2  A||(X + Y) = A||X + A||Y     R3  A||o = o
 *   R5  L(m,a) || L(m,b) = L(m,a+b)       R6  A||c, A||g as R1             R7  n*X is a factor
 *   R4  A||T: what T consists of, with A times the degree
 *   A1  T(a) + T(b) = T(a+b)              A2  T(a) || T(b) = 2||T(a) + T(b-a)
 *   A3  T0(a) || T1(b) = max(T0(a), T1(b))         A4, A5  else channels add up
 *   linearity  L(A*m,t) = A*L(m,t)        bounds  L(m,t) <= L(m,A*t) <= A*L(m,t)
 *
 * A maximum whose greater side can be proven by the bounds is that side. */
#ifndef ATN_TAU_CANON_H
#define ATN_TAU_CANON_H

#include "research/taulop/terms.h"

/* What a transmission T consists of. */
typedef enum {
    ATN_TAU_KEEP,     /* stays T */
    ATN_TAU_WHOLE,    /* T0(m) = o0 + 2 L0(m,1), T1(m) = o1 + 2 L0(m,1) + L1(m,1)   (3.1), (3.3) */
    ATN_TAU_SEGMENTS, /* m = k*S: T0(m) = o0 + 2 L0(S,1) + (k-1) L0(S,2)            (3.2) */
    ATN_TAU_STREAM,   /* many of them: T0(m) = o0 + k L0(S,2)                       (4.4) */
    ATN_TAU_ZERO_COPY /* T0(m) = o0 + L0(m,1) */
} atn_tau_transport;

typedef struct {
    atn_tau_transport transport;
    bool slower; /* the platform axiom C5: a channel is slower than those below it, whatever runs
                  there at a time */
    bool drop_overheads, plain_overheads; /* leave them out; or leave out their sizes */
} atn_tau_rules;

atn_status atn_tau_terms(const atn_tau *x, const atn_tau_rules *rules, atn_terms *terms_p,
                         atn_error *err);
atn_status atn_tau_canonical(const atn_tau *x, const atn_tau_rules *rules, atn_tau **canonical_p,
                             atn_error *err);

/* Appends what tau transmissions of `size` at a time consist of. */
bool atn_tau_expand(atn_tau_transport how, int channel, atn_form size, atn_form tau,
                    atn_terms *terms);
/* Appends the maximum of n sums, which it takes over: those that another covers are left out. */
atn_status atn_terms_max(atn_terms *of, int n, atn_form coef, bool slower, atn_terms *out,
                         atn_error *err);

/* Degrees of the stages of one transmission of k segments over n hops (3.4): out[k + n - 1]. */
void atn_tau_stages(int k, int n, int *out);

#endif
