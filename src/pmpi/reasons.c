/* reasons.c - why calls are left to the native routine, as the report shows it.
 *
 * Calls of a kind that is tuned share one reason, which is known when the kind ends. */
#include "base/clock.h"
#include "pmpi/learned.h"
#include "pmpi/planned.h"
#include "pmpi/watch.h"

/* ---- single calls ---- */

static atn_job_reason because(atn_why why) { return (atn_job_reason){.why = (int32_t)why}; }

/* What rules, wisdom and predictions said, asked once more. */
static atn_job_reason untuned(const atn_observed *o, const atn_problem *q)
{
    const atn_rules *const rules = atn_the_job.rules;
    atn_comm *const c = o->c;
    atn_job_reason r = because(ATN_WHY_NO_RULE);
    atn_choice choice;
    atn_reason said;
    atn_rules_choose(rules, q, c->calls, &choice, &said);
    if (said.rule >= 0 || atn_rules_per_call(rules))
        return because(said.rule >= 0 ? ATN_WHY_RULE : ATN_WHY_DRAWN);
    if (said.refused >= 0)
        return because(ATN_WHY_REFUSED);
    if (c->wisdom != NULL)
        atn_rules_choose(c->wisdom, q, 0, &choice, &said);
    if (c->wisdom != NULL && said.rule >= 0)
        return because(ATN_WHY_WISDOM);
    if (atn_the_job.learns && q->bytes < 0)
        return because(ATN_WHY_UNSHARED);
    if (atn_rules_plan(rules) && !atn_the_job.learns)
        atn_planned_reason(c, o->call, q, &r);
    return r;
}

static atn_job_reason on_comm(const atn_comm *c)
{
    if (c->stage == ATN_STAGE_COUNTING)
        return (atn_job_reason){.why = ATN_WHY_FIRST, .n = {atn_the_job.first}};
    return because(c->outside ? ATN_WHY_OUTSIDE : ATN_WHY_ROOM);
}

/* Before kinds end: whether candidates were being tried. */
static atn_job_reason of_call(const atn_observed *o, const atn_problem *q)
{
    const atn_comm *const c = o->c;
    if (c->stage != ATN_STAGE_SERVED)
        return on_comm(c);
    if (c->p == 1)
        return because(ATN_WHY_ALONE);
    if (o->declined)
        return because(ATN_WHY_RELAYED);
    if (atn_call_aliased(o->call))
        return because(ATN_WHY_ALIASED);
    if (o->turn.of != NULL)
        return because(o->turn.of->tuner != NULL ? ATN_WHY_TRYING : ATN_WHY_FEW);
    if (c->driver != NULL && (atn_the_job.tunable & 1u << q->op) != 0)
        return because(ATN_WHY_KINDS);
    return untuned(o, q);
}

/* Calls whose arguments the native routine has borne although Attune does not know what to make of
 * them. */
static void report_unknown(const atn_observed *o, double seconds)
{
    const atn_operation op = o->call->op;
    const bool typed = (atn_operation_get(op)->flags & ATN_TYPED) != 0;
    const atn_problem q = {.op = op, .p = o->c->p, .bytes = -1};
    const atn_job_reason r = o->c->stage != ATN_STAGE_SERVED
                                 ? on_comm(o->c)
                                 : because(typed ? ATN_WHY_OPERATOR : ATN_WHY_TYPE);
    atn_report_add(&q, &o->choice, &r, NULL, seconds, 0);
}

void atn_report_call(const atn_observed *o, int code, double seconds)
{
    const bool native = o->choice.row->algo->build == NULL;
    atn_exec *const x = o->c->exec;
    atn_problem q;
    if (x == NULL)
        return;
    if (!atn_call_problem(x, o->call, &q)) {
        if (code == MPI_SUCCESS)
            report_unknown(o, seconds);
        return;
    }
    const atn_job_reason r = native ? of_call(o, &q) : because(ATN_WHY_SERVED);
    const bool comparable =
        r.why == ATN_WHY_SERVED || r.why == ATN_WHY_FEW || r.why == ATN_WHY_TRYING;
    const int64_t bytes = q.bytes >= 0 ? q.bytes : atn_call_volume(x, o->call);
    atn_report_add(&q, &o->choice, &r, comparable ? o->turn.of : NULL, seconds, (double)bytes);
}

/* ---- communicators without a state ---- */

double atn_stateless_begin(void) { return atn_the_job.report != NULL ? atn_now_seconds() : 0; }

void atn_stateless_end(MPI_Comm comm, atn_operation op, double start)
{
    int inter = 0, own = 0, others = 0;
    if (atn_the_job.report == NULL || comm == MPI_COMM_NULL ||
        PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || !inter)
        return;
    const double seconds = atn_now_seconds() - start;
    PMPI_Comm_size(comm, &own);
    PMPI_Comm_remote_size(comm, &others);
    const atn_problem q = {.op = op, .p = own + others, .bytes = -1};
    const atn_choice choice = {.row = atn_catalog_native(op)};
    const atn_job_reason r = because(ATN_WHY_INTER);
    atn_report_add(&q, &choice, &r, NULL, seconds, 0);
}

/* ---- kinds that end ---- */

static void name(const atn_kind *x, int candidate, char out[ATN_JOB_NAME])
{
    if (candidate >= 0)
        atn_report_name(&x->field.choice[candidate], out);
}

static int64_t per_mille(int64_t part_ps, int64_t whole_ps)
{
    return whole_ps > 0 ? (int64_t)((__int128)part_ps * 1000 / whole_ps) : 0;
}

static atn_job_reason tuned(const atn_kind *x, const atn_decision *v)
{
    static const atn_why whys[] = {
        [ATN_DECISION_SERVES] = ATN_WHY_REPLACED, [ATN_DECISION_HELD] = ATN_WHY_NEXT_RUN,
        [ATN_DECISION_SLOWER] = ATN_WHY_SLOWER,   [ATN_DECISION_PREDICTED] = ATN_WHY_PREDICTED,
        [ATN_DECISION_WAITING] = ATN_WHY_BUDGET,  [ATN_DECISION_TRYING] = ATN_WHY_TRYING,
    };
    atn_job_reason r = because(whys[v->is]);
    const bool wise = x->field.wise == ATN_SET_NATIVE && v->tried == 0;
    name(x, v->other, r.other);
    r.n[1] = v->of;
    if (v->is == ATN_DECISION_PREDICTED && (wise || v->of == 0)) {
        r.why = wise ? ATN_WHY_WISDOM : ATN_WHY_NOTHING;
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

static atn_job_reason of_kind(const atn_comm *c, const atn_kind *x)
{
    const atn_kind_facts f = atn_driver_facts(x);
    switch (f.is) {
    case ATN_KIND_FEW:
        return (atn_job_reason){.why = ATN_WHY_FEW,
                                .n = {f.seen, atn_learned_needs(c, x, f.needed)}};
    case ATN_KIND_COSTS:
        return (atn_job_reason){.why = ATN_WHY_SET_UP,
                                .n = {f.off.cost_ns, f.off.left_ns, f.off.at, f.needed}};
    case ATN_KIND_FIXED:
        return because(atn_learned_fixed(c, x));
    default:
        return tuned(x, &f.verdict);
    }
}

void atn_tuned_facts(atn_comm *c)
{
    if (c->driver == NULL || atn_the_job.report == NULL)
        return;
    for (int i = 0; i < atn_driver_kinds(c->driver); i++) {
        const atn_kind *const x = atn_driver_kind_at(c->driver, i);
        const atn_job_reason r = of_kind(c, x);
        atn_report_close(x, &r);
    }
    if (c->r == 0)
        atn_report_spent(atn_driver_spent(c->driver), 10 * atn_the_job.budget);
}
