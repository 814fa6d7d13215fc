/* learned.c - see learned.h. */
#include "pmpi/learned.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "plan/form.h"
#include "plan/twins.h"
#include "plan/wisdom.h"
#include "pmpi/arrivals.h"
#include "pmpi/foresight.h"
#include "topo/topo.h"

/* How wrong predictions may be, per mille: with measured parameters, and with known wires alone.
 * Without either they say only whom to try first. */
enum { MEASURED_ERROR = 400, WIRES_ERROR = 1500, NO_PREDICTION = -1 };
/* How many candidates are looked at, with predictions and without. */
enum { RACE_CANDIDATES = 24, BLIND_CANDIDATES = 8 };
/* All ranks wait for a plan, and races correct it: a part of the usual effort must do, a smaller
 * one for short calls. */
enum { ROUGH = 2, ROUGHER = 6 };
/* How many times as often as usual a kind must come that is not foreseen to come again. */
enum { UNFORESEEN = 2 };

/* -1: no memory. */
static int64_t place_of(const atn_comm *c)
{
    char place[ATN_HERE_ROOM];
    return atn_here_name(atn_the_job.here, c->topo, place) ? atn_intern(place) : -1;
}

static int model_error(void)
{
    const atn_settings *const s = &atn_the_job.settings;
    const char *const wires = atn_setting_given(s, ATN_SET_TOPOLOGY);
    if (atn_the_job.measured)
        return MEASURED_ERROR;
    return wires != NULL && strcmp(wires, ATN_TOPO_HOSTS) != 0 ? WIRES_ERROR : NO_PREDICTION;
}

static bool is_star(void) { return atn_the_job.procedure != ATN_TUNE_RACE; }

/* ---- planning takes time, of which a quarter of the budget may be used ---- */

static const int64_t planning_credit_ns = 10000000;
static const int64_t worth_ns = 10000000; /* since the first call of a kind */

static struct {
    pthread_mutex_t lock;
    int64_t start_ns, spent_ns, last_ns;
} planning = {.lock = PTHREAD_MUTEX_INITIALIZER, .last_ns = 3000000};

/* What another plan costs, and what is left for it. */
static atn_put_off plan_cost(void)
{
    pthread_mutex_lock(&planning.lock);
    const int64_t now = atn_clock_kernel_ns();
    if (planning.start_ns == 0)
        planning.start_ns = now;
    const int64_t earned = (now - planning.start_ns) / 400 * atn_the_job.budget;
    const int64_t left = planning_credit_ns + earned - planning.spent_ns;
    const atn_put_off off = {
        .costs = planning.last_ns > left, .cost_ns = planning.last_ns, .left_ns = left};
    pthread_mutex_unlock(&planning.lock);
    return off;
}

static bool may_plan(void) { return is_star() || !plan_cost().costs; }

static void note_plan(int64_t ns)
{
    pthread_mutex_lock(&planning.lock);
    planning.spent_ns += ns;
    planning.last_ns = ns;
    pthread_mutex_unlock(&planning.lock);
}

/* ---- candidates ---- */

/* A size may lie anywhere in its class: what serves its ends serves it all. */
static bool serves_class(const atn_choice *choice, const atn_problem *q)
{
    atn_problem end = *q;
    const int size_class = atn_size_class(q->bytes);
    if (choice->row->algo->build == NULL || atn_choice_refuses(choice, q) != NULL)
        return false;
    if (size_class <= 1 || size_class > 62)
        return true;
    end.bytes = INT64_C(1) << (size_class - 1);
    if (atn_choice_refuses(choice, &end) != NULL)
        return false;
    end.bytes = 2 * end.bytes - 1;
    return atn_choice_refuses(choice, &end) == NULL;
}

static bool row_before(const atn_ranking *r, int i)
{
    for (int k = 0; k < i; k++)
        if (r->v[k].choice.row == r->v[i].choice.row)
            return true;
    return false;
}

/* Whose messages take exactly as long on the same wires as those of a better one: the same messages
 * under another name, between which a duel would never end.  Of variants that were not evaluated,
 * one is enough where forms promise the same. */
static bool is_twin(const atn_ranking *r, int i)
{
    const atn_prospect *const x = &r->v[i];
    for (int k = 0; k < i && !(x->evaluated && x->beyond) && !is_star(); k++) {
        const atn_prospect *const y = &r->v[k];
        if (y->evaluated == x->evaluated && y->seconds == x->seconds &&
            (x->evaluated || (y->choice.row == x->choice.row && y->form == x->form)))
            return true;
    }
    return false;
}

static int most_candidates(int error)
{
    return is_star() ? ATN_TUNE_CANDIDATES : error >= 0 ? RACE_CANDIDATES : BLIND_CANDIDATES;
}

static int64_t prediction(const atn_prospect *x, int error)
{
    return error >= 0 && x->seconds > 0 && x->seconds < 1e6 ? (int64_t)(x->seconds * 1e12) : -1;
}

/* Closed forms know nothing of messages that meet. */
static int error_of(const atn_prospect *x, int error)
{
    return error == MEASURED_ERROR && !x->evaluated ? WIRES_ERROR : error;
}

/* The best variant of every algorithm, then other variants. */
static void add_ranking(const atn_ranking *r, const atn_problem *q, atn_candidate_set *f)
{
    const int error = model_error(), most = most_candidates(error);
    for (int again = 0; again <= 1; again++)
        for (int i = 0; i < r->n && f->n < most; i++)
            if (row_before(r, i) == (again == 1) && !is_twin(r, i) &&
                serves_class(&r->v[i].choice, q))
                atn_candidate_set_add(f, &r->v[i].choice, prediction(&r->v[i], error),
                                      error_of(&r->v[i], error));
}

/* What the MPI library's own can be hoped to take; 0: nothing is known. */
static int64_t plain_ps(const atn_ranking *r)
{
    int64_t best = 0;
    for (int i = 0; i < r->n; i++) {
        const int64_t ps = r->v[i].plain ? prediction(&r->v[i], 0) : 0;
        best = ps > 0 && (best == 0 || ps < best) ? ps : best;
    }
    return best;
}

static int64_t effort_for(const atn_comm *c, const atn_problem *q)
{
    return atn_plan_budget(c->p) / (q->bytes < ATN_SHORT_BYTES ? ROUGHER : ROUGH);
}

/* Planned for the average where ranks do not share sizes; what serves must serve any.  Returns what
 * native should take. */
static int64_t add_plans(const atn_comm *c, const atn_kind *x, atn_candidate_set *f)
{
    atn_ranking r = {.n = 0};
    atn_problem q = x->subject.q, any = q;
    q.topo = any.topo = c->topo;
    if (q.bytes < 0)
        q.bytes = x->mean;
    const int64_t start = atn_clock_kernel_ns();
    const int64_t effort = effort_for(c, &q);
    const atn_machine *const m = atn_the_job.machine;
    const bool done = m != NULL && atn_planner_rank(&q, m, NULL, effort, &r, NULL) == ATN_OK;
    note_plan(atn_clock_kernel_ns() - start);
    if (!done)
        return 0;
    add_ranking(&r, &any, f);
    const int64_t native_ps = plain_ps(&r);
    atn_ranking_free(&r);
    return native_ps;
}

/* ---- wisdom ---- */

/* How wrong a form is cancels out, so it need not know wires; native has none. */
static double form_of(void *context, const atn_choice *choice, const atn_problem *q)
{
    atn_form_facts facts = {0};
    atn_problem bare = *q;
    double seconds = -1;
    bare.topo = NULL;
    bare.segments = atn_segments(choice->row, q, &choice->params);
    if (choice->row->algo->build == NULL ||
        atn_form_times(choice, &bare, &facts, context, 1, &seconds, NULL) != ATN_OK)
        return -1;
    return seconds;
}

/* A rule for the problem, or a guess, which a machine that was measured corrects. */
static bool ask_wisdom(const atn_comm *c, const atn_problem *q, atn_rule *rule_p)
{
    const bool model = atn_the_job.measured && q->bytes >= 0;
    atn_alpha_beta net = {0};
    if (model)
        net = atn_planner_network(q, atn_the_job.machine);
    return atn_wisdom_answer(c->wisdom, q, model ? form_of : NULL, &net, rule_p, NULL) == ATN_OK;
}

/* What was learned on other communicators of the same shape, unless what files say outweighs it.
 * Where results must not change, only the latter, which is the same in all contexts and for the
 * whole run, and only what was measured: nothing could correct a guess. */
static bool find_wise(const atn_comm *c, const atn_problem *q, bool stable, atn_rule *rule_p)
{
    atn_rule written;
    if (is_star())
        return false;
    const bool learned = !stable && atn_lessons_find(q, place_of(c), rule_p) &&
                         atn_choice_refuses(&rule_p->use, q) == NULL;
    const bool known = c->wisdom != NULL && ask_wisdom(c, q, &written) &&
                       (!stable || written.guess != ATN_GUESS_BETWEEN);
    if (known && (!learned || atn_rule_outweighs(&written, rule_p)))
        *rule_p = written;
    return learned || known;
}

/* A result that must not change cannot begin to follow wisdom after native calls. */
static bool may_be_wise(const atn_comm *c, const atn_subject *s, bool first)
{
    return !s->stable || (first && (c->before & 1u << s->q.op) == 0);
}

static atn_advice fixed(const atn_subject *s, const atn_rule *wise, atn_candidate_set *f)
{
    atn_candidate_set_make(s->q.op, NULL, 0, NULL, f);
    if (wise != NULL)
        f->choice[0] = wise->use;
    return ATN_ADVICE_FIXED;
}

static void wise_field(const atn_subject *s, const atn_rule *wise, atn_candidate_set *f)
{
    atn_candidate_set_make(s->q.op, NULL, WIRES_ERROR, wise, f);
    int64_t steps = atn_plan_budget(s->q.p);
    atn_twin use = {.choice = wise->use}, next = {.choice = wise->next};
    if (wise->next.row != NULL && serves_class(&wise->next, &s->q) &&
        !atn_are_twins(&use, &next, &s->q, &steps)) /* such a duel would never end */
        atn_candidate_set_add(f, &wise->next, wise->next_ps, MEASURED_ERROR);
}

/* ---- advice ---- */

/* Nothing may be tried out, or nothing is to be gained: wisdom serves as it is. */
static bool is_mute(const atn_subject *s)
{
    if (s->q.bytes == 0 && s->q.op != ATN_BARRIER)
        return true;
    return (!is_star() && atn_the_job.budget == 0) || (s->stable && (!s->probes || is_star()));
}

/* Kinds of few short calls are not worth a plan, as far as is known without foresight. */
static bool seems_worth_planning(const atn_kind *x)
{
    return is_star() || x->calls >= atn_the_job.first ||
           atn_ticks_ns(atn_ticks() - x->since) > worth_ns;
}

/* Calls that a kind of short ones needs so as not to be rare on its communicator: others are worth
 * more, unless the job is run to teach others. */
static int64_t not_rare(const atn_comm *c, const atn_kind *x)
{
    enum { PART = 16, WHOLE = 100 };
    const bool any = is_star() || atn_the_job.budget > WHOLE || x->subject.q.bytes < 0 ||
                     x->subject.q.bytes >= ATN_SHORT_BYTES;
    return any ? 0 : (int64_t)((c->calls + PART - 1) / PART);
}

static bool is_rare(const atn_comm *c, const atn_kind *x) { return x->calls < not_rare(c, x); }

int64_t atn_learned_needs(const atn_comm *c, const atn_kind *x, int64_t needed)
{
    const int64_t least = not_rare(c, x);
    return least > needed ? least : needed;
}

atn_why atn_learned_fixed(const atn_comm *c, const atn_kind *x)
{
    const atn_subject *const s = &x->subject;
    if (s->q.bytes == 0 && s->q.op != ATN_BARRIER)
        return ATN_WHY_EMPTY;
    if (c->wisdom != NULL && atn_wisdom_might(c->wisdom, &s->q))
        return ATN_WHY_WISDOM;
    if (!is_mute(s))
        return ATN_WHY_NOTHING;
    return atn_the_job.budget == 0 && !is_star() ? ATN_WHY_NO_BUDGET : ATN_WHY_ROUNDING;
}

/* Those that are part of a cycle are, at once.  What comes often enough is, whatever was foreseen:
 * foresight may be wrong, and rare calls may be long. */
static bool is_worth_planning(atn_comm *c, const atn_kind *x)
{
    const bool seems = seems_worth_planning(x);
    if ((x->subject.q.bytes < 0 && x->mean == 0) || is_rare(c, x))
        return false;
    const atn_outlook outlook = atn_foresight_of(c, x);
    const bool is = outlook == ATN_OUTLOOK_COMES ||
                    (seems && (outlook == ATN_OUTLOOK_OPEN || is_star() ||
                               x->calls >= UNFORESEEN * (int64_t)atn_the_job.first));
    if (is != seems)
        atn_foresight_note(outlook);
    return is;
}

/* Long calls are planned before the first one when the machine was measured: a native call may take
 * many times as long as a plan.  On all ranks alike. */
static bool begins_with_plan(const atn_comm *c, const atn_subject *s)
{
    enum { LONG_MS = 8 };
    atn_problem q = s->q;
    q.topo = c->topo;
    return model_error() == MEASURED_ERROR && !is_star() && !is_mute(s) &&
           may_be_wise(c, s, true) && atn_takes_long(&q, LONG_MS);
}

/* The candidate that is predicted to be fastest by its schedules; native when there is none. */
static int foreseen(const atn_candidate_set *f)
{
    int best = ATN_SET_NATIVE;
    for (int i = 0; i < f->n; i++)
        if (f->is[i].predicted_ps > 0 && f->is[i].error == MEASURED_ERROR &&
            (best == ATN_SET_NATIVE || f->is[i].predicted_ps < f->is[best].predicted_ps))
            best = i;
    return best;
}

/* Only what must be faster than native even if both predictions are wrong: a long call that takes
 * longer is a loss that short programs do not make up for. */
static void begin_foreseen(int64_t native_ps, atn_candidate_set *f)
{
    enum { WORST = (1000 + MEASURED_ERROR) * (1000 + MEASURED_ERROR) / 1000 };
    const int best = foreseen(f);
    f->at_once = true;
    if (best == ATN_SET_NATIVE || f->is[best].predicted_ps / 1000 * WORST >= native_ps)
        return;
    f->wise = best;
    f->is[ATN_SET_NATIVE].predicted_ps = native_ps;
    f->is[ATN_SET_NATIVE].error = MEASURED_ERROR;
}

atn_advice atn_learned_expect(void *context, const atn_kind *x)
{
    const atn_comm *const c = context;
    const bool wise = c->wisdom != NULL && atn_wisdom_might(c->wisdom, &x->subject.q);
    if (is_star() || wise || begins_with_plan(c, &x->subject))
        return ATN_ADVICE_FIELD;
    return is_mute(&x->subject) ? ATN_ADVICE_FIXED : ATN_ADVICE_LATER;
}

atn_advice atn_learned_advise(void *context, const atn_kind *x, atn_candidate_set *field_p,
                              atn_put_off *off_p)
{
    atn_comm *const c = context;
    const atn_subject *const s = &x->subject;
    atn_rule rule;
    atn_problem q = s->q;
    q.topo = c->topo;
    const atn_rule *const wise =
        may_be_wise(c, s, x->calls == 0) && find_wise(c, &q, s->stable, &rule) ? &rule : NULL;
    if (is_mute(s) || (wise != NULL && atn_rule_backing(wise) == ATN_BY_HAND))
        return fixed(s, wise, field_p);
    if (wise != NULL && (wise->use.row->algo->needs & ATN_NEEDS_LATENESS) != 0 &&
        atn_arrivals_open(c, x))
        return ATN_ADVICE_MEET;
    if (wise != NULL && wise->guess != ATN_GUESS_NONE)
        rule.time_ps = -1; /* not sure: to be raced against others */
    if (wise != NULL && (wise->guess == ATN_GUESS_NONE || !may_plan())) {
        wise_field(s, wise, field_p);
        atn_arrivals_add(c, x, field_p);
        return ATN_ADVICE_FIELD;
    }
    const bool at_once = wise == NULL && x->calls == 0 && begins_with_plan(c, s);
    if (wise == NULL && !at_once && !is_worth_planning(c, x))
        return ATN_ADVICE_LATER;
    if (wise == NULL && !may_plan()) {
        *off_p = plan_cost();
        return ATN_ADVICE_LATER;
    }
    if (wise == NULL && !at_once && atn_arrivals_open(c, x))
        return ATN_ADVICE_MEET;
    atn_candidate_set_make(q.op, NULL, WIRES_ERROR, wise, field_p);
    atn_arrivals_add(c, x, field_p);
    const int64_t native_ps = add_plans(c, x, field_p);
    if (at_once)
        begin_foreseen(native_ps, field_p);
    return field_p->n > 1 || wise != NULL ? ATN_ADVICE_FIELD : fixed(s, NULL, field_p);
}

/* ---- telling ---- */

static void name_class(const atn_comm *c, const atn_kind *x, char out[128])
{
    char lo[32], hi[32], sizes[80] = "";
    const int k = x->size_class;
    if (k > 0 && k < 62)
        snprintf(sizes, sizeof sizes, ", %s:%s bytes", atn_format_size(INT64_C(1) << (k - 1), lo),
                 atn_format_size(INT64_C(1) << k, hi));
    snprintf(out, 128, "%s on %d ranks%s%s%s", atn_operation_get(x->subject.q.op)->name, c->p,
             sizes, x->subject.inexact ? ", inexact" : "",
             x->subject.context != 0 ? ", in a context" : "");
}

static void name_candidate(const atn_kind *x, int i, char out[ATN_NAME_ROOM])
{
    const atn_choice *const choice = &x->field.choice[i];
    char name[ATN_NAME_ROOM];
    atn_params_print(choice->row, &choice->params, name, sizeof name);
    snprintf(out, ATN_NAME_ROOM, "%s", strchr(name, '/') + 1);
}

void atn_learned_heard(void *context, const atn_kind *x, atn_advice advice)
{
    const atn_comm *const c = context;
    char class[128], name[ATN_NAME_ROOM];
    atn_next_epoch(); /* short calls do not look at what serves now */
    if (!atn_the_job.explain || c->r != 0 ||
        (advice != ATN_ADVICE_FIXED && advice != ATN_ADVICE_FIELD))
        return;
    name_class(c, x, class);
    name_candidate(x, x->tuner != NULL ? atn_tuner_incumbent(x->tuner) : 0, name);
    if (advice == ATN_ADVICE_FIXED)
        atn_say("%s: %s for good", class, name);
    else
        atn_say("%s: begins with %s (%s), %d candidates%s", class, name,
                x->field.wise < 0      ? "nothing better is known"
                : x->field.at_once     ? "foreseen"
                : x->field.wise_ps > 0 ? "wisdom"
                                       : "wisdom that is not sure",
                x->field.n, x->subject.stable ? ", tried out beside the calls" : "");
}

static void explain(const atn_comm *c, const atn_kind *x, int before, const atn_learned *l)
{
    char class[128], name[ATN_NAME_ROOM], old[ATN_NAME_ROOM];
    const int now = atn_tuner_incumbent(x->tuner);
    name_class(c, x, class);
    name_candidate(x, before, old);
    name_candidate(x, l->best, name);
    if (now != before)
        atn_say("%s: %s instead of %s, which it has beaten in a duel: %.3f us a call", class, name,
                old, 1e-6 * (double)l->best_ps);
    else
        atn_say("%s: %s, the best known takes %.3f us a call (%s, %lld blocks)", class,
                atn_tuner_why(x->tuner), 1e-6 * (double)l->best_ps, name, (long long)l->samples);
}

/* ---- times were agreed ---- */

/* A race that is not over has taught something once native was beaten; what is good for sizes that
 * ranks do not share holds for this program only. */
static bool is_lesson(const atn_kind *x, const atn_learned *l)
{
    return x->subject.context == 0 && x->subject.q.bytes >= 0 && !is_star() &&
           (l->settled || l->best != ATN_SET_NATIVE);
}

static void keep_lesson(const atn_comm *c, const atn_kind *x, bool settled)
{
    atn_rule rule;
    const int64_t place = place_of(c);
    if (place < 0 || !atn_tuned_rule(x->tuner, &x->field, c->p, x->subject.q.bytes,
                                     (int64_t)time(NULL), place, &rule))
        return;
    if (rule.next_ps < rule.time_ps) { /* times of other moments: only duels compare */
        rule.next.row = NULL;
        rule.next_ps = -1;
    }
    if (!settled)
        rule.guess = ATN_GUESS_RACE;
    atn_lessons_keep(&rule);
}

void atn_learned_times(void *context, atn_kind *x, int incumbent_before)
{
    const atn_comm *const c = context;
    atn_learned learned;
    if (c->r != 0)
        return;
    atn_tuner_learned(x->tuner, &learned);
    const bool changed = atn_tuner_incumbent(x->tuner) != incumbent_before;
    if (atn_the_job.explain && (changed || x->why != atn_tuner_why(x->tuner)))
        explain(c, x, incumbent_before, &learned);
    x->why = atn_tuner_why(x->tuner);
    if (is_lesson(x, &learned)) {
        keep_lesson(c, x, learned.settled);
        atn_lessons_checkpoint();
    }
}
