/* account.h - the budget: how much time tuning may cost the program.
 *
 * A part of the time that passes is earned; the regret of explored calls over the incumbent and
 * agreements are spent.  A small credit lets the first agreements happen before anything is
 * earned.  All tuners of a communicator share one account. */
#ifndef ATN_ACCOUNT_H
#define ATN_ACCOUNT_H

#include "base/base.h"

typedef struct {
    int budget; /* per mille of the time that passes */
    int64_t credit_ns, elapsed_ns, spent_ns;
    int64_t calls; /* since it was opened */
    int64_t agreed_calls;
} atn_account;

enum { ATN_CREDIT_AGREEMENTS = 32 };

void atn_account_open(atn_account *a, int budget, int64_t agreement_ns);
/* What may be spent now; elapsed time since the last agreement is taken to be as before. */
int64_t atn_account_left(const atn_account *a);
/* Calls until so much is left; INT64_MAX when that cannot be foreseen. */
int64_t atn_account_wait(const atn_account *a, int64_t cost_ns);
void atn_account_elapsed(atn_account *a, int64_t elapsed_ns);
void atn_account_spend(atn_account *a, int64_t ns);

#endif
