/* compare.c - see compare.h: tries to cover each side with the other. */
#include "research/taulop/compare.h"

const char *const atn_tau_verdicts[] = {
    [ATN_TAU_UNDECIDED] = "undecided: depends on the parameters",
    [ATN_TAU_LESS] = "the first costs less",
    [ATN_TAU_AT_MOST] = "the first costs no more",
    [ATN_TAU_EQUAL] = "both cost the same",
    [ATN_TAU_AT_LEAST] = "the first costs no less",
    [ATN_TAU_GREATER] = "the first costs more",
};

const char *const atn_tau_verdict_words[] = {
    [ATN_TAU_UNDECIDED] = "undecided", [ATN_TAU_LESS] = "less",
    [ATN_TAU_AT_MOST] = "no more",     [ATN_TAU_EQUAL] = "equal",
    [ATN_TAU_AT_LEAST] = "no less",    [ATN_TAU_GREATER] = "more",
};

static void forget(atn_tau_proof *proof)
{
    const atn_tau_style style = proof->style;
    atn_tau_proof_free(proof);
    *proof = (atn_tau_proof){.style = style, .failed = proof->failed};
}

atn_tau_verdict atn_tau_terms_compare(const atn_terms *x, const atn_terms *y, bool slower,
                                      atn_tau_proof *proof)
{
    static const atn_tau_verdict first[] = {ATN_TAU_UNDECIDED, ATN_TAU_AT_LEAST, ATN_TAU_EQUAL,
                                            ATN_TAU_GREATER};
    static const atn_tau_verdict second[] = {ATN_TAU_UNDECIDED, ATN_TAU_AT_MOST, ATN_TAU_EQUAL,
                                             ATN_TAU_LESS};
    const atn_cover over = atn_tau_terms_cover(x, y, slower, proof);
    if (over != ATN_COVER_NO)
        return first[over];
    if (proof)
        forget(proof);
    const atn_cover under = atn_tau_terms_cover(y, x, slower, proof);
    if (under == ATN_COVER_NO && proof)
        forget(proof);
    return second[under];
}
