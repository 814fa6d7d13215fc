/* cover.h - proofs that one sum of tau-Lop terms costs at least as much as another for all
 * parameter values.
 *
 * Every term of the smaller side is covered by parts of terms of the greater one, equal terms
 * first, by the rules
 *   C1  n||T(a) - n||T(b) = n||T(a-b)              equal degrees cancel
 *   C4  n1||T(a) >= n2||T(a), n1 >= n2             a higher degree costs no less
 *   C3  n1||T(a) <= n2||T(A*a), A = ceil(n1/n2)    concurrency is no slower than serialization
 *   C2  n1||T1(a) > n2||T0(a), n1 >= n2            the slower channel with the higher degree
 *   C5  T1(a) > n||T0(a)                           the slower channel, even alone
 * and likewise for L, c and g.  C2 and C5 need the platform axiom.  Sound, not complete. */
#ifndef ATN_RESEARCH_TAULOP_COVER_H
#define ATN_RESEARCH_TAULOP_COVER_H

#include "research/taulop/terms.h"

/* The steps of a proof as sentences. */
typedef struct {
    ATN_VEC(char *) v;
    atn_tau_style style;
    bool failed; /* out of memory */
} atn_tau_proof;
void atn_tau_proof_free(atn_tau_proof *p);

typedef enum { ATN_COVER_NO, ATN_COVER_AT_LEAST, ATN_COVER_EQUAL, ATN_COVER_MORE } atn_cover;

/* Whether x >= y; both merged.  `proof` may be NULL. */
atn_cover atn_tau_terms_cover(const atn_terms *x, const atn_terms *y, bool slower,
                              atn_tau_proof *proof);

#endif
