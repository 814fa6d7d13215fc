/* explain.c - see explain.h. */
#include "pmpi/select/explain.h"

static void name_class(const atn_comm *c, const atn_call_class *x, char out[128])
{
    char lo[32], hi[32], sizes[80] = "";
    const atn_span span = atn_tune_size_span(x->subject.q.bytes);
    if (span.lo > 0)
        snprintf(sizes, sizeof sizes, ", %s:%s bytes", atn_format_size(span.lo, lo),
                 atn_format_size(span.hi, hi));
    snprintf(out, 128, "%s on %d ranks%s%s%s", atn_sched_operation_get(x->subject.q.op)->name, c->p,
             sizes, x->subject.inexact ? ", inexact" : "",
             x->subject.started        ? ", nonblocking"
             : x->subject.context != 0 ? ", in a context"
                                       : "");
}

void atn_select_explain_advice(const atn_comm *c, const atn_call_class *x, atn_advice advice)
{
    char class[128], name[ATN_NAME_ROOM];
    if (c->r != 0 || (advice != ATN_ADVICE_FIXED && advice != ATN_ADVICE_RACE))
        return;
    name_class(c, x, class);
    atn_plan_choice_print(
        atn_tune_class_choice(x, x->tuner != NULL ? atn_tune_tuner_incumbent(x->tuner) : 0), name);
    if (advice == ATN_ADVICE_FIXED)
        atn_interpose_print_line("%s: %s for good", class, name);
    else
        atn_interpose_print_line("%s: begins with %s (%s), %d candidates%s", class, name,
                                 x->field->from_wisdom < 0 ? "no better one is known"
                                 : x->field->at_once       ? "predicted"
                                 : x->field->wisdom_ps > 0 ? "wisdom"
                                 : x->family               ? "canonical order"
                                                           : "uncertain wisdom",
                                 x->field->n,
                                 x->family           ? ", those of another order beside the calls"
                                 : x->subject.stable ? ", timed beside the calls"
                                                     : "");
}

void atn_select_explain_times(const atn_comm *c, const atn_call_class *x, int before,
                              const atn_tuner_result *l)
{
    char class[128], name[ATN_NAME_ROOM], old[ATN_NAME_ROOM];
    const int now = atn_tune_tuner_incumbent(x->tuner);
    name_class(c, x, class);
    atn_plan_choice_print(&x->field->choice[before], old);
    atn_plan_choice_print(&x->field->choice[l->best], name);
    if (now != before)
        atn_interpose_print_line(
            "%s: %s replaces %s, which it has beaten in a race: %.3f us per call", class, name, old,
            1e-6 * (double)l->best_ps);
    else
        atn_interpose_print_line(
            "%s: %s, the best candidate takes %.3f us per call (%s, %lld blocks)", class,
            atn_tune_tuner_why(x->tuner), 1e-6 * (double)l->best_ps, name, (long long)l->samples);
}
