/* troupe.c - see troupe.h. */
#include "measure/troupe.h"

#include <stdlib.h>
#include <string.h>

#include "measure/quiet.h"

typedef enum { PREPARE, OPEN, RUN, CLOSE, REFERENCE, STOP } deed;
enum { LIST = 64 }; /* runs of one order */

typedef struct {
    int32_t deed, n, calls, turn;
    int32_t op, number, call;
    int64_t bytes;
    double reference;
    int32_t list[LIST];
    char name[ATN_NAME_ROOM];
} order;

typedef struct {
    bool ok; /* buffers are there; the result is right */
    double seconds[LIST];
} outcome;

struct atn_troupe {
    atn_caller *caller;
    atn_timing *timing;
    const atn_patterns *patterns;
    MPI_Comm comm;
    ATN_VEC(atn_callee *) callees; /* by number; NULL: not open; they must not move */
};

atn_troupe *atn_troupe_new(atn_caller *c, atn_timing *timing)
{
    atn_troupe *t = calloc(1, sizeof *t);
    if (t == NULL)
        MPI_Abort(MPI_COMM_WORLD, ATN_ENVIRONMENT);
    t->caller = c;
    t->timing = timing;
    MPI_Comm_dup(MPI_COMM_WORLD, &t->comm);
    return t;
}

void atn_troupe_patterns(atn_troupe *t, const atn_patterns *patterns) { t->patterns = patterns; }

static void close_one(atn_troupe *t, int i)
{
    if (i >= t->callees.n || t->callees.v[i] == NULL)
        return;
    atn_callee_close(t->callees.v[i]);
    free(t->callees.v[i]);
    t->callees.v[i] = NULL;
}

static void close_all(atn_troupe *t)
{
    for (int i = 0; i < t->callees.n; i++)
        close_one(t, i);
    t->callees.n = 0;
}

void atn_troupe_free(atn_troupe *t)
{
    close_all(t);
    atn_vec_free(&t->callees);
    MPI_Comm_free(&t->comm);
    free(t);
}

/* ---- what all ranks do ---- */

static void out_of_memory(void)
{
    fprintf(stderr, "attune: out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, ATN_ENVIRONMENT);
}

/* The name was read by rank 0 already, so all can read it. */
static void open_one(atn_troupe *t, order *o, outcome *out)
{
    atn_choice choice = {0};
    while (t->callees.n <= o->number)
        if (!atn_push(&t->callees, NULL))
            out_of_memory();
    atn_callee *callee = malloc(sizeof *callee);
    if (callee == NULL)
        out_of_memory();
    if (strcmp(o->name, "native") != 0 &&
        atn_choice_read((atn_operation)o->op, o->name, &choice, NULL) != ATN_OK)
        MPI_Abort(MPI_COMM_WORLD, ATN_FINDING);
    if (!atn_callee_open(t->caller, &choice, callee))
        out_of_memory();
    t->callees.v[o->number] = callee;
    out->seconds[0] = atn_call_check(t->caller, callee, &out->ok);
}

static void run_all(atn_troupe *t, const order *o, outcome *out)
{
    for (int i = 0; i < o->n; i++)
        out->seconds[i] =
            atn_timing_run(t->timing, t->caller, t->callees.v[o->list[i]], o->calls, o->turn);
}

/* False: it was the last order. */
static bool obey(atn_troupe *t, order *o, outcome *out)
{
    switch ((deed)o->deed) {
    case PREPARE:
        close_all(t);
        out->ok = o->call < 0 ? atn_caller_prepare(t->caller, (atn_operation)o->op, o->bytes)
                              : atn_caller_pattern(t->caller, (atn_operation)o->op,
                                                   atn_pattern(t->patterns, o->call));
        return true;
    case OPEN:
        open_one(t, o, out);
        return true;
    case RUN:
        run_all(t, o, out);
        return true;
    case CLOSE:
        close_one(t, o->number);
        return true;
    case REFERENCE:
        t->timing->reference = o->reference;
        return true;
    case STOP:
        break;
    }
    return false;
}

static bool follow(atn_troupe *t, order *o, outcome *out)
{
    MPI_Request request;
    MPI_Ibcast(o, (int)sizeof *o, MPI_BYTE, 0, t->comm, &request);
    atn_wait_asleep(&request, 1, atn_soon);
    return obey(t, o, out);
}

void atn_troupe_serve(atn_troupe *t)
{
    order o;
    outcome out;
    while (follow(t, &o, &out))
        ;
}

/* ---- orders ---- */

bool atn_troupe_prepare(atn_troupe *t, atn_operation op, int64_t bytes, int call)
{
    order o = {.deed = PREPARE, .op = (int32_t)op, .bytes = bytes, .call = call};
    outcome out;
    follow(t, &o, &out);
    return out.ok;
}

double atn_troupe_open(atn_troupe *t, int i, const char *name, bool *right_p)
{
    order o = {.deed = OPEN, .op = (int32_t)t->caller->q.op, .number = i};
    outcome out;
    snprintf(o.name, sizeof o.name, "%s", name);
    follow(t, &o, &out);
    *right_p = out.ok;
    return out.seconds[0];
}

void atn_troupe_run(atn_troupe *t, const int *list, int n, int calls, int turn, double *seconds)
{
    for (int from = 0; from < n; from += LIST) {
        order o = {.deed = RUN, .n = atn_min(LIST, n - from), .calls = calls, .turn = turn};
        outcome out;
        for (int i = 0; i < o.n; i++)
            o.list[i] = list[from + i];
        follow(t, &o, &out);
        memcpy(seconds + from, out.seconds, (size_t)o.n * sizeof *seconds);
    }
}

void atn_troupe_close(atn_troupe *t, int i)
{
    order o = {.deed = CLOSE, .number = i};
    outcome out;
    follow(t, &o, &out);
}

void atn_troupe_reference(atn_troupe *t, double seconds)
{
    order o = {.deed = REFERENCE, .reference = seconds};
    outcome out;
    follow(t, &o, &out);
}

void atn_troupe_stop(atn_troupe *t)
{
    order o = {.deed = STOP};
    outcome out;
    follow(t, &o, &out);
}
