/* budget.h - how much time tuning may cost the program.
 *
 * A share of the elapsed time is earned.  The regret of trials over the incumbent and the cost of
 * agreements are spent from it, and so is the overhead of start-up, advice and planning.  A small
 * credit allows the first agreements before anything is earned.  A round without expected regret
 * need not wait until the overhead is earned: such rounds are how it pays off.  All tuners of a
 * communicator share one budget and the observed error of the model: where its predictions were too
 * low for some sizes, those of other sizes are corrected. */
#ifndef ATN_TUNE_BUDGET_H
#define ATN_TUNE_BUDGET_H

#include "base/base.h"

enum { ATN_CREDIT_AGREEMENTS = 32, ATN_BUDGET_RATIOS = 9, ATN_BUDGET_LEAST = 3 };
enum { ATN_AHEAD_USUAL = 4 };

typedef struct {
    int share; /* per mille of the elapsed time */
    int64_t credit_ns, elapsed_ns, spent_ns;
    int64_t overhead_ns; /* of start-up, advice and planning */
    int64_t reserved_ns; /* maximum cost of rounds that have begun */
    int64_t calls;       /* since it was opened */
    int64_t agreed_calls;
    int64_t ratio[ATN_BUDGET_RATIOS]; /* measured over predicted, per mille; a ring */
    int64_t ratios;
} atn_budget;

void atn_tune_budget_begin(atn_budget *b, int share, int64_t agreement_ns);
/* What may be spent now; the time since the last agreement is extrapolated from the calls. */
int64_t atn_tune_budget_left(const atn_budget *b);
/* Calls until the budget covers this regret and other costs; INT64_MAX when that cannot be
 * predicted. */
int64_t atn_tune_budget_wait(const atn_budget *b, int64_t regret_ns, int64_t cost_ns);
/* Calls from the start of an agreement on block times to its completion, for calls of this
 * duration; the same on all ranks.  The agreement should overlap with calls and computation, but
 * until it completes no other trial begins. */
int atn_tune_budget_agreement_delay(const atn_budget *b, int64_t call_ps);
void atn_tune_budget_elapsed(atn_budget *b, int64_t elapsed_ns);
void atn_tune_budget_spend(atn_budget *b, int64_t ns);
/* Total overhead of start-up, advice and planning so far. */
void atn_tune_budget_overhead(atn_budget *b, int64_t ns);

/* Nanoseconds that must still pass, after `passed_ns`, until this cost, less the credit, is at most
 * half of the budget; the other half is for trials.  Without a budget there is no limit: only
 * STAR-MPI runs so. */
int64_t atn_tune_budget_pays(int share, int64_t credit_ns, int64_t cost_ns, int64_t passed_ns);

/* What is left of that half, for future costs. */
int64_t atn_tune_budget_spare(int share, int64_t credit_ns, int64_t cost_ns, int64_t passed_ns);

/* Adds the first measurement of a predicted candidate. */
void atn_tune_budget_add_ratio(atn_budget *b, int64_t measured_ps, int64_t predicted_ps);
/* The median of the latest ratios, per mille; 0: too few. */
int64_t atn_tune_budget_ratio(const atn_budget *b);

#endif
