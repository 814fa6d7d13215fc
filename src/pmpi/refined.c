/* refined.c - the machine follows what calls take, so that later plans of the job, and with
 * ATTUNE_MACHINE_LEARN later jobs, predict better.
 *
 * Each process learns from the communicators that it plans for.  Nobody else sees its knobs: they
 * act through plans, which are agreed on. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "model/refine.h"
#include "plan/trial.h"
#include "pmpi/planned.h"

enum { BUDGET = 400000, MAX_LESSONS = 200 };
static const double forget = 0.99; /* a hundred calls count */
static const double doubt = 0.7;   /* a factor of two, to begin with */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atn_refiner refiner;
static int lessons;
static double errors; /* sum of |log(took / predicted)| before each lesson */

typedef struct {
    const atn_model_trial *trial;
    const atn_model *model;
    atn_machine *turned;
} pupil;

static double predict(void *context, const double *knobs)
{
    const pupil *const x = context;
    double seconds = 0;
    *x->turned = *atn_the_job.machine;
    atn_machine_turn(x->turned, knobs);
    return atn_trial_time(x->trial, x->turned, x->model, NULL, &seconds, NULL) == ATN_OK ? seconds
                                                                                         : 0;
}

/* Without a topology nobody knows which channel a message takes, unless there is only one. */
static bool teaches(const atn_timed *l)
{
    const atn_machine *const m = atn_the_job.machine;
    return m != NULL && (l->q.topo != NULL || m->nchannels == 1) && lessons < MAX_LESSONS;
}

void atn_refined_learn(const atn_timed *l)
{
    const atn_machine *const m = atn_the_job.machine;
    atn_machine *const turned = teaches(l) ? atn_machine_new() : NULL;
    int64_t budget = BUDGET;
    atn_trial_probe probe;
    atn_model_trial t;
    if (turned != NULL && atn_trial_make(&l->choice, &l->q, &budget, &t, &probe, NULL) == ATN_OK) {
        pupil x = {&t, atn_planner_model(m, l->q.topo, l->q.p), turned};
        pthread_mutex_lock(&lock);
        if (lessons++ == 0)
            atn_refiner_begin(&refiner, atn_machine_knobs(m), forget, doubt);
        errors += fabs(atn_refiner_learn(&refiner, predict, &x, l->seconds));
        pthread_mutex_unlock(&lock);
        atn_trial_free(&t);
    }
    atn_machine_free(turned);
}

atn_machine *atn_refined_machine(void)
{
    atn_machine *const m = atn_the_job.machine != NULL ? atn_machine_new() : NULL;
    if (m == NULL)
        return NULL;
    *m = *atn_the_job.machine;
    pthread_mutex_lock(&lock);
    if (lessons > 0)
        atn_machine_turn(m, refiner.knob);
    pthread_mutex_unlock(&lock);
    return m;
}

/* ---- for later jobs ---- */

static const char *kept_in(const atn_job *job)
{
    return job->r == 0 ? atn_setting_given(&job->settings, ATN_SET_MACHINE_LEARN) : NULL;
}

bool atn_refined_kept(void) { return kept_in(&atn_the_job) != NULL; }

static atn_status write_machine(const atn_job *job, atn_machine *m, const char *file,
                                atn_error *err)
{
    char note[160], date[32];
    const time_t now = time(NULL);
    struct tm when;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &when));
    snprintf(note, sizeof note, "%s, inside a job of %d ranks, %d lessons, mean error %.3f", date,
             job->p, lessons, exp(errors / lessons));
    if (m->topology == 0 && job->topo != NULL) {
        m->topology = atn_topo_wires(job->topo);
        m->ranks = job->p;
    }
    if (!atn_machine_note(m, "refined", note))
        return atn_fail(err, ATN_MEMORY, "no room for another note");
    return atn_machine_write(m, file, err);
}

void atn_refined_stop(const atn_job *job)
{
    const char *const file = kept_in(job);
    atn_machine *const m = file != NULL && lessons > 0 ? atn_refined_machine() : NULL;
    atn_error err = {0};
    if (m != NULL && write_machine(job, m, file, &err) != ATN_OK)
        atn_say("%s; what was learnt about the machine is lost", err.text);
    if (file != NULL && lessons == 0)
        atn_say("no call was timed, so ATTUNE_MACHINE_LEARN wrote nothing");
    else if (lessons > 0 && job->verbose > 0)
        atn_say("rank %d: %d lessons about the machine, mean error %.3f", job->r, lessons,
                exp(errors / lessons));
    atn_machine_free(m);
    lessons = 0;
    errors = 0;
}
