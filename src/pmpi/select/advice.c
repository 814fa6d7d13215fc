/* advice.c - see advice.h. */
#include "pmpi/select/advice.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "plan/family.h"
#include "plan/form.h"
#include "plan/patterns.h"
#include "plan/planner.h"
#include "plan/twins.h"
#include "plan/wisdom.h"
#include "pmpi/select/arrivals.h"
#include "pmpi/select/candidates.h"
#include "pmpi/select/explain.h"
#include "pmpi/select/patterns.h"
#include "pmpi/select/prediction.h"
#include "pmpi/select/results.h"
#include "pmpi/select/sketch.h"
#include "pmpi/select/staleness.h"
#include "topo/topo.h"

static const int64_t worth_ns = 10000000; /* since the first call of a class */
/* How many times the usual number of calls a class needs that is not predicted to recur. */
enum { UNPREDICTED = 2 };

/* ---- places in wisdom ---- */

enum { PLACE_ROOM = ATN_HERE_ROOM + 36 };

/* Results of a context hold in this context, those of calls of a pattern for this pattern, and
 * other ones of calls whose sizes ranks do not share in this program; 0: results hold for all
 * calls. */
static uint64_t owner_of(const atn_subject *s)
{
    if (s->pattern != 0)
        return atn_plan_pattern_owner(s->pattern, s->context);
    return s->q.bytes >= 0 ? s->context
                           : atn_plan_program_owner(atn_job_current.program, s->context);
}

static void name_place(const char *mapping, const atn_subject *s, char out[PLACE_ROOM])
{
    const uint64_t owner = owner_of(s);
    char number[24] = "";
    if (owner != 0)
        snprintf(number, sizeof number, "%016" PRIx64, owner);
    snprintf(out, PLACE_ROOM, "%s%s%s%s", mapping, owner != 0 || s->started ? ATN_PLACE_OWNER : "",
             s->started ? "nonblocking" : "", number);
}

/* The rank mapping of a communicator and the owner of a class; -1: no memory. */
static int64_t place_of(const atn_comm *c, const atn_subject *s)
{
    char mapping[ATN_HERE_ROOM], place[PLACE_ROOM];
    if (!atn_plan_here_name(atn_job_current.here, c->topo, mapping))
        return -1;
    name_place(mapping, s, place);
    return atn_intern(place);
}

static bool covers(const atn_rule *rule, const atn_problem *q)
{
    return rule->op == q->op && rule->ranks.lo <= q->p && q->p < rule->ranks.hi &&
           rule->bytes.lo <= q->bytes && q->bytes < rule->bytes.hi;
}

/* The same on all ranks: needs no memory.  Inexact results must not differ between contexts. */
const atn_rule *atn_select_advice_owned(const atn_comm *c, const atn_subject *s)
{
    const atn_rules *const all = atn_job_current.wisdom;
    char place[PLACE_ROOM];
    if (c->place == NULL || s->stable || (owner_of(s) == 0 && !s->started) || atn_select_is_star())
        return NULL;
    name_place(c->place, s, place);
    for (int i = 0; i < atn_plan_rules_count(all); i++) {
        const atn_rule *const rule = atn_plan_rules_at(all, i);
        if (covers(rule, &s->q) && strcmp(atn_interned(rule->place), place) == 0)
            return rule;
    }
    return NULL;
}

/* ---- wisdom ---- */

/* Errors of a closed form cancel out, so it needs no topology; native has no closed form. */
static double form_of(void *context, const atn_choice *choice, const atn_problem *q)
{
    atn_form_facts facts = {0};
    atn_problem bare = *q;
    double seconds = -1;
    bare.topo = NULL;
    bare.segments = atn_algo_segments(choice->row, q, &choice->params);
    if (choice->row->algo->build == NULL ||
        atn_plan_form_times(choice, &bare, &facts, context, 1, &seconds, NULL) != ATN_OK)
        return -1;
    return seconds;
}

/* A rule for the problem, or an extrapolation, which a measured machine corrects. */
static bool look_up_wisdom(const atn_comm *c, const atn_problem *q, atn_rule *rule_p)
{
    const bool model = atn_job_current.measured && q->bytes >= 0;
    atn_alpha_beta net = {0};
    if (model)
        net = atn_plan_planner_network(q, atn_job_current.machine);
    return atn_plan_wisdom_answer(c->wisdom, q, model ? form_of : NULL, &net, rule_p, NULL) ==
           ATN_OK;
}

/* The rule of this context or program before those for all. */
static bool look_up(const atn_comm *c, const atn_subject *s, atn_rule *rule_p)
{
    const atn_rule *const own = atn_select_advice_owned(c, s);
    if (own == NULL || atn_plan_choice_refuses(&own->use, &s->q) != NULL)
        return c->wisdom != NULL && look_up_wisdom(c, &s->q, rule_p);
    *rule_p = *own;
    rule_p->note = NULL;
    /* The calls of the other job had other sizes, unless it names their pattern. */
    if (s->q.bytes < 0 && s->pattern == 0 && atn_plan_pattern_of(&own->use) == 0)
        rule_p->time_ps = rule_p->next_ps = -1;
    return true;
}

/* A result of another communicator of the same shape, unless the rule of a wisdom file outweighs
 * it.  Where results of reductions must not change, only the latter, which is the same in all
 * contexts and for the whole run, and only if it was measured: nothing could correct an
 * extrapolation. */
static bool find_rule(const atn_comm *c, const atn_call_class *x, atn_rule *rule_p)
{
    const atn_subject *const s = &x->subject;
    const atn_problem *const q = &s->q;
    atn_rule written;
    if (atn_select_is_star())
        return false;
    const bool found = !s->stable && atn_select_results_find(q, place_of(c, s), rule_p) &&
                       atn_select_patterns_serves(x, &rule_p->use) &&
                       atn_plan_choice_refuses(&rule_p->use, q) == NULL;
    const bool known = look_up(c, s, &written) &&
                       (!s->stable || written.guess != ATN_GUESS_BETWEEN) &&
                       atn_select_patterns_serves(x, &written.use);
    if (known && (!found || atn_plan_rule_outweighs(&written, rule_p)))
        *rule_p = written;
    return found || known;
}

/* A reduction whose result must not change cannot begin to follow wisdom after native calls. */
static bool may_follow_wisdom(const atn_comm *c, const atn_subject *s, bool first)
{
    return !s->stable || (first && (c->before & 1u << s->q.op) == 0);
}

static atn_advice fixed(const atn_subject *s, const atn_rule *rule, atn_candidate_set *f)
{
    atn_tune_candidate_set_make(s->q.op, 0, NULL, f);
    if (rule != NULL)
        f->choice[0] = rule->use;
    return ATN_ADVICE_FIXED;
}

static void make_field(const atn_comm *c, const atn_call_class *x, const atn_rule *rule,
                       atn_candidate_set *f)
{
    const atn_subject *const s = &x->subject;
    atn_tune_candidate_set_make(s->q.op, ATN_ERROR_TOPOLOGY, rule, f);
    int64_t steps = atn_plan_budget(s->q.p);
    atn_twin use = {.choice = rule->use}, next = {.choice = rule->next};
    if (rule->next.row != NULL && atn_select_patterns_serves(x, &rule->next) &&
        atn_select_candidate_fits(&rule->next, &s->q) &&
        !atn_plan_are_twins(&use, &next, &s->q, &steps)) /* a race between them would not end */
        atn_tune_candidate_set_add(f, &rule->next, rule->next_ps, ATN_ERROR_MEASURED);
    if (s->pattern != 0 && rule->place != place_of(c, s)) /* measured with other sizes */
        atn_select_patterns_add(x, f);
}

/* ---- advice ---- */

/* No trials are permitted, or nothing can be gained: wisdom serves as it is. */
static bool is_untried(const atn_subject *s)
{
    if (s->q.bytes == 0 && s->q.op != ATN_BARRIER)
        return true;
    return (!atn_select_is_star() && atn_job_current.budget == 0) ||
           (s->stable && (!s->probes || atn_select_is_star()));
}

/* Classes of few short calls are not worth a plan; decided without prediction. */
static bool seems_worth_planning(const atn_call_class *x)
{
    return atn_select_is_star() || x->calls >= atn_job_current.first ||
           atn_ticks_ns(atn_ticks() - x->since) > worth_ns;
}

atn_why atn_select_advice_fixed_reason(const atn_comm *c, const atn_call_class *x)
{
    const atn_subject *const s = &x->subject;
    if (s->q.bytes == 0 && s->q.op != ATN_BARRIER)
        return ATN_WHY_EMPTY;
    if (c->wisdom != NULL && atn_plan_wisdom_might(c->wisdom, &s->q))
        return ATN_WHY_WISDOM;
    if (!is_untried(s))
        return ATN_WHY_NOTHING;
    return atn_job_current.budget == 0 && !atn_select_is_star() ? ATN_WHY_NO_BUDGET
                                                                : ATN_WHY_ROUNDING;
}

/* Calls that are part of a cycle are, at once.  Calls that are frequent enough are in any case:
 * predictions may be wrong, and rare calls may be long. */
static bool is_worth_planning(atn_comm *c, const atn_call_class *x)
{
    const bool seems = seems_worth_planning(x);
    if (x->subject.q.bytes < 0 && x->mean == 0)
        return false;
    const atn_outlook outlook = atn_select_prediction_of(c, x);
    const bool is = outlook == ATN_OUTLOOK_COMES ||
                    (seems && (outlook == ATN_OUTLOOK_OPEN || atn_select_is_star() ||
                               x->calls >= UNPREDICTED * (int64_t)atn_job_current.first));
    if (is != seems)
        atn_select_prediction_note(outlook);
    return is;
}

/* Long calls are planned before the first one if the machine was measured: a native call may take
 * many times as long as a plan.  The same on all ranks. */
static bool begins_with_plan(const atn_comm *c, const atn_subject *s)
{
    enum { LONG_MS = 8 };
    return atn_select_model_error() == ATN_ERROR_MEASURED && !atn_select_is_star() &&
           !is_untried(s) && may_follow_wisdom(c, s, true) && atn_plan_takes_long(&s->q, LONG_MS);
}

/* Tentative wisdom in favour of native, such as that of a much smaller size, is worth less than the
 * plan of a measured machine. */
static bool rule_for(const atn_comm *c, const atn_call_class *x, atn_rule *rule_p)
{
    const atn_subject *const s = &x->subject;
    const bool first = x->calls == 0;
    return may_follow_wisdom(c, s, first) && find_rule(c, x, rule_p) &&
           !(first && rule_p->guess != ATN_GUESS_NONE && rule_p->use.row->algo->build == NULL &&
             begins_with_plan(c, s));
}

/* The candidate that is predicted to be fastest by its schedules; native when there is none. */
static int best_predicted(const atn_candidate_set *f, int error)
{
    int best = ATN_SET_NATIVE;
    for (int i = 0; i < f->n; i++)
        if (f->is[i].predicted_ps > 0 && f->is[i].error == error &&
            (best == ATN_SET_NATIVE || f->is[i].predicted_ps < f->is[best].predicted_ps))
            best = i;
    return best;
}

/* Only a candidate that is faster than native even if both predictions are wrong: short programs do
 * not compensate for a long call that takes longer. */
static void begin_predicted(int64_t native_ps, atn_candidate_set *f)
{
    enum { WORST = (1000 + ATN_ERROR_MEASURED) * (1000 + ATN_ERROR_MEASURED) / 1000 };
    const int best = best_predicted(f, ATN_ERROR_MEASURED);
    f->at_once = true;
    if (best == ATN_SET_NATIVE || f->is[best].predicted_ps / 1000 * WORST >= native_ps)
        return;
    f->from_wisdom = best;
    f->is[ATN_SET_NATIVE].predicted_ps = native_ps;
    f->is[ATN_SET_NATIVE].error = ATN_ERROR_MEASURED;
}

/* Reductions whose results must not change may begin with the algorithms in canonical order; later
 * they could not.  The same on all ranks. */
static bool may_begin_in_order(const atn_comm *c, const atn_subject *s)
{
    return s->stable && !atn_select_is_star() && !is_untried(s) && may_follow_wisdom(c, s, true) &&
           atn_plan_family_may_begin(&s->q);
}

/* Independent of accounts and of a sketch meanwhile, so that all contexts decide alike. */
static bool begins_in_order(const atn_comm *c, const atn_subject *s, atn_choice *choice_p)
{
    atn_family_forecast f = {.begins = false};
    const atn_machine *const m = atn_job_current.machine;
    atn_problem q = s->q;
    if (c->first_topo != NULL)
        q.topo = c->first_topo;
    if (m == NULL || !may_begin_in_order(c, s) ||
        atn_plan_family_forecast(atn_plan_family_suited(&q), &q, m, &f) != ATN_OK)
        return false;
    *choice_p = f.best;
    return f.begins;
}

/* A class that has begun in canonical order keeps it when its candidates are determined anew. */
static bool follow_order(const atn_call_class *x, atn_choice *choice_p)
{
    const atn_problem *const q = &x->subject.q;
    const atn_machine *const m = atn_job_current.machine;
    atn_family_forecast f = {.best.row = NULL};
    if (m != NULL)
        atn_plan_family_forecast(x->family, q, m, &f);
    *choice_p = f.best.row != NULL ? f.best : atn_plan_family_default(x->family, q);
    return true;
}

/* On a machine that was not measured, with the best one by its closed form and without a plan: all
 * ranks would wait for it in their first call, to order what is equally unknown.  Algorithms of
 * another order become candidates later: with a topology, or in the next run. */
static void begin_unplanned(const atn_choice *choice, int64_t bytes, atn_candidate_set *f)
{
    atn_choice list[ATN_FAMILY_VARIANTS];
    const int n = atn_plan_family_variants(choice, bytes, list);
    for (int i = 0; i < n; i++) {
        const int at = atn_tune_candidate_set_add(f, &list[i], -1, ATN_ERROR_UNKNOWN);
        f->from_wisdom = i == 0 ? at : f->from_wisdom;
    }
}

/* An order that later calls cannot change is worth a prediction by a network that an earlier job
 * has measured, unless its advantage is within the usual error. */
static void begin_in_other_order(const atn_problem *q, atn_candidate_set *f)
{
    enum { CLEAR = 1300 }; /* per mille */
    const int best = best_predicted(f, ATN_ERROR_SKETCHED);
    for (int i = 0; i < f->n; i++)
        if (best != ATN_SET_NATIVE && f->is[i].predicted_ps > 0 &&
            atn_plan_family_of(&f->choice[i], q) != ATN_FAMILY_NONE &&
            f->is[i].predicted_ps / CLEAR <= f->is[best].predicted_ps / 1000)
            return;
    f->at_once = best != ATN_SET_NATIVE;
    f->from_wisdom = f->at_once ? best : -1;
}

/* With the best one by its schedules, or by its closed form if the machine was not measured: only
 * measurements show what segments gain.  Unless the model has selected another start. */
static void begin_in_order(const atn_call_class *x, const atn_choice *choice, bool known,
                           atn_candidate_set *f)
{
    const atn_problem *const q = &x->subject.q;
    const atn_family wanted = x->family != ATN_FAMILY_NONE ? x->family : ATN_FAMILY_RANK;
    for (int i = 0; i < f->n && known && f->from_wisdom < 0; i++)
        if (atn_plan_family_of(&f->choice[i], q) == wanted)
            f->from_wisdom = i;
    if (f->from_wisdom < 0)
        begin_unplanned(choice, q->bytes, f);
}

atn_advice atn_select_advice_expect(void *context, const atn_call_class *x)
{
    const atn_comm *const c = context;
    const bool has_rule = atn_select_advice_owned(c, &x->subject) != NULL ||
                          (c->wisdom != NULL && atn_plan_wisdom_might(c->wisdom, &x->subject.q));
    if (atn_select_is_star() || has_rule || begins_with_plan(c, &x->subject) ||
        may_begin_in_order(c, &x->subject))
        return ATN_ADVICE_RACE;
    return is_untried(&x->subject) ? ATN_ADVICE_FIXED : ATN_ADVICE_LATER;
}

/* Without a topology predictions are worth little.  Wisdom needs none, and reductions that may
 * begin in canonical order must do so before their first call. */
atn_advice atn_select_advice_prepare(void *context, const atn_call_class *x, atn_deferral *off_p)
{
    atn_comm *const c = context;
    atn_rule rule;
    if (!atn_select_sketch_is_wanted(c, x) ||
        (x->calls == 0 && may_begin_in_order(c, &x->subject)) ||
        (may_follow_wisdom(c, &x->subject, x->calls == 0) && find_rule(c, x, &rule)))
        return ATN_ADVICE_RACE;
    off_p->wait_ns = atn_select_sketch_wait();
    return off_p->wait_ns == 0 ? ATN_ADVICE_SKETCH : ATN_ADVICE_LATER;
}

/* Before its first call, from a topology that does not change any more.  In contexts results must
 * not depend on when they begin. */
static bool begins_sketched(const atn_call_class *x)
{
    return atn_job_current.stored_sketch && x->family == ATN_FAMILY_NONE && x->calls == 0 &&
           x->subject.context == 0 && atn_select_model_error() == ATN_ERROR_SKETCHED;
}

/* Whether a plan is worth its cost.  Of no use to this run is one for a class that has begun in
 * canonical order, which those of its family keep, or without a topology. */
static bool is_planned(const atn_call_class *x, bool in_order)
{
    if (!in_order)
        return true;
    if (x->family != ATN_FAMILY_NONE)
        return atn_select_planning_plentiful();
    return atn_select_model_error() != ATN_ERROR_UNKNOWN && atn_select_planning_allowed();
}

/* Candidates from the planner.  `in_order`: the class begins, or has begun, in canonical order. */
static void fill_field(const atn_comm *c, const atn_call_class *x, bool at_once,
                       const atn_choice *in_order, atn_candidate_set *f)
{
    const atn_problem *const q = &x->subject.q;
    const bool known = atn_select_model_error() == ATN_ERROR_MEASURED || begins_sketched(x);
    int64_t native_ps = 0;
    if (in_order != NULL && !known)
        begin_in_order(x, in_order, false, f); /* before the plan fills the set */
    if (is_planned(x, in_order != NULL))
        native_ps = atn_select_candidates_plan(c, x, f);
    if (!x->subject.started)
        atn_select_staleness_expect(x, native_ps);
    if (at_once)
        begin_predicted(native_ps, f);
    if (in_order != NULL && begins_sketched(x))
        begin_in_other_order(q, f);
    if (in_order != NULL)
        begin_in_order(x, in_order, known, f);
}

atn_advice atn_select_advice_give(void *context, const atn_call_class *x,
                                  atn_candidate_set *field_p, atn_deferral *off_p)
{
    atn_comm *const c = context;
    const atn_subject *const s = &x->subject;
    atn_rule found;
    const atn_rule *const rule = rule_for(c, x, &found) ? &found : NULL;
    if (is_untried(s) || (rule != NULL && atn_plan_rule_backing(rule) == ATN_BY_HAND))
        return fixed(s, rule, field_p);
    if (rule != NULL && !s->started && (rule->use.row->algo->needs & ATN_NEEDS_LATENESS) != 0 &&
        atn_select_arrivals_needed(c, x))
        return ATN_ADVICE_ARRIVALS;
    if (rule != NULL && rule->guess != ATN_GUESS_NONE)
        found.time_ps = -1; /* uncertain: to be raced against others */
    if (rule != NULL && (rule->guess == ATN_GUESS_NONE || !atn_select_planning_allowed())) {
        make_field(c, x, rule, field_p);
        atn_select_arrivals_add(c, x, field_p);
        return ATN_ADVICE_RACE;
    }
    atn_choice in_order = {0};
    const bool first = rule == NULL && x->calls == 0, at_once = first && begins_with_plan(c, s);
    const bool ordered =
        (rule == NULL && x->family != ATN_FAMILY_NONE && follow_order(x, &in_order)) ||
        (first && begins_in_order(c, s, &in_order));
    if (rule == NULL && !at_once && !ordered && !is_worth_planning(c, x))
        return ATN_ADVICE_LATER;
    if (rule == NULL && !ordered && !atn_select_planning_allowed()) {
        *off_p = atn_select_planning_cost();
        return ATN_ADVICE_LATER;
    }
    if (rule == NULL && !at_once && !ordered && !s->started && atn_select_arrivals_needed(c, x))
        return ATN_ADVICE_ARRIVALS;
    atn_tune_candidate_set_make(s->q.op, ATN_ERROR_TOPOLOGY, rule, field_p);
    atn_select_arrivals_add(c, x, field_p);
    atn_select_patterns_add(x, field_p);
    fill_field(c, x, at_once, ordered ? &in_order : NULL, field_p);
    return field_p->n > 1 || rule != NULL ? ATN_ADVICE_RACE : fixed(s, NULL, field_p);
}

/* ---- after the driver has distributed advice or times ---- */

void atn_select_advice_received(void *context, const atn_call_class *x, atn_advice advice)
{
    atn_pmpi_next_epoch(); /* the last-call table does not test what serves now */
    if (advice == ATN_ADVICE_SKETCH)
        atn_select_sketch_run(context);
    if (atn_job_current.explain)
        atn_select_explain_advice(context, x, advice);
}

/* Whether algorithms of one order were compared with each other only, although later jobs can begin
 * with a plan for all. */
static bool is_of_family(const atn_call_class *x)
{
    for (int i = 0; i < x->field->n; i++)
        if (i != ATN_SET_NATIVE &&
            atn_plan_family_of(&x->field->choice[i], &x->subject.q) == ATN_FAMILY_NONE)
            return false;
    return x->family != ATN_FAMILY_NONE && atn_job_current.sketched;
}

/* A race that is not over has a result once native is beaten.  Where results must not change, rules
 * of contexts are not followed. */
static bool is_result(const atn_call_class *x, const atn_tuner_result *l)
{
    return (x->subject.context == 0 || !x->subject.stable) && !atn_select_is_star() &&
           (l->settled || l->best != ATN_SET_NATIVE) && !is_of_family(x);
}

static void keep_result(const atn_comm *c, const atn_call_class *x, const atn_subject *s,
                        bool settled)
{
    atn_rule rule;
    const int64_t place = place_of(c, s);
    if (place < 0 || !atn_tune_tuned_rule(x->tuner, x->field, c->p, x->subject.q.bytes,
                                          (int64_t)time(NULL), place, &rule))
        return;
    if (rule.next_ps < rule.time_ps) { /* times of different moments: only races compare */
        rule.next.row = NULL;
        rule.next_ps = -1;
    }
    if (!settled)
        rule.guess = ATN_GUESS_RACE;
    atn_select_results_keep(&rule);
}

void atn_select_advice_times(void *context, atn_call_class *x, int incumbent_before)
{
    const atn_comm *const c = context;
    atn_tuner_result result;
    if (c->r != 0)
        return;
    atn_tune_tuner_result(x->tuner, &result);
    const bool changed = atn_tune_tuner_incumbent(x->tuner) != incumbent_before;
    if (atn_job_current.explain && (changed || x->why != atn_tune_tuner_why(x->tuner)))
        atn_select_explain_times(c, x, incumbent_before, &result);
    x->why = atn_tune_tuner_why(x->tuner);
    if (!x->subject.started) /* the time beside computation is not that of the network */
        atn_select_staleness_note(x, &result);
    if (is_result(x, &result)) {
        atn_subject program = x->subject; /* where the next job begins, without a pattern */
        program.pattern = 0;
        keep_result(c, x, &x->subject, result.settled);
        if (x->subject.pattern != 0 && x->subject.q.bytes < 0)
            keep_result(c, x, &program, result.settled);
        atn_select_results_checkpoint();
    }
}
