/* patterns.c - call classes whose sizes recur; see atn_recurrence in driver.h. */
#include "plan/patterns.h"
#include "algo/known_pattern.h"
#include "tune/drivers/driver_private.h"

/* Calls of the same sizes before a pattern is recognised with advice; before it is a reason for
 * advice. */
enum { RECURS = 2, SETTLED = 8 };

int64_t atn_tune_patterns_part(const atn_call_class *x)
{
    return (int64_t)(x->recurrence.hash & ATN_PATTERN_PART);
}

bool atn_tune_patterns_recur(const atn_call_class *x) { return x->recurrence.same > RECURS; }

void atn_tune_patterns_none(atn_call_class *x)
{
    x->subject.pattern = x->recurrence.fixed ? x->subject.pattern : 0;
    x->recurrence.unsettled = false;
}

void atn_tune_patterns_recognise(atn_driver *d, atn_call_class *x, bool all, int64_t hash)
{
    if (x->recurrence.fixed)
        return;
    x->recurrence.unsettled = !all;
    x->recurrence.differs = false;
    x->subject.pattern = 0;
    if (all && d->s.recognise != NULL && x->recurrence.same > 0)
        d->s.recognise(d->s.context, x, (uint64_t)hash);
}

void atn_tune_patterns_follow(atn_call_class *x, const atn_choice *use)
{
    const int64_t name = atn_plan_pattern_of(use);
    if (x->subject.pattern != 0 || x->calls > 0 || name == 0)
        return;
    x->subject.pattern = atn_plan_pattern_number(name);
    x->recurrence.unsettled = true;
}

void atn_tune_patterns_state(atn_call_class *x, int64_t sums[ATN_DRIVER_SUMS])
{
    sums[ATN_SUM_DIFFERS] = x->recurrence.differs;
    sums[ATN_SUM_UNSETTLED] = x->recurrence.same < SETTLED;
    x->recurrence.differs = false;
}

bool atn_tune_patterns_changed(atn_call_class *x, const int64_t sums[ATN_DRIVER_SUMS])
{
    const bool has = x->subject.pattern != 0;
    atn_recurrence *const k = &x->recurrence;
    const bool changed = has ? sums[ATN_SUM_DIFFERS] > 0 : k->unsettled;
    if (k->left == 0 || sums[ATN_SUM_UNSETTLED] > 0 || !changed)
        return false;
    k->left--;
    return true;
}
