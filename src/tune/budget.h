/* budget.h - how much time tuning may cost the program.
 *
 * The guarantee: at every moment the job is behind the same job with native collectives by at most
 *
 *     share * elapsed + credit        credit = share * 5 s + 32 agreements
 *
 * (2 % and 100 ms by default; jobs on unknown hosts have another credit for the measurement of
 * their network, see ATN_ADVICE_SKETCH).  It is an account.  Income: the share of the elapsed time,
 * of the first 5 s twice, and three quarters of what served calls have measurably saved against
 * native.  Expenses: the time by which trials were slower than native, agreements, and the overhead
 * of start-up, advice and planning.  A round begins only when the account covers the most that it
 * is expected to lose; native never loses.  What is saved is a lower bound (savings.c), so that
 * noise is no income; the last quarter of it covers a machine that changes until that is detected.
 * One call may exceed its bound: the first one of a candidate that is slower than predicted.  Only
 * one such call is under way at a time, and no other one begins before the account has recovered.
 *
 * A round without expected loss need not wait until the overhead is earned: such rounds are how it
 * pays off.  All tuners of a communicator share one account, in which the trial that promises the
 * greatest saving for its cost goes first, and the observed error of the model: where its
 * predictions were too low for some sizes, those of other sizes are corrected. */
#ifndef ATN_TUNE_BUDGET_H
#define ATN_TUNE_BUDGET_H

#include "base/base.h"

enum { ATN_CREDIT_AGREEMENTS = 32, ATN_BUDGET_RATIOS = 9, ATN_BUDGET_LEAST = 3 };
enum { ATN_AHEAD_USUAL = 4 };
/* The share of this time is the start credit. */
#define ATN_CREDIT_NS INT64_C(5000000000)

/* A trial that waits until the account covers it. */
typedef struct {
    const void *of;   /* its tuner; NULL: none */
    int64_t priority; /* expected saving for its cost */
    int64_t cost_ns;
    int64_t until; /* number of calls after which it is void: the class may have ended */
} atn_bid;

typedef struct {
    int share; /* per mille of the elapsed time */
    int64_t credit_ns, elapsed_ns, spent_ns;
    int64_t lost_ns;     /* part of spent_ns: calls that were slower than native */
    int64_t earned_ns;   /* what served calls have saved at least */
    int64_t overhead_ns; /* of start-up, advice and planning */
    int64_t reserved_ns; /* maximum cost of rounds that have begun */
    int64_t calls;       /* since it was opened */
    int64_t agreed_calls;
    int64_t ratio[ATN_BUDGET_RATIOS]; /* measured over predicted, per mille; a ring */
    int64_t ratios;
    int64_t slowdown[ATN_BUDGET_RATIOS]; /* first calls without prediction over native, per mille */
    int64_t slowdowns;
    int first; /* rounds under way with the first call of a candidate */
    atn_bid bid;
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
/* Calls were slower than native by this time, or faster. */
void atn_tune_budget_lose(atn_budget *b, int64_t ns);
void atn_tune_budget_earn(atn_budget *b, int64_t ns);
/* Enters a trial that waits.  Returns what must remain for a more promising one; 0: nothing. */
int64_t atn_tune_budget_bid(atn_budget *b, const atn_bid *bid);
void atn_tune_budget_withdraw(atn_budget *b, const void *of);
/* Total overhead of start-up, advice and planning so far. */
void atn_tune_budget_overhead(atn_budget *b, int64_t ns);

/* Adds the first measurement of a predicted candidate. */
void atn_tune_budget_add_ratio(atn_budget *b, int64_t measured_ps, int64_t predicted_ps);
/* The median of the latest ratios, per mille; 0: too few. */
int64_t atn_tune_budget_ratio(const atn_budget *b);
/* Adds the first measurement of a candidate without prediction. */
void atn_tune_budget_add_slowdown(atn_budget *b, int64_t measured_ps, int64_t native_ps);
/* How long a candidate without prediction takes at most, per mille of native: the latest maximum on
 * this communicator, at least twice and at most four times as long. */
int64_t atn_tune_budget_slowdown(const atn_budget *b);

/* ---- accounts ---- */

/* Time that rank 0 may work for others: a fraction of the time that passes, by a clock of the
 * owner's choice.  Threads may share an account. */
typedef struct {
    int64_t share, of; /* the fraction; share 0: no limit, only STAR-MPI runs so */
    int64_t left_ns;   /* at first a credit; negative: overdrawn */
    int64_t most_ns;   /* that can be left */
    int64_t now_ns;    /* latest time */
    int64_t twice_ns;  /* the time before counts twice; 0: none does */
} atn_account;

/* Why work is deferred: too few calls, or an account does not cover its cost. */
typedef struct {
    bool costs;
    int64_t cost_ns, left_ns;
    int64_t wait_ns; /* until the account covers it */
    int64_t at;      /* number of calls of the class at that time */
} atn_deferral;

/* Unless it is open. */
void atn_tune_account_open(atn_account *a, const atn_account *as);
/* Whether the account covers a cost. */
atn_deferral atn_tune_account_check(atn_account *a, int64_t now_ns, int64_t cost_ns);
void atn_tune_account_spend(atn_account *a, int64_t ns);
void atn_tune_account_earn(atn_account *a, int64_t ns);

#endif
