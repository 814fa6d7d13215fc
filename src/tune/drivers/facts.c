/* facts.c - what the tuners of a communicator know and have cost, for reports. */
#include "base/clock.h"
#include "tune/drivers/driver_private.h"

int atn_driver_kinds(const atn_driver *d) { return d->n; }
const atn_kind *atn_driver_kind_at(const atn_driver *d, int i) { return &d->kinds[i]; }

int64_t atn_driver_spent(const atn_driver *d)
{
    return d->book.account.spent_ns + atn_ticks_ns(d->overhead);
}

/* Rank 0 is asked before the call after `calls`; calls by promise are not told of yet. */
atn_kind_facts atn_driver_facts(const atn_kind *x)
{
    const int64_t untold = x->promise.granted - x->promise.left;
    atn_kind_facts f = {.is = ATN_KIND_TUNED, .off = x->off};
    if (x->tuner != NULL) {
        f.verdict = atn_tuner_decision(x->tuner);
        return f;
    }
    if (x->quiet == INT64_MAX) {
        f.is = ATN_KIND_FIXED;
        return f;
    }
    f.seen = x->calls - (x->quiet - untold);
    f.needed = x->calls + 1;
    f.is = x->off.costs ? ATN_KIND_COSTS : ATN_KIND_FEW;
    return f;
}
