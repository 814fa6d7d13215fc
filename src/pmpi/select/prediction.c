/* prediction.c - see prediction.h. */
#include "pmpi/select/prediction.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Recording calls takes time: it pauses after this many calls without a query, until the next. */
enum { IDLE_CALLS = 1024 };

typedef struct atn_call_prediction {
    atn_history *history;
    int idle;      /* calls since the last query; IDLE_CALLS: recording pauses */
    unsigned seen; /* of the hits */
    /* The problems of the entries of the call cache; repeated calls only log which entry they hit.
     */
    atn_problem of[ATN_CALL_CACHE];
    atn_hit_log hits;
} prediction;

static struct {
    pthread_mutex_t lock;
    atn_prediction_stats sum;
    int64_t changed[ATN_OUTLOOK_ABSENT + 1];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- lifetime ---- */

void atn_select_prediction_start(atn_comm *c)
{
    prediction *const f = calloc(1, sizeof *f);
    if (f != NULL)
        f->history = atn_predict_history_make();
    if (f == NULL || f->history == NULL) {
        free(f);
        return;
    }
    c->prediction = f;
    c->hits = &f->hits;
}

void atn_select_prediction_free(prediction *f)
{
    if (f == NULL)
        return;
    const atn_prediction_stats x = atn_predict_history_stats(f->history);
    pthread_mutex_lock(&all.lock);
    all.sum.requests += x.requests;
    all.sum.hits += x.hits;
    all.sum.misses += x.misses;
    pthread_mutex_unlock(&all.lock);
    atn_predict_history_free(f->history);
    free(f);
}

/* ---- calls ---- */

static void read_hits(prediction *f)
{
    const unsigned end = f->hits.n;
    if (end - f->seen > ATN_HIT_LOG)
        f->seen = end - ATN_HIT_LOG;
    for (; f->seen != end; f->seen++)
        atn_predict_history_add(f->history, &f->of[f->hits.entry[f->seen % ATN_HIT_LOG]]);
}

void atn_select_prediction_add(atn_comm *c, const atn_call *call, const atn_cached_call *entry)
{
    prediction *const f = c->prediction;
    atn_problem q;
    if (f->idle == IDLE_CALLS)
        return;
    if (++f->idle == IDLE_CALLS)
        c->hits = NULL;
    if (c->stage != ATN_COMM_SERVED || !atn_exec_call_problem(c->exec, call, &q))
        return;
    read_hits(f);
    atn_predict_history_add(f->history, &q);
    if (entry != NULL)
        f->of[entry - c->cached] = q;
}

/* ---- prediction ---- */

static bool is_of_class(const void *context, const atn_problem *q)
{
    const atn_call_class *const x = context;
    return q->op == x->subject.q.op && q->ordered == x->subject.q.ordered &&
           atn_tune_size_class(q->bytes) == atn_tune_size_class(x->subject.q.bytes);
}

atn_outlook atn_select_prediction_of(atn_comm *c, const atn_call_class *x)
{
    prediction *const f = c->prediction;
    if (f == NULL)
        return ATN_OUTLOOK_OPEN;
    const bool paused = f->idle == IDLE_CALLS;
    f->idle = 0;
    c->hits = &f->hits;
    if (paused) {
        atn_comm_calls_clear(c); /* entries made meanwhile were not recorded */
        return ATN_OUTLOOK_OPEN;
    }
    read_hits(f);
    return atn_predict_history_outlook(f->history, is_of_class, x);
}

void atn_select_prediction_note(atn_outlook because)
{
    pthread_mutex_lock(&all.lock);
    all.changed[because]++;
    pthread_mutex_unlock(&all.lock);
}

void atn_select_prediction_stop(void)
{
    if (!atn_job_current.predicts || !atn_job_current.explain || atn_job_current.r != 0)
        return;
    atn_interpose_print_line(
        "prediction: rank 0 made %" PRId64 " collective calls, %" PRId64
        " predicted correctly and %" PRId64 " incorrectly; %" PRId64
        " call classes were planned earlier, and planning was postponed %" PRId64 " times",
        all.sum.requests, all.sum.hits, all.sum.misses, all.changed[ATN_OUTLOOK_COMES],
        all.changed[ATN_OUTLOOK_ABSENT]);
}
