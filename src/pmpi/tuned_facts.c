/* tuned_facts.c - what the tuners of a communicator tell the report: times of what is used and of
 * the native routine, where both were measured. */
#include "pmpi/watch.h"

static void tell_kind(const atn_comm *c, const atn_kind *x)
{
    const int used = x->tuner != NULL ? atn_tuner_incumbent(x->tuner) : ATN_FIELD_NATIVE;
    if (x->tuner == NULL)
        return;
    atn_tuned_fact fact = {.op = x->subject.q.op,
                           .p = c->p,
                           .bytes = x->subject.q.bytes,
                           .choice = x->field.choice[used]};
    fact.time_ps = atn_tuner_time(x->tuner, used, &fact.ci_ps);
    fact.native_ps = atn_tuner_time(x->tuner, ATN_FIELD_NATIVE, &fact.native_ci_ps);
    atn_report_tuned(&fact);
}

void atn_tuned_facts(atn_comm *c)
{
    if (c->driver == NULL || c->r != 0 || atn_the_job.report == NULL)
        return;
    for (int i = 0; i < atn_driver_kinds(c->driver); i++)
        tell_kind(c, atn_driver_kind_at(c->driver, i));
    atn_report_spent(atn_driver_spent(c->driver), 10 * atn_the_job.budget);
}
