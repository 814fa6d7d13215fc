/* foresight.c - see foresight.h. */
#include "pmpi/foresight.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Looking at calls costs time; after so many without a question there is a rest until the next. */
enum { REST = 1024 };

typedef struct atn_foreseeing {
    atn_history *history;
    int idle;      /* calls since the last question; REST: it rests */
    unsigned seen; /* of the trail */
    /* Repeated calls leave their place among those that are known in the trail and nothing else;
     * what they were is what was put there. */
    atn_problem of[ATN_KNOWN];
    atn_trail trail;
} foreseeing;

static struct {
    pthread_mutex_t lock;
    atn_prediction_stats sum;
    int64_t changed[ATN_OUTLOOK_ABSENT + 1];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- life ---- */

void atn_foresight_start(atn_comm *c)
{
    foreseeing *const f = calloc(1, sizeof *f);
    if (f != NULL)
        f->history = atn_history_make();
    if (f == NULL || f->history == NULL) {
        free(f);
        return;
    }
    c->foreseeing = f;
    c->trail = &f->trail;
}

void atn_foresight_free(foreseeing *f)
{
    if (f == NULL)
        return;
    const atn_prediction_stats x = atn_history_stats(f->history);
    pthread_mutex_lock(&all.lock);
    all.sum.requests += x.requests;
    all.sum.hits += x.hits;
    all.sum.misses += x.misses;
    pthread_mutex_unlock(&all.lock);
    atn_history_free(f->history);
    free(f);
}

/* ---- calls ---- */

static void read_trail(foreseeing *f)
{
    const unsigned end = f->trail.n;
    if (end - f->seen > ATN_TRAIL)
        f->seen = end - ATN_TRAIL;
    for (; f->seen != end; f->seen++)
        atn_history_add(f->history, &f->of[f->trail.place[f->seen % ATN_TRAIL]]);
}

void atn_foresight_saw(atn_comm *c, const atn_call *call, const atn_known *known)
{
    foreseeing *const f = c->foreseeing;
    atn_problem q;
    if (f->idle == REST)
        return;
    if (++f->idle == REST)
        c->trail = NULL;
    if (c->stage != ATN_STAGE_SERVED || !atn_call_problem(c->exec, call, &q))
        return;
    read_trail(f);
    atn_history_add(f->history, &q);
    if (known != NULL)
        f->of[known - c->known] = q;
}

/* ---- what comes ---- */

static bool is_of_kind(const void *context, const atn_problem *q)
{
    const atn_kind *const x = context;
    return q->op == x->subject.q.op && q->ordered == x->subject.q.ordered &&
           atn_size_class(q->bytes) == x->size_class;
}

atn_outlook atn_foresight_of(atn_comm *c, const atn_kind *x)
{
    foreseeing *const f = c->foreseeing;
    if (f == NULL)
        return ATN_OUTLOOK_OPEN;
    const bool rested = f->idle == REST;
    f->idle = 0;
    c->trail = &f->trail;
    if (rested) {
        atn_comm_forget(c); /* what came to be known meanwhile was not seen */
        return ATN_OUTLOOK_OPEN;
    }
    read_trail(f);
    return atn_history_outlook(f->history, is_of_kind, x);
}

void atn_foresight_note(atn_outlook because)
{
    pthread_mutex_lock(&all.lock);
    all.changed[because]++;
    pthread_mutex_unlock(&all.lock);
}

void atn_foresight_stop(void)
{
    if (!atn_the_job.foresees || !atn_the_job.explain || atn_the_job.r != 0)
        return;
    atn_say("foresight: rank 0 made %" PRId64 " collective calls, %" PRId64
            " were foreseen and %" PRId64 " otherwise than foreseen; %" PRId64
            " kinds of calls were planned sooner and %" PRId64 " times one was planned later",
            all.sum.requests, all.sum.hits, all.sum.misses, all.changed[ATN_OUTLOOK_COMES],
            all.changed[ATN_OUTLOOK_ABSENT]);
}
