/* costs.c - what tuning has cost a process, and the state of its tuners for reports. */
#include <stdatomic.h>

#include "base/clock.h"
#include "tune/drivers/driver_private.h"

/* All communicators of a rank share its time, so each earns a part of the budget; they pay together
 * for setting up tuners. */
static _Atomic int drivers;
static _Atomic int64_t first_opened, set_ups; /* ticks */
static _Atomic int64_t start_ns, tuners;      /* cost of the start; tuners that were set up */

void atn_tune_costs_begin(atn_driver *d)
{
    d->opened = atn_ticks();
    atomic_compare_exchange_strong(&first_opened, &(int64_t){0}, d->opened);
    if (d->s.overhead_ns > 0)
        atomic_store(&start_ns, d->s.overhead_ns);
    atomic_fetch_add(&drivers, 1);
}

void atn_tune_costs_end(void) { atomic_fetch_sub(&drivers, 1); }

void atn_tune_costs_count_tuner(void) { atomic_fetch_add(&tuners, 1); }

void atn_tune_driver_cost(atn_driver *d, int64_t ticks)
{
    d->overhead += ticks;
    atomic_fetch_add(&set_ups, ticks);
}

/* The first one takes a plan and about as many collectives as the start. */
int64_t atn_tune_next_set_up_ns(void)
{
    static const int64_t plan_ns = 3000000;
    const int64_t so_far = atn_ticks_ns(atomic_load(&set_ups)), n = atomic_load(&tuners);
    return n > 0 ? so_far / n : start_ns + plan_ns;
}

int64_t atn_tune_set_ups_ns(void)
{
    return start_ns + atn_ticks_ns(atomic_load(&set_ups)) + atn_tune_next_set_up_ns();
}

int64_t atn_tune_set_ups_since(void)
{
    return atn_ticks_ns(atn_ticks() - atomic_load(&first_opened));
}

int64_t atn_tune_driver_overhead(const atn_driver *d)
{
    return d->s.overhead_ns + atn_ticks_ns(d->overhead);
}

int64_t atn_tune_driver_passed(const atn_driver *d)
{
    const int sharers = atomic_load(&drivers);
    return atn_ticks_ns(atn_ticks() - d->opened) / (sharers > 0 ? sharers : 1);
}

/* ---- reports ---- */

int atn_tune_driver_classes(const atn_driver *d) { return d->n; }
const atn_call_class *atn_tune_driver_class_at(const atn_driver *d, int i) { return &d->kinds[i]; }

int64_t atn_tune_driver_spent(const atn_driver *d)
{
    return d->tuners.budget.spent_ns + atn_ticks_ns(d->overhead);
}

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
