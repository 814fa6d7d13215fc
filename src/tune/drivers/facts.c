/* facts.c - what the tuners of a communicator know and have cost, for reports. */
#include "tune/drivers/private.h"

int atn_driver_kinds(const atn_driver *d) { return d->n; }
const atn_kind *atn_driver_kind_at(const atn_driver *d, int i) { return &d->kinds[i]; }

int64_t atn_driver_spent(const atn_driver *d)
{
    return d->book.account.spent_ns + atn_driver_overhead(d);
}
