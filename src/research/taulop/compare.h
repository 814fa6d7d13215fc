/* compare.h - compares the costs of two tau-Lop expressions for all parameter values. */
#ifndef ATN_RESEARCH_TAULOP_COMPARE_H
#define ATN_RESEARCH_TAULOP_COMPARE_H

#include "research/taulop/canon.h"
#include "research/taulop/cover.h"

typedef enum {
    ATN_TAU_UNDECIDED,
    ATN_TAU_LESS,    /* the first costs less */
    ATN_TAU_AT_MOST, /* no more */
    ATN_TAU_EQUAL,
    ATN_TAU_AT_LEAST,
    ATN_TAU_GREATER
} atn_tau_verdict;
extern const char *const atn_tau_verdicts[];      /* sentences about "the first" */
extern const char *const atn_tau_verdict_words[]; /* "less", "no more" ... */

/* Both must be merged (atn_tau_terms).  The proof has the steps of the successful direction, by the
 * rules of cover.h; `slower`: the platform axiom holds. */
atn_tau_verdict atn_tau_terms_compare(const atn_terms *x, const atn_terms *y, bool slower,
                                      atn_tau_proof *proof);

#endif
