/* act.c - who acts when: see act.h. */
#include "measure/act.h"

#include <math.h>
#include <stdlib.h>

#include "exec/crowd.h"
#include "measure/act_private.h"
#include "measure/quiet.h"

enum { TAG_ORDER, TAG_READY, TAG_GO, TAG_RESULT };
enum { MAX_CHUNK = 256 << 10, SLOTS = 17, SENT_SLOTS = 9 };
static const size_t beyond_cache = (size_t)96 << 20;

/* What rank 0 tells: an act, or one of these. */
enum { FLOW = -1, STOP = -2 };

/* ---- acting ---- */

static int index_of(const atn_theatre *t, const atn_act *a)
{
    int i = 0;
    while (i < a->n && a->actor[i] != t->r)
        i++;
    return i < a->n ? i : -1;
}

/* Nobody begins before all are there. */
static void meet(const atn_theatre *t, const atn_act *a, int me)
{
    if (me != 0) {
        atn_tell(t->control, NULL, 0, a->actor[0], TAG_READY);
        atn_hear(t->control, NULL, 0, a->actor[0], TAG_GO, atn_soon / 4);
        return;
    }
    for (int i = 1; i < a->n; i++)
        atn_hear(t->control, NULL, 0, a->actor[i], TAG_READY, atn_soon / 4);
    for (int i = 1; i < a->n; i++)
        atn_tell(t->control, NULL, 0, a->actor[i], TAG_GO);
}

void atn_theatre_spread(atn_theatre *t)
{
    t->spread = sched_getaffinity(0, sizeof t->own, &t->own) == 0 && CPU_COUNT(&t->own) > 1;
}

/* The processor of an actor, alone in a set. */
static cpu_set_t stand_of(const atn_theatre *t, int me)
{
    cpu_set_t set;
    int nth = me % CPU_COUNT(&t->own), at = 0;
    CPU_ZERO(&set);
    while (!CPU_ISSET(at, &t->own) || nth-- > 0)
        at++;
    CPU_SET(at, &set);
    return set;
}

static void act(atn_theatre *t, const atn_act *a, int me, double *times)
{
    const bool spread = t->spread && a->n < t->p;
    if (spread) {
        const cpu_set_t stand = stand_of(t, me);
        sched_setaffinity(0, sizeof stand, &stand);
    }
    atn_pattern_prepare(t, a);
    meet(t, a, me);
    for (int i = 0; i < a->reps; i++)
        times[i] = atn_pattern_act(t, a, me);
    if (spread)
        sched_setaffinity(0, sizeof t->own, &t->own);
}

void atn_theatre_serve(atn_theatre *t)
{
    for (;;) {
        atn_act a;
        double times[ATN_REPETITIONS];
        atn_hear(t->control, &a, sizeof a, 0, TAG_ORDER, atn_long_time);
        if (a.n == STOP)
            return;
        if (a.n == FLOW) {
            atn_stage_serve(t->stage);
            continue;
        }
        act(t, &a, index_of(t, &a), times);
        atn_tell(t->control, times, sizeof *times * (size_t)a.reps, 0, TAG_RESULT);
    }
}

/* ---- directing ---- */

static void combine(const atn_act *a, const double *one, double *times)
{
    for (int i = 0; i < a->reps; i++)
        times[i] = a->pattern == ATN_ACT_BUSY ? times[i] + one[i] / a->n : fmax(times[i], one[i]);
}

void atn_theatre_act(atn_theatre *t, const atn_act *a, double *times)
{
    double one[ATN_REPETITIONS];
    const int me = index_of(t, a);
    for (int i = 0; i < a->reps; i++)
        times[i] = 0;
    for (int i = 0; i < a->n; i++)
        if (i != me)
            atn_tell(t->control, a, sizeof *a, a->actor[i], TAG_ORDER);
    if (me >= 0) {
        act(t, a, me, one);
        combine(a, one, times);
    }
    for (int i = 0; i < a->n; i++)
        if (i != me) {
            atn_hear(t->control, one, sizeof *one * (size_t)a->reps, a->actor[i], TAG_RESULT,
                     atn_some_time);
            combine(a, one, times);
        }
}

static void tell_all(const atn_theatre *t, int what)
{
    const atn_act a = {.n = what};
    for (int r = 1; r < t->p; r++)
        atn_tell(t->control, &a, sizeof a, r, TAG_ORDER);
}

void atn_theatre_flow(atn_theatre *t, const atn_transfer *list, int n, double *rates)
{
    atn_arrivals arrivals[n];
    tell_all(t, FLOW);
    atn_stage_run(t->stage, list, n, arrivals);
    atn_stage_stop(t->stage);
    atn_transfer_rates(list, n, arrivals, rates);
}

void atn_theatre_stop(atn_theatre *t) { tell_all(t, STOP); }

/* ---- begin and end ---- */

static bool all_have(MPI_Comm comm, bool have)
{
    int all = have;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
    return all != 0;
}

static bool crowded(MPI_Comm comm)
{
    const atn_place_mpi library = {MPI_Bcast, MPI_Allgather, MPI_Allreduce};
    return atn_ranks_crowded(&library, comm);
}

/* Real memory behind what is sent (else it would all be one page of zeros), and numbers that no
 * operator turns into slow ones. */
static void fill(atn_theatre *t, size_t bytes) { atn_fill_ones(t->out, bytes); }

static void release(atn_theatre *t)
{
    if (!t)
        return;
    free(t->out);
    free(t->in);
    free(t);
}

atn_theatre *atn_theatre_new(MPI_Comm comm, int64_t max_bytes, bool off_cache)
{
    atn_theatre *t = calloc(1, sizeof *t);
    const size_t needed = SLOTS * ((size_t)max_bytes + 128);
    if (t) {
        t->off_cache = off_cache;
        t->area = off_cache && needed < beyond_cache ? beyond_cache : needed;
        t->out = calloc(1, t->area);
        t->in = calloc(1, t->area);
    }
    if (!all_have(comm, t && t->out && t->in)) {
        release(t);
        return NULL;
    }
    fill(t, off_cache ? t->area : needed / SLOTS * SENT_SLOTS);
    t->stage = atn_stage_new(comm, MAX_CHUNK, 50e-6);
    if (!t->stage) {
        release(t);
        return NULL;
    }
    MPI_Comm_size(comm, &t->p);
    MPI_Comm_rank(comm, &t->r);
    MPI_Comm_dup(comm, &t->control);
    MPI_Comm_dup(comm, &t->wire);
    MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &t->scattered);
    MPI_Type_commit(&t->scattered);
    t->yield = crowded(comm);
    return t;
}

void atn_theatre_free(atn_theatre *t)
{
    if (!t)
        return;
    atn_stage_free(t->stage);
    MPI_Type_free(&t->scattered);
    MPI_Comm_free(&t->control);
    MPI_Comm_free(&t->wire);
    release(t);
}
