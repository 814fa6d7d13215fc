/* staleness.c - see staleness.h. */
#include "pmpi/select/staleness.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "plan/store.h"
#include "pmpi/job/job.h"
#include "pmpi/select/candidates.h"

enum { MOST = 64, SAMPLES = 3 };
/* Native may run a slower algorithm than the one that its prediction is for. */
static const double native_slack = 3;

typedef struct {
    const void *class;
    int64_t native_ps; /* predicted; 0: unknown */
    double ratio;      /* measured over expected; 0: unknown */
} observed_class;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static observed_class seen[MOST];
static int n;

static bool is_examined(void) { return atn_job_current.calibrated && atn_job_current.entry >= 0; }

/* With the lock; NULL: no room. */
static observed_class *find(const void *class)
{
    for (int i = 0; i < n; i++)
        if (seen[i].class == class)
            return &seen[i];
    if (n == MOST)
        return NULL;
    seen[n] = (observed_class){.class = class};
    return &seen[n++];
}

void atn_select_staleness_expect(const atn_call_class *x, int64_t native_ps)
{
    if (!is_examined() || native_ps <= 0)
        return;
    pthread_mutex_lock(&lock);
    observed_class *const o = find(x);
    if (o != NULL)
        *o = (observed_class){.class = x, .native_ps = native_ps};
    pthread_mutex_unlock(&lock);
}

/* Of a candidate, by the model or from an earlier job; 0: unknown. */
static int64_t expected_ps(const atn_call_class *x, int candidate)
{
    const atn_candidate_set *const f = x->field;
    if (f->is[candidate].predicted_ps > 0 && f->is[candidate].error == ATN_ERROR_MEASURED)
        return f->is[candidate].predicted_ps;
    return candidate == f->from_wisdom && f->wisdom_ps > 0 ? f->wisdom_ps : 0;
}

static double native_ratio(int64_t measured, int64_t expected)
{
    const double ratio = (double)measured / (double)expected;
    if (ratio <= 1)
        return ratio;
    return ratio > native_slack ? ratio / native_slack : 1;
}

static double ratio_of(const atn_call_class *x, const atn_tuner_result *result,
                       const observed_class *o)
{
    const atn_decision d = atn_tune_tuner_decision(x->tuner);
    const bool native = result->best == ATN_SET_NATIVE;
    const int64_t expected = native ? 0 : expected_ps(x, result->best);
    if (expected > 0 && result->best_ps > 0)
        return (double)result->best_ps / (double)expected;
    return o->native_ps > 0 && d.native_ps > 0 ? native_ratio(d.native_ps, o->native_ps) : 0;
}

/* Times of short calls depend more on when ranks arrive than on the machine. */
void atn_select_staleness_note(const atn_call_class *x, const atn_tuner_result *result)
{
    if (!is_examined() || x->subject.q.bytes < ATN_SHORT_BYTES || result->samples < SAMPLES)
        return;
    pthread_mutex_lock(&lock);
    observed_class *const o = find(x);
    if (o != NULL)
        o->ratio = ratio_of(x, result, o);
    pthread_mutex_unlock(&lock);
}

static int list_ratios(double ratios[MOST])
{
    int known = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n; i++)
        if (seen[i].ratio > 0)
            ratios[known++] = seen[i].ratio;
    n = 0;
    pthread_mutex_unlock(&lock);
    return known;
}

void atn_select_staleness_finish(void)
{
    atn_job *const job = &atn_job_current;
    char *const end = job->calibration + strlen(job->calibration);
    const size_t room = sizeof job->calibration - strlen(job->calibration);
    double ratios[MOST], factor;
    const int known = list_ratios(ratios);
    if (!is_examined() || !atn_plan_store_is_stale(ratios, known, &factor))
        return;
    if (factor > 1)
        snprintf(end, room,
                 "; out of date: calls took %.1f times as long as expected; run 'attune "
                 "calibrate' again",
                 factor);
    else
        snprintf(end, room,
                 "; out of date: calls took %.2g of the expected time; run 'attune "
                 "calibrate' again",
                 factor);
    if (job->verbose > 0 && job->r == 0)
        atn_interpose_print_line("calibration: %s", job->calibration);
}
