/* reasons.c - see reasons.h.
 *
 * The calls of a tuned class share one reason, which is determined when the class ends. */
#include "pmpi/observe/reasons.h"

#include "pmpi/observe/report.h"
#include "pmpi/own.h"
#include "pmpi/select/advice.h"
#include "pmpi/select/model.h"

/* ---- single calls ---- */

static atn_job_reason because(atn_why why) { return (atn_job_reason){.why = (int32_t)why}; }

/* Repeats the selection by rules, wisdom and model. */
static atn_job_reason untuned(const atn_observed_call *o, const atn_problem *q)
{
    const atn_rules *const rules = atn_job_current.rules;
    atn_comm *const c = o->c;
    atn_job_reason r = because(ATN_WHY_NO_RULE);
    atn_choice choice;
    atn_reason reason;
    atn_plan_rules_choose(rules, q, c->calls, &choice, &reason);
    if (reason.rule >= 0 || atn_plan_rules_per_call(rules))
        return because(reason.rule >= 0 ? ATN_WHY_RULE : ATN_WHY_DRAWN);
    if (reason.refused >= 0)
        return because(ATN_WHY_REFUSED);
    if (c->wisdom != NULL)
        atn_plan_rules_choose(c->wisdom, q, 0, &choice, &reason);
    if (c->wisdom != NULL && reason.rule >= 0)
        return because(ATN_WHY_WISDOM);
    if (atn_job_current.online && q->bytes < 0)
        return because(ATN_WHY_UNSHARED);
    if (atn_plan_rules_plan(rules) && !atn_job_current.online)
        atn_select_model_reason(c, o->call, q, &r);
    return r;
}

static atn_job_reason on_comm(const atn_comm *c)
{
    if (c->stage == ATN_COMM_COUNTING)
        return (atn_job_reason){.why = ATN_WHY_FIRST, .n = {atn_job_current.first}};
    return because(c->foreign ? ATN_WHY_OUTSIDE : ATN_WHY_ROOM);
}

/* Before its class ends: whether candidates were being tried. */
static atn_job_reason of_call(const atn_observed_call *o, const atn_problem *q)
{
    const atn_comm *const c = o->c;
    if (c->stage != ATN_COMM_SERVED)
        return on_comm(c);
    if (c->p == 1)
        return because(ATN_WHY_ALONE);
    if (o->declined)
        return because(ATN_WHY_RELAYED);
    if (atn_exec_call_aliased(o->call))
        return because(ATN_WHY_ALIASED);
    if (o->turn.of != NULL)
        return because(o->turn.of->tuner != NULL ? ATN_WHY_TRYING : ATN_WHY_FEW);
    if (c->driver != NULL && (atn_job_current.tunable & 1u << q->op) != 0)
        return because(ATN_WHY_CLASSES);
    return untuned(o, q);
}

/* Calls with arguments that the native routine accepts and Attune does not support. */
static void report_unknown(const atn_observed_call *o, double seconds)
{
    const atn_operation op = o->call->op;
    const bool typed = (atn_sched_operation_get(op)->flags & ATN_TYPED) != 0;
    const atn_problem q = {.op = op, .p = o->c->p, .bytes = -1};
    const atn_job_reason r = o->c->stage != ATN_COMM_SERVED
                                 ? on_comm(o->c)
                                 : because(typed ? ATN_WHY_OPERATOR : ATN_WHY_TYPE);
    atn_observe_report_add(&q, ATN_FORM_BLOCKING, &o->choice, &r, NULL, seconds, 0);
}

void atn_observe_report_call(const atn_observed_call *o, int code, double seconds)
{
    const bool native = o->choice.row->algo->build == NULL;
    atn_exec *const x = o->c->exec;
    atn_problem q;
    if (x == NULL)
        return;
    if (!atn_exec_call_problem(x, o->call, &q)) {
        if (code == MPI_SUCCESS)
            report_unknown(o, seconds);
        return;
    }
    const atn_job_reason r = native ? of_call(o, &q) : because(ATN_WHY_SERVED);
    const bool comparable =
        r.why == ATN_WHY_SERVED || r.why == ATN_WHY_FEW || r.why == ATN_WHY_TRYING;
    const int64_t bytes = q.bytes >= 0 ? q.bytes : atn_exec_call_volume(x, o->call);
    atn_observe_report_add(&q, ATN_FORM_BLOCKING, &o->choice, &r, comparable ? o->turn.of : NULL,
                           seconds, (double)bytes);
}

/* Native calls while candidates are tried are the reference for those that are served. */
static atn_job_reason of_start(const atn_start_turn *turn)
{
    if (turn->of == NULL)
        return because(turn->why);
    return because(turn->block >= 0 ? ATN_WHY_TRYING : ATN_WHY_FEW);
}

void atn_observe_report_started(const atn_timed_start *x)
{
    const bool native = x->turn.use.row->algo->build == NULL;
    const atn_job_reason r = native ? of_start(&x->turn) : because(ATN_WHY_SERVED);
    atn_observe_report_add(
        &x->q, ATN_FORM_NONBLOCKING, &x->turn.use, &r, atn_nonblocking_class_of(&x->turn),
        1e-9 * (double)atn_ticks_ns(x->ticks), x->q.bytes > 0 ? (double)x->q.bytes : 0);
}

/* ---- call classes that end ---- */

static void name(const atn_call_class *x, int candidate, char out[ATN_JOB_NAME])
{
    if (candidate >= 0)
        atn_observe_report_name(atn_tune_class_choice(x, candidate), out);
}

static int64_t per_mille(int64_t part_ps, int64_t whole_ps)
{
    return whole_ps > 0 ? (int64_t)((__int128)part_ps * 1000 / whole_ps) : 0;
}

static atn_job_reason tuned(const atn_call_class *x, const atn_decision *v)
{
    static const atn_why whys[] = {
        [ATN_DECISION_SERVES] = ATN_WHY_REPLACED, [ATN_DECISION_HELD] = ATN_WHY_NEXT_RUN,
        [ATN_DECISION_SLOWER] = ATN_WHY_SLOWER,   [ATN_DECISION_PREDICTED] = ATN_WHY_PREDICTED,
        [ATN_DECISION_WAITING] = ATN_WHY_BUDGET,  [ATN_DECISION_TRYING] = ATN_WHY_TRYING,
    };
    atn_job_reason r = because(whys[v->is]);
    const bool by_wisdom = x->field->from_wisdom == ATN_SET_NATIVE && v->tried == 0;
    name(x, v->other, r.other);
    r.n[1] = v->of;
    if (v->is == ATN_DECISION_PREDICTED && (by_wisdom || v->of == 0)) {
        r.why = by_wisdom ? ATN_WHY_WISDOM : ATN_WHY_NOTHING;
    } else if (v->is == ATN_DECISION_WAITING) {
        r.n[0] = v->cost_ns;
        r.n[1] = v->left_ns;
    } else if (v->is == ATN_DECISION_TRYING) {
        r.n[0] = v->tried;
    } else if (v->is == ATN_DECISION_SLOWER) {
        r.n[0] = per_mille(v->other_ps - v->native_ps, v->native_ps);
        r.n[1] = v->tried;
    } else if (v->is == ATN_DECISION_HELD) {
        r.n[0] = per_mille(v->native_ps - v->other_ps, v->native_ps);
    }
    return r;
}

/* Whether no trial could have changed what serves, in this run. */
static bool is_bound_to_native(const atn_call_class *x, const atn_kind_facts *f)
{
    const atn_decision_is is = f->verdict.is;
    const bool open =
        is == ATN_DECISION_WAITING || is == ATN_DECISION_TRYING || is == ATN_DECISION_PREDICTED;
    return x->subject.stable && x->family == ATN_FAMILY_NONE &&
           (f->is == ATN_KIND_COSTS || (f->is == ATN_KIND_TUNED && open));
}

static atn_job_reason of_class(const atn_comm *c, const atn_call_class *x)
{
    const atn_kind_facts f = atn_tune_driver_facts(x);
    if (is_bound_to_native(x, &f))
        return because(ATN_WHY_ORDER);
    switch (f.is) {
    case ATN_KIND_FEW:
        return (atn_job_reason){.why = ATN_WHY_FEW, .n = {f.seen, f.needed}};
    case ATN_KIND_COSTS:
        return (atn_job_reason){.why = ATN_WHY_SET_UP,
                                .n = {f.off.cost_ns, f.off.left_ns, f.off.at, f.needed}};
    case ATN_KIND_FIXED:
        return because(atn_select_advice_fixed_reason(c, x));
    default:
        return tuned(x, &f.verdict);
    }
}

/* Rank 0 has the tuners of nonblocking calls. */
static void close_starts(atn_comm *c)
{
    atn_job_reason list[ATN_TUNERS_MOST] = {0};
    const int n = atn_nonblocking_classes_end(c);
    for (int i = 0; i < n && c->r == 0; i++)
        list[i] = of_class(c, atn_nonblocking_class_at(c, i));
    if (n == 0 || atn_pmpi_own_bcast(list, n * (int)sizeof *list, MPI_BYTE, 0, c->private_comm) !=
                      MPI_SUCCESS)
        return;
    for (int i = 0; i < n; i++)
        atn_observe_report_close(atn_nonblocking_class_at(c, i), &list[i]);
    int64_t lost_ns;
    const int64_t ns = atn_nonblocking_tuning_spent(c, &lost_ns);
    if (c->r == 0)
        atn_observe_report_tuning(ns, lost_ns, 10 * atn_job_current.budget);
}

static void close_classes(atn_comm *c)
{
    for (int i = 0; i < atn_tune_driver_classes(c->driver); i++) {
        const atn_call_class *const x = atn_tune_driver_class_at(c->driver, i);
        const atn_job_reason r = of_class(c, x);
        atn_observe_report_close(x, &r);
    }
    if (c->r == 0)
        atn_observe_report_tuning(atn_tune_driver_spent(c->driver), atn_tune_driver_lost(c->driver),
                                  10 * atn_job_current.budget);
}

void atn_observe_classes_close(atn_comm *c)
{
    if (atn_job_current.report == NULL)
        return;
    if (c->driver != NULL)
        close_classes(c);
    if (c->starts != NULL)
        close_starts(c);
}
