/* canon.h - the canonical form of a tau-Lop expression, by its rewriting rules.
 *
 *   R1  A||L(m,t) = L(m,A*t)              R2  A||(X + Y) = A||X + A||Y     R3  A||o = o
 *   R5  L(m,a) || L(m,b) = L(m,a+b)       R6  A||c, A||g as R1             R7  n*X is a factor
 *   R4  A||T: the expansion of T with A times the degree
 *   A1  T(a) + T(b) = T(a+b)              A2  T(a) || T(b) = 2||T(a) + T(b-a)
 *   A3  T0(a) || T1(b) = max(T0(a), T1(b))         A4, A5  else channels add up
 *   linearity  L(A*m,t) = A*L(m,t)        bounds  L(m,t) <= L(m,A*t) <= A*L(m,t)
 *
 * A maximum is replaced by its greater operand where the bounds prove which one that is. */
#ifndef ATN_RESEARCH_TAULOP_CANON_H
#define ATN_RESEARCH_TAULOP_CANON_H

#include "research/taulop/terms.h"

/* The expansion of a transmission T. */
typedef enum {
    ATN_TAU_KEEP,     /* stays T */
    ATN_TAU_WHOLE,    /* T0(m) = o0 + 2 L0(m,1), T1(m) = o1 + 2 L0(m,1) + L1(m,1)   (3.1), (3.3) */
    ATN_TAU_SEGMENTS, /* m = k*S: T0(m) = o0 + 2 L0(S,1) + (k-1) L0(S,2)            (3.2) */
    ATN_TAU_STREAM,   /* many of them: T0(m) = o0 + k L0(S,2)                       (4.4) */
    ATN_TAU_DIRECT,   /* zero-copy, one process reads from the other: T0(m) = o0 + L0(m,1) */
    ATN_TAU_BUFFERED  /* the sender copies first (MPI_Bsend): T0(m) = o0 + 3 L0(m,1) */
} atn_tau_transport;

/* Transfers of a whole message inside a node. */
int atn_tau_hops(atn_tau_transport how);

typedef struct {
    atn_tau_transport transport;
    bool slower; /* the platform axiom C5: a channel is slower than those below it, for all degrees
                  of concurrency there */
    bool drop_overheads, plain_overheads; /* omit them; or omit their sizes */
} atn_tau_rules;

atn_status atn_tau_terms(const atn_tau *x, const atn_tau_rules *rules, atn_terms *terms_p,
                         atn_error *err);

/* Appends the expansion of tau concurrent transmissions of `size`. */
bool atn_tau_expand(atn_tau_transport how, int channel, atn_form size, atn_form tau,
                    atn_terms *terms);
/* Appends the maximum of n sums and takes ownership of them; omits those that another one
 * covers. */
atn_status atn_tau_terms_max(atn_terms *of, int n, atn_form coef, bool slower, atn_terms *out,
                             atn_error *err);

#endif
