/* account.h - the budget: how much time tuning may cost the program.
 *
 * A part of the time that passes is earned; the regret of explored calls over the incumbent and
 * agreements are spent, and so is what starting, asking and planning have cost.  A small credit
 * lets the first agreements happen before anything is earned.  What should cost no regret need not
 * wait until the start is paid for: it is how that pays.  All tuners of a communicator share one
 * account, and with it how far the model was off: what it promised in vain for some sizes is not
 * believed for the others. */
#ifndef ATN_BUDGET_H
#define ATN_BUDGET_H

#include "base/base.h"

enum { ATN_CREDIT_AGREEMENTS = 32, ATN_BUDGET_RATIOS = 9, ATN_BUDGET_LEAST = 3 };
enum { ATN_AHEAD_USUAL = 4 };

typedef struct {
    int budget; /* per mille of the time that passes */
    int64_t credit_ns, elapsed_ns, spent_ns;
    int64_t overhead_ns; /* of starting, asking, planning */
    int64_t reserved_ns; /* that rounds which have begun may cost */
    int64_t calls;       /* since it was opened */
    int64_t agreed_calls;
    int64_t ratio[ATN_BUDGET_RATIOS]; /* measured over predicted, per mille; a ring */
    int64_t ratios;
} atn_budget;

void atn_budget_begin(atn_budget *a, int budget, int64_t agreement_ns);
/* What may be spent now; elapsed time since the last agreement is taken to be as before. */
int64_t atn_budget_left(const atn_budget *a);
/* Calls until there is enough for so much regret and for other costs; INT64_MAX when that cannot be
 * foreseen. */
int64_t atn_budget_wait(const atn_budget *a, int64_t regret_ns, int64_t cost_ns);
/* Calls from an agreement on block times to its result, when a call takes so long; the same on all
 * ranks.  It should hide behind calls and what the program does between them, but until it is heard
 * nothing else is tried out. */
int atn_budget_agreement_delay(const atn_budget *a, int64_t call_ps);
void atn_budget_elapsed(atn_budget *a, int64_t elapsed_ns);
void atn_budget_spend(atn_budget *a, int64_t ns);
/* What starting, asking and planning have cost so far. */
void atn_budget_overhead(atn_budget *a, int64_t ns);

/* Nanoseconds that must pass, after so many, until this cost is no more than half of a budget, but
 * for the credit; the other half is for trying out.  No budget, no limit: only STAR-MPI asks
 * then. */
int64_t atn_budget_pays(int budget, int64_t credit_ns, int64_t cost_ns, int64_t passed_ns);

/* What is left of that half, for costs to come. */
int64_t atn_budget_spare(int budget, int64_t credit_ns, int64_t cost_ns, int64_t passed_ns);

/* The first time that a predicted candidate was measured. */
void atn_budget_add_ratio(atn_budget *a, int64_t measured_ps, int64_t predicted_ps);
/* The middle of the latest ratios, per mille; 0: too few to tell. */
int64_t atn_budget_ratio(const atn_budget *a);

#endif
