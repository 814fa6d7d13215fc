/* foresight.c - see foresight.h.
 *
 * Plans are made when a call of their kind first comes, and again when others have taken their
 * place.  The plan of the call that is foreseen is looked for after the call before it, and made
 * then if it is no longer there. */
#include "pmpi/foresight.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "predict/history.h"

/* A call without its buffers, for which a plan can be made again. */
typedef struct {
    atn_problem q;
    atn_call call;
    atn_choice choice;
} sample;

enum { SAMPLES = 256 };
typedef struct atn_foreseeing {
    atn_history *history;
    int n, last; /* last: where a new sample goes when there is no more room */
    sample v[SAMPLES];
    int64_t prepared;
} foreseeing;

static struct {
    pthread_mutex_t lock;
    atn_foresight sum;
    int64_t prepared;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static foreseeing *make(void)
{
    foreseeing *const f = calloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    f->history = atn_history_make();
    if (f->history != NULL)
        return f;
    free(f);
    return NULL;
}

void atn_foresight_free(foreseeing *f)
{
    if (f == NULL)
        return;
    const atn_foresight x = atn_history_foresight(f->history);
    pthread_mutex_lock(&all.lock);
    all.sum.requests += x.requests;
    all.sum.foreseen += x.foreseen;
    all.sum.wrong += x.wrong;
    all.prepared += f->prepared;
    pthread_mutex_unlock(&all.lock);
    atn_history_free(f->history);
    free(f);
}

/* ---- samples ---- */

static sample *find(foreseeing *f, const atn_problem *q)
{
    for (int i = 0; i < f->n; i++) {
        const atn_problem *const x = &f->v[i].q;
        if (x->op == q->op && x->root == q->root && x->bytes == q->bytes &&
            x->ordered == q->ordered)
            return &f->v[i];
    }
    return NULL;
}

static bool is_predefined(MPI_Datatype type)
{
    int integers, addresses, types, combiner = MPI_COMBINER_NAMED;
    if (type != MPI_DATATYPE_NULL)
        PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

/* Handles that the program may free, and arrays that it owns, are not kept. */
static bool can_be_kept(const atn_call *call)
{
    return call->src.counts == NULL && call->dst.counts == NULL && call->src.types == NULL &&
           call->dst.types == NULL && is_predefined(call->src.type) &&
           is_predefined(call->dst.type) &&
           (call->mpi_op == MPI_OP_NULL || atn_op_is_known(call->mpi_op));
}

static void keep(foreseeing *f, const atn_problem *q, const atn_call *call,
                 const atn_choice *choice)
{
    sample *s = find(f, q);
    if (s == NULL)
        s = f->n < SAMPLES ? &f->v[f->n++] : &f->v[f->last++ % SAMPLES];
    *s = (sample){.q = *q, .call = *call, .choice = *choice};
    s->call.src.buf = s->call.dst.buf = NULL;
}

/* ---- after a call ---- */

/* Plans that are known may have made room for it. */
static void prepare(atn_comm *c, foreseeing *f, const sample *s)
{
    const unsigned before = atn_exec_evictions(c->exec);
    atn_problem q; /* anew: what is known about ranks may have changed */
    int code;
    if (!atn_call_problem(c->exec, &s->call, &q))
        return;
    atn_exec_plan_as(c->exec, &s->call, &q, &s->choice, &code);
    if (atn_exec_evictions(c->exec) == before)
        return;
    f->prepared++;
    memset(c->known, 0, sizeof c->known);
}

void atn_foresight_saw(atn_comm *c, const atn_call *call, const atn_choice *choice)
{
    atn_problem q;
    atn_expected next;
    if (c->stage != ATN_STAGE_SERVED || c->exec == NULL || !atn_call_problem(c->exec, call, &q))
        return;
    if (c->foreseeing == NULL)
        c->foreseeing = make();
    foreseeing *const f = c->foreseeing;
    if (f == NULL)
        return;
    if (choice->row->algo->build != NULL && can_be_kept(call))
        keep(f, &q, call, choice);
    if (!atn_history_expect(f->history, &q, &next))
        return;
    const sample *const s = find(f, &next.q);
    if (s != NULL)
        prepare(c, f, s);
}

void atn_foresight_stop(void)
{
    if (!atn_the_job.foresees || !atn_the_job.explain || atn_the_job.r != 0)
        return;
    atn_say("foresight: rank 0 made %" PRId64 " collective calls, %" PRId64
            " were foreseen and %" PRId64 " otherwise than foreseen; %" PRId64
            " plans were made ahead",
            all.sum.requests, all.sum.foreseen, all.sum.wrong, all.prepared);
}
