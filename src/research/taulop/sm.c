/* tau_sm.c - stages of the shared-memory broadcast; rank r's father is (r - 1) / g. */
#include "research/taulop/sm.h"

#include <stdlib.h>

static int level(int rank, int g)
{
    int d = 0;
    for (; rank > 0; rank = (rank - 1) / g)
        d++;
    return d;
}

int atn_tau_sm_stages(int p, int g, int k) { return level(p - 1, g) + 2 * k; }

void atn_tau_sm_copies(int p, int g, int k, int *tau)
{
    const int n = atn_tau_sm_stages(p, g, k), deepest = level(p - 1, g);
    for (int i = 0; i < n; i++)
        tau[i] = 0;
    for (int r = 0; r < p; r++) {
        const int d = level(r, g);
        const bool leaf = (int64_t)g * r + 1 >= p;
        for (int j = 0; j < k; j++) {
            if (r == 0 || !leaf || d == deepest)
                tau[d + 2 * j]++; /* into its buffer; at the bottom to its user */
            if (r > 0 && (!leaf || d < deepest))
                tau[d + 1 + 2 * j]++; /* to its user */
        }
    }
}

bool atn_tau_sm_terms(int p, int g, int k, atn_terms *terms)
{
    const int n = atn_tau_sm_stages(p, g, k);
    int *tau = malloc(sizeof *tau * ((size_t)n + 1));
    bool whole = tau;
    if (tau)
        atn_tau_sm_copies(p, g, k, tau);
    for (int i = 0; i < n && whole; i++)
        whole = tau[i] == 0 || atn_push(terms, (atn_term){.kind = ATN_TAU_L,
                                                          .coef = atn_form_int(1),
                                                          .size = atn_form_symbol("S"),
                                                          .tau = atn_form_int(tau[i])});
    free(tau);
    return whole && atn_terms_merge(terms, NULL) == ATN_OK;
}
