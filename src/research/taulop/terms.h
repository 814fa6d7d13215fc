/* terms.h - tau-Lop expressions as sums of terms, the form that rewriting uses.
 *
 * A term is  coef * L^c(size, tau), and likewise for the other leaves; tau of T is the number of
 * concurrent transmissions.  An undecided maximum is a term, too. */
#ifndef ATN_RESEARCH_TAULOP_TERMS_H
#define ATN_RESEARCH_TAULOP_TERMS_H

#include "research/taulop/expr.h"

struct atn_terms;

typedef struct {
    atn_tau_kind kind; /* a leaf, or ATN_TAU_MAX */
    int channel;
    bool sizeless;
    atn_form coef, size, tau;
    struct atn_terms *of; /* operands of a maximum */
    int nof;
} atn_term;

typedef struct atn_terms {
    atn_term *v;
    int n, cap;
} atn_terms;

void atn_tau_terms_free(atn_terms *t);
bool atn_tau_terms_copy(const atn_terms *t, atn_terms *to); /* false: out of memory */
/* Appends terms multiplied by a factor. */
bool atn_tau_terms_append(atn_terms *t, const atn_terms *more, atn_form by);
/* As an expression; NULL: out of memory. */
atn_tau *atn_tau_terms_tau(const atn_terms *t);
/* The caller frees; NULL: out of memory. */
char *atn_tau_terms_text(const atn_terms *t, atn_tau_style style);
char *atn_tau_term_text(const atn_term *t, atn_tau_style style);

/* Adds up like terms and sorts: overheads, transfers by channel and degree, reductions, copies,
 * transmissions, maxima.
 *   T: coef * (tau||T(m)) becomes tau||T(coef * m); terms of equal degree are merged (rule A1)
 *   L, c, g: by linearity the size is a symbol; numbers are multiples of the smallest one
 * ATN_INPUT: number too large, or product of symbols. */
atn_status atn_tau_terms_merge(atn_terms *t, atn_error *err);

/* The amount of a term, coef * size.  Amounts are comparable within a class of terms: equal kind
 * and symbol of the size; transfers of zero bytes are a class of their own, counted by number. */
atn_form atn_tau_term_amount(const atn_term *t);
bool atn_tau_term_same_class(const atn_term *a, const atn_term *b); /* channels may differ */
/* The same term with another amount. */
atn_term atn_tau_term_of_amount(const atn_term *t, atn_form amount);

/* Concurrent sequences, channel by channel (rules A1, A2, A5; R5 for transfers): the heads of all
 * sequences run until the shortest ends.  Appends to `out`.  ATN_INPUT: sizes cannot be ordered. */
atn_status atn_tau_terms_progress(const atn_terms *actors, int n, atn_terms *out, atn_error *err);

#endif
