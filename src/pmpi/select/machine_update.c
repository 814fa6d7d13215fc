/* machine_update.c - see machine_update.h. */
#include "pmpi/select/machine_update.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "model/refine.h"
#include "plan/trial.h"
#include "topo/topo.h"

enum { BUDGET = 400000, MAX_UPDATES = 200 };
static const double forget = 0.99; /* about the latest hundred calls count */
static const double doubt = 0.7;   /* initial uncertainty: a factor of two */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atn_refiner refiner;
static int updates;
static double errors; /* sum of |log(measured / predicted)| before each update */

typedef struct {
    const atn_model_trial *trial;
    const atn_model *model;
    atn_machine *turned;
} predicted_trial;

static double predict(void *context, const double *knobs)
{
    const predicted_trial *const x = context;
    double seconds = 0;
    *x->turned = *atn_job_current.machine;
    atn_model_machine_turn(x->turned, knobs);
    return atn_plan_trial_time(x->trial, x->turned, x->model, NULL, &seconds, NULL) == ATN_OK
               ? seconds
               : 0;
}

/* Without a topology the channel of a message is unknown, unless the machine has only one. */
static bool is_usable(const atn_timed_call *call)
{
    const atn_machine *const m = atn_job_current.machine;
    return m != NULL && (call->q.topo != NULL || m->nchannels == 1) && updates < MAX_UPDATES;
}

void atn_select_machine_update(const atn_timed_call *call)
{
    const atn_machine *const m = atn_job_current.machine;
    atn_machine *const turned = is_usable(call) ? atn_model_machine_new() : NULL;
    int64_t budget = BUDGET;
    atn_trial_probe probe;
    atn_model_trial t;
    if (turned != NULL && atn_plan_trial_make(&call->choice, &call->q, ATN_FEW_SEGMENTS, &budget,
                                              &t, &probe, NULL) == ATN_OK) {
        predicted_trial x = {&t, atn_plan_planner_model(m, call->q.topo, call->q.p), turned};
        pthread_mutex_lock(&lock);
        if (updates++ == 0)
            atn_model_refiner_begin(&refiner, atn_model_machine_knobs(m), forget, doubt);
        errors += fabs(atn_model_refiner_learn(&refiner, predict, &x, call->seconds));
        pthread_mutex_unlock(&lock);
        atn_plan_trial_free(&t);
    }
    atn_model_machine_free(turned);
}

/* ---- copies ---- */

static atn_shared_machine *latest; /* with the lock; counts as a user */

static void release(atn_shared_machine *x)
{
    if (x == NULL || --x->users > 0)
        return;
    atn_model_machine_free(x->machine);
    free(x);
}

static atn_shared_machine *copy(void)
{
    atn_shared_machine *const x = calloc(1, sizeof *x);
    atn_machine *const m = x != NULL ? atn_model_machine_new() : NULL;
    if (m == NULL) {
        free(x);
        return NULL;
    }
    *m = *atn_job_current.machine;
    if (updates > 0)
        atn_model_machine_turn(m, refiner.knob);
    *x = (atn_shared_machine){.machine = m, .users = 1, .updates = updates};
    return x;
}

atn_shared_machine *atn_select_machine_take(void)
{
    pthread_mutex_lock(&lock);
    if (atn_job_current.machine != NULL && (latest == NULL || latest->updates != updates)) {
        release(latest);
        latest = copy();
    }
    atn_shared_machine *const x = latest;
    if (x != NULL)
        x->users++;
    pthread_mutex_unlock(&lock);
    return x;
}

void atn_select_machine_give(atn_shared_machine *x)
{
    pthread_mutex_lock(&lock);
    release(x);
    pthread_mutex_unlock(&lock);
}

/* ---- for later jobs ---- */

static const char *file_of(const atn_job *job)
{
    return job->r == 0 ? atn_plan_setting_given(&job->settings, ATN_SET_MACHINE_LEARN) : NULL;
}

bool atn_select_machine_is_written(void) { return file_of(&atn_job_current) != NULL; }

static atn_status write_machine(const atn_job *job, atn_machine *m, const char *file,
                                atn_error *err)
{
    char note[160], date[32];
    const time_t now = time(NULL);
    struct tm when;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &when));
    snprintf(note, sizeof note, "%s, inside a job of %d ranks, %d calls, mean error %.3f", date,
             job->p, updates, exp(errors / updates));
    if (m->topology == 0 && job->topo != NULL) {
        m->topology = atn_topo_wires(job->topo);
        m->ranks = job->p;
    }
    if (!atn_model_machine_note(m, "refined", note))
        return atn_fail(err, ATN_MEMORY, "no room for another note");
    return atn_model_machine_write(m, file, err);
}

void atn_select_machine_stop(const atn_job *job)
{
    const char *const file = file_of(job);
    atn_shared_machine *const x = file != NULL && updates > 0 ? atn_select_machine_take() : NULL;
    atn_error err = {0};
    if (x != NULL && write_machine(job, x->machine, file, &err) != ATN_OK)
        atn_interpose_print_line("%s; the corrected machine is lost", err.text);
    if (file != NULL && updates == 0)
        atn_interpose_print_line("ATTUNE_MACHINE_LEARN: no call was timed; nothing is written");
    else if (updates > 0 && job->verbose > 0)
        atn_interpose_print_line("rank %d: machine corrected by %d calls, mean error %.3f", job->r,
                                 updates, exp(errors / updates));
    atn_select_machine_give(x);
    release(latest);
    latest = NULL;
    updates = 0;
    errors = 0;
}
