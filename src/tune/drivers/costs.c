/* costs.c - what tuning has cost a process, and the state of its tuners for reports. */
#include <stdatomic.h>

#include "base/clock.h"
#include "tune/drivers/driver_private.h"

/* All communicators of a rank share its time, so each earns a part of the budget; they pay together
 * for setting up tuners. */
static _Atomic int drivers;
static atn_account account;                         /* of start and set-ups */
static _Atomic int64_t start_ns, set_up_ns, tuners; /* their costs; set-ups */

/* All of the budget: trials wait until the overhead is earned (budget.h). */
void atn_tune_costs_begin(atn_driver *d)
{
    const int64_t now_ns = atn_clock_kernel_ns();
    d->opened = atn_ticks();
    atn_tune_account_open(&account, &(atn_account){
                                        .share = d->s.budget,
                                        .of = 1000,
                                        .left_ns = ATN_CREDIT_AGREEMENTS * d->s.tune.agreement_ns,
                                        .most_ns = INT64_MAX,
                                        .now_ns = now_ns,
                                        .twice_ns = now_ns + ATN_CREDIT_NS,
                                    });
    atn_tune_account_spend(&account, d->s.overhead_ns);
    atomic_fetch_add(&start_ns, d->s.overhead_ns);
    atomic_fetch_add(&drivers, 1);
}

void atn_tune_costs_end(void) { atomic_fetch_sub(&drivers, 1); }

void atn_tune_costs_count_tuner(void) { atomic_fetch_add(&tuners, 1); }

/* Trials may spend three quarters of it (budget.h). */
void atn_tune_costs_earn(atn_driver *d)
{
    const int64_t all_ns = d->tuners.budget.earned_ns;
    atn_tune_account_earn(&account, (all_ns - d->shared_ns) / 4);
    d->shared_ns = all_ns;
}

void atn_tune_driver_cost_once(atn_driver *d, int64_t ns)
{
    d->overhead_ns += ns;
    atn_tune_account_spend(&account, ns);
}

void atn_tune_driver_cost(atn_driver *d, int64_t ns)
{
    atomic_fetch_add(&set_up_ns, ns);
    atn_tune_driver_cost_once(d, ns);
}

/* The start credit so far. */
static int64_t credit_by(int64_t now_ns)
{
    const int64_t began_ns = account.twice_ns - ATN_CREDIT_NS,
                  early_ns = now_ns < account.twice_ns ? now_ns - began_ns : ATN_CREDIT_NS;
    return early_ns / account.of * account.share;
}

/* The first one takes a plan and about as many collectives as the start. */
atn_deferral atn_tune_costs_of_tuner(bool is_short)
{
    static const int64_t plan_ns = 3000000;
    const int64_t n = atomic_load(&tuners), now_ns = atn_clock_kernel_ns(),
                  credit_ns = is_short ? credit_by(now_ns) : 0;
    const int64_t cost_ns = n > 0 ? atomic_load(&set_up_ns) / n : start_ns + plan_ns;
    atn_deferral off = atn_tune_account_check(&account, now_ns, cost_ns + credit_ns);
    off.cost_ns -= credit_ns;
    off.left_ns -= credit_ns;
    return off;
}

int64_t atn_tune_driver_overhead(const atn_driver *d) { return d->s.overhead_ns + d->overhead_ns; }

int64_t atn_tune_driver_passed(const atn_driver *d)
{
    const int sharers = atomic_load(&drivers);
    return atn_ticks_ns(atn_ticks() - d->opened) / (sharers > 0 ? sharers : 1);
}

/* ---- reports ---- */

int atn_tune_driver_classes(const atn_driver *d) { return d->n; }
const atn_call_class *atn_tune_driver_class_at(const atn_driver *d, int i) { return d->kinds[i]; }

int64_t atn_tune_driver_spent(const atn_driver *d)
{
    return d->tuners.budget.spent_ns + d->overhead_ns;
}

int64_t atn_tune_driver_lost(const atn_driver *d) { return d->tuners.budget.lost_ns; }

/* Advice is requested before the call after `calls`; calls by promise are not counted yet. */
atn_kind_facts atn_tune_driver_facts(const atn_call_class *x)
{
    const int64_t uncounted = x->promise.granted - x->promise.left;
    atn_kind_facts f = {.is = ATN_KIND_TUNED, .off = x->off};
    if (x->tuner != NULL) {
        f.verdict = atn_tune_tuner_decision(x->tuner);
        return f;
    }
    if (x->quiet == INT64_MAX) {
        f.is = ATN_KIND_FIXED;
        return f;
    }
    f.seen = x->calls - (x->quiet - uncounted);
    f.needed = x->calls + 1;
    f.is = x->off.costs ? ATN_KIND_COSTS : ATN_KIND_FEW;
    return f;
}
