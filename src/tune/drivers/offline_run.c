/* offline_run.c - see offline_run.h. */
#include "tune/drivers/offline_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/program.h"
#include "model/bound.h"
#include "plan/candidates.h"
#include "plan/neighbours.h"
#include "plan/planner.h"
#include "plan/twins.h"

enum { MOST_CALLS = 16 };
static const double sample_s = 500e-6;            /* minimum duration of a sample */
static const double screening_s = 2, final_s = 4; /* of one candidate, where calls are slow */
static const int64_t plan_factor = 50;            /* more effort than while a job waits */

typedef struct {
    atn_twin is;
    char *name;
    bool open;
    int screening, final; /* its variants in the output; -1: not written yet */
} candidate;

typedef struct {
    const atn_offline_run *x;
    const atn_offline_problem *q;
    atn_offline *search;
    ATN_VEC(candidate) list; /* by number */
    int variants;
    int calls, round;
    double flushed;
} solver;

static bool failed(atn_status status, const char *text)
{
    return atn_measure_program_failed(0, status, text);
}

static bool no_memory(void) { return failed(ATN_MEMORY, "out of memory"); }

/* ---- candidates ---- */

static atn_problem shared(const solver *t)
{
    atn_problem q = t->x->caller->q;
    q.r = 0;
    if (!atn_plan_shares_bytes(q.op))
        q.bytes = -1;
    return q;
}

static int kind_of(const atn_choice *c)
{
    for (int i = 0; i < atn_algo_catalog_rows(); i++)
        if (atn_algo_catalog_row(i) == c->row)
            return i;
    return -1;
}

static int find(const solver *t, const char *name)
{
    for (int i = 0; i < t->list.n; i++)
        if (strcmp(t->list.v[i].name, name) == 0)
            return i;
    return -1;
}

static const atn_task *past_task(const solver *t)
{
    return atn_report_samples_find(t->x->past, atn_sched_operation_get(t->q->op)->name,
                                   t->q->bytes);
}

static double past_least(const atn_task *task, const char *name)
{
    double least = INFINITY;
    for (int i = 0; task != NULL && i < task->variants.n; i++) {
        const atn_variant *v = &task->variants.v[i];
        for (int k = 0; k < v->seconds.n && (!name || strcmp(v->algorithm, name) == 0); k++)
            least = fmin(least, v->seconds.v[k]);
    }
    return least;
}

/* A candidate that an interrupted job found far off does not run again; a good one runs first. */
static bool add(solver *t, const atn_choice *choice, double predicted_s, bool favoured)
{
    char room[ATN_NAME_ROOM];
    const candidate x = {.is = {.choice = *choice},
                         .name = strdup(atn_measure_choice_word(choice, room)),
                         .screening = -1,
                         .final = -1};
    if (x.name != NULL && find(t, x.name) >= 0) {
        free(x.name);
        return true;
    }
    const double before = past_least(past_task(t), x.name);
    const double best = past_least(past_task(t), NULL);
    const bool good = before <= 1.3 * best && before < INFINITY;
    if (x.name == NULL || !atn_push(&t->list, x)) {
        free(x.name);
        return no_memory();
    }
    const int i = t->list.n == 1 ? ATN_OFFLINE_NATIVE
                                 : atn_tune_offline_add(t->search, kind_of(choice), predicted_s,
                                                        favoured || good);
    if (i < 0)
        return no_memory();
    if (i != ATN_OFFLINE_NATIVE && before > 2 * best && before < INFINITY)
        atn_tune_offline_exclude(t->search, i);
    return true;
}

/* Unless a candidate with the same schedule is present. */
static bool add_new(solver *t, const atn_choice *choice, double predicted_s, bool favoured)
{
    const atn_problem q = shared(t);
    int64_t steps = INT64_MAX;
    atn_twin x = {.choice = *choice};
    for (int i = 1; i < t->list.n; i++)
        if (atn_plan_are_twins(&t->list.v[i].is, &x, &q, &steps))
            return true;
    return add(t, choice, predicted_s, favoured);
}

/* All candidates: with predictions where ranks share the size. */
static bool add_all(solver *t)
{
    const atn_problem q = shared(t);
    atn_ranking ranking = {.n = 0};
    atn_choice *all = NULL;
    atn_error err = {0};
    bool ok = true;
    if (q.bytes >= 0 &&
        atn_plan_planner_rank(&q, t->x->machine, NULL, plan_factor * atn_plan_budget(q.p), &ranking,
                              &err) != ATN_OK)
        return failed(err.status, err.text);
    for (int i = 0; i < ranking.n && ok; i++)
        ok = add_new(t, &ranking.v[i].choice, ranking.v[i].seconds, false);
    const int n = ranking.n == 0 ? atn_plan_candidates(&q, &all) : 0;
    for (int i = 0; i < n && ok; i++)
        ok = add_new(t, &all[i], 0, false);
    free(all);
    atn_plan_ranking_free(&ranking);
    return ok && (n >= 0 || no_memory());
}

/* An algorithm that cannot serve the problem is reported and left out. */
static bool add_named(solver *t, const char *name)
{
    atn_problem q = shared(t);
    atn_choice c = {0};
    atn_error err = {0};
    char text[ATN_NAME_ROOM];
    snprintf(text, sizeof text, "%s", name);
    if (strcmp(name, "native") == 0)
        return true;
    if (atn_plan_choice_read(q.op, text, &c, &err) != ATN_OK)
        return failed(err.status, err.text);
    q.segments = atn_algo_segments(c.row, &q, &c.params);
    const char *why = atn_algo_refuses(c.row, &q, &c.params);
    if (why == NULL)
        return add(t, &c, 0, true);
    printf("refused %s: %s\n", name, why);
    return true;
}

static bool add_words(solver *t, char *words)
{
    const atn_choice native = {.row = NULL};
    bool ok = add(t, &native, 0, true);
    for (char *word; ok && (word = atn_next_item(&words, ";")) != NULL;) {
        word += *word == '?';
        ok = strcmp(word, "all") == 0 ? add_all(t) : add_named(t, word);
    }
    return ok;
}

static bool add_neighbours(solver *t, int of)
{
    static atn_choice list[ATN_NEIGHBOURS];
    const atn_problem q = shared(t);
    const atn_choice from = t->list.v[of].is.choice;
    const int n = atn_plan_neighbours(&q, &from, list);
    bool ok = true;
    for (int i = 0; i < n && ok; i++)
        ok = add_new(t, &list[i], 0, true);
    return ok;
}

/* ---- output ---- */

/* A variant is written with its first sample, so that an interrupted job leaves none without. */
static int variant(solver *t, int i, bool final)
{
    candidate *x = &t->list.v[i];
    int *number = final ? &x->final : &x->screening;
    if (*number < 0) {
        const bool native = i == ATN_OFFLINE_NATIVE;
        *number = t->variants++;
        printf("variant %d %s %s\n", *number,
               atn_report_role_names[native ? (final ? ATN_ROLE_CONTROL : ATN_ROLE_NATIVE)
                                            : (final ? ATN_ROLE_NAMED : ATN_ROLE_CANDIDATE)],
               x->name);
    }
    return *number;
}

static void flush(solver *t)
{
    if (MPI_Wtime() - t->flushed < 0.2)
        return;
    fflush(stdout);
    t->flushed = MPI_Wtime();
}

static void write_fates(solver *t)
{
    for (int i = t->x->design; i < t->list.n; i++)
        printf("fate %d %s %.9f\n", variant(t, i, false),
               atn_tune_fate_words[atn_tune_offline_fate(t->search, i)],
               atn_tune_offline_predicted(t->search, i));
    printf("done\n");
    fflush(stdout);
}

/* ---- a search ---- */

/* Opens candidates that have not run yet; false: a result is wrong. */
static bool open_new(solver *t, const int *list, int n)
{
    char text[2 * ATN_NAME_ROOM];
    for (int k = 0; k < n; k++) {
        candidate *x = &t->list.v[list[k]];
        bool right = true;
        if (x->open)
            continue;
        const double seconds = atn_measure_session_open(t->x->session, list[k], x->name, &right);
        if (!right) {
            snprintf(text, sizeof text,
                     "%s/%s of %lld bytes gives another result than the MPI "
                     "library",
                     atn_sched_operation_get(t->x->caller->q.op)->name, x->name,
                     (long long)t->x->caller->q.bytes);
            return failed(ATN_FINDING, text);
        }
        x->open = true;
        atn_tune_offline_warm_up(t->search, list[k], seconds);
    }
    return true;
}

/* Without those that were dropped meanwhile. */
static int remaining(const solver *t, const int *list, int n, int *out)
{
    int left = 0;
    for (int k = 0; k < n; k++)
        if (atn_tune_offline_fate(t->search, list[k]) != ATN_FATE_SLOW)
            out[left++] = list[k];
    return left;
}

static void close_dropped(solver *t)
{
    for (int i = 1; i < t->list.n; i++) {
        candidate *const c = &t->list.v[i];
        const atn_fate fate = atn_tune_offline_fate(t->search, i);
        if (!c->open ||
            (fate != ATN_FATE_SLOW && fate != ATN_FATE_SURPLUS && fate != ATN_FATE_BEATEN))
            continue;
        c->open = false;
        atn_measure_session_close(t->x->session, i);
    }
}

static bool run_round(solver *t, const int *list, int n)
{
    const bool final = atn_tune_offline_stage_of(t->search) == ATN_OFFLINE_FINAL;
    int *in = malloc((size_t)n * sizeof *in);
    double *seconds = malloc((size_t)n * sizeof *seconds);
    bool ok = (in != NULL && seconds != NULL) || no_memory();
    ok = ok && open_new(t, list, n);
    const int left = ok ? remaining(t, list, n, in) : 0;
    if (left > 0)
        atn_measure_session_run(t->x->session, in, left, t->calls, t->round++, seconds);
    for (int k = 0; k < left; k++) {
        printf("s %d %.9f\n", variant(t, in[k], final), seconds[k]);
        atn_tune_offline_record(t->search, in[k], seconds[k]);
    }
    flush(t);
    free(in);
    free(seconds);
    return ok;
}

/* Native runs first: it defines the correct result and the duration of a call. */
static void measure_native(solver *t)
{
    const int native = ATN_OFFLINE_NATIVE;
    bool right;
    double seconds;
    atn_measure_session_open(t->x->session, native, "native", &right);
    atn_measure_session_run(t->x->session, &native, 1, 1, 0, &seconds);
    t->list.v[native].open = true;
    t->calls = (int)fmax(1, fmin(MOST_CALLS, sample_s / seconds));
    atn_measure_session_reference(t->x->session, seconds);
    atn_tune_offline_limit_rounds(t->search, (int)fmin(1000, screening_s / seconds),
                                  (int)fmin(1000, final_s / seconds));
}

static bool search(solver *t, double began)
{
    const int *list;
    bool ok = true;
    measure_native(t);
    while (ok) {
        const int n = atn_tune_offline_round(t->search, MPI_Wtime() - began, &list);
        close_dropped(t);
        if (n > 0)
            ok = run_round(t, list, n);
        else if (atn_tune_offline_stage_of(t->search) == ATN_OFFLINE_REFINING)
            ok = add_neighbours(t, atn_tune_offline_leader(t->search));
        else
            break;
    }
    return ok;
}

/* ---- a problem ---- */

static const char *winner(const solver *t)
{
    for (int i = 0; i < t->list.n; i++)
        if (atn_tune_offline_fate(t->search, i) == ATN_FATE_WON)
            return t->list.v[i].name;
    return "";
}

static bool solve(solver *t, char *variants, double seconds)
{
    atn_offline_settings s = atn_tune_offline_defaults;
    const double began = MPI_Wtime();
    s.seconds = seconds;
    s.exhaustive = t->x->exhaustive;
    s.as_it_is = t->q->as_it_is;
    s.calibration = t->x->calibration;
    t->search = atn_tune_offline_new(&s);
    bool ok = (t->search != NULL || no_memory()) && add_words(t, variants);
    if (ok && t->x->design)
        atn_tune_offline_design(t->search);
    else if (ok)
        ok = search(t, began);
    if (ok)
        write_fates(t);
    return ok;
}

bool atn_tune_offline_solve(atn_offline_run *x, const atn_offline_problem *q, char *variants,
                            double seconds, char use[ATN_NAME_ROOM])
{
    solver t = {.x = x, .q = q};
    if (!atn_measure_session_prepare(x->session, q->op, q->bytes, q->call))
        return failed(ATN_ENVIRONMENT, "no memory for the buffers; use smaller sizes");
    printf("task %s %lld %.9f\n", atn_sched_operation_get(q->op)->name, (long long)q->bytes,
           q->call < 0 ? atn_model_bound(&x->caller->q) : 0);
    fflush(stdout);
    const bool ok = solve(&t, variants, seconds);
    if (ok) {
        snprintf(use, ATN_NAME_ROOM, "%s", winner(&t));
        x->calibration = atn_tune_offline_calibration(t.search);
    }
    for (int i = 0; i < t.list.n; i++)
        free(t.list.v[i].name);
    atn_vec_free(&t.list);
    atn_tune_offline_free(t.search);
    return ok;
}
