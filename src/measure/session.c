/* session.c - see session.h. */
#include "measure/session.h"

#include <stdlib.h>
#include <string.h>

#include "measure/coordinator.h"

typedef enum { PREPARE, OPEN, RUN, CLOSE, REFERENCE, STOP } command_kind;
enum { LIST = 64 }; /* variants of one command */

typedef struct {
    int32_t kind, n, calls, round;
    int32_t op, number, call;
    int64_t bytes;
    double reference;
    int32_t list[LIST];
    char name[ATN_NAME_ROOM];
} command;

struct atn_session {
    atn_coordinator c;
    atn_caller *caller;
    atn_timing *timing;
    const atn_patterns *patterns;
    ATN_VEC(atn_callee *) callees; /* by number; NULL: not open; they must not move */
    /* results of the last command */
    bool ok; /* buffers exist; the result is right */
    double seconds[LIST];
};

/* ---- what all ranks do ---- */

static void close_one(atn_session *s, int i)
{
    if (i >= s->callees.n || s->callees.v[i] == NULL)
        return;
    atn_measure_callee_close(s->callees.v[i]);
    free(s->callees.v[i]);
    s->callees.v[i] = NULL;
}

static void close_all(atn_session *s)
{
    for (int i = 0; i < s->callees.n; i++)
        close_one(s, i);
    s->callees.n = 0;
}

static void prepare(atn_session *s, const command *x)
{
    const atn_operation op = (atn_operation)x->op;
    close_all(s);
    s->ok = x->call < 0
                ? atn_measure_caller_prepare(s->caller, op, x->bytes)
                : atn_measure_caller_pattern(s->caller, op, atn_algo_pattern(s->patterns, x->call));
}

/* Rank 0 has read the name already, so all ranks can. */
static void open_one(atn_session *s, command *x)
{
    atn_choice choice = {0};
    while (s->callees.n <= x->number)
        if (!atn_push(&s->callees, NULL))
            atn_measure_abort_memory();
    atn_callee *callee = malloc(sizeof *callee);
    if (callee == NULL)
        atn_measure_abort_memory();
    if (strcmp(x->name, "native") != 0 &&
        atn_plan_choice_read((atn_operation)x->op, x->name, &choice, NULL) != ATN_OK)
        MPI_Abort(MPI_COMM_WORLD, ATN_FINDING);
    if (!atn_measure_callee_open(s->caller, &choice, callee))
        atn_measure_abort_memory();
    s->callees.v[x->number] = callee;
    s->seconds[0] = atn_measure_call_check(s->caller, callee, &s->ok);
}

static void run_list(atn_session *s, const command *x)
{
    for (int i = 0; i < x->n; i++)
        s->seconds[i] = atn_measure_timing_run(s->timing, s->caller, s->callees.v[x->list[i]],
                                               x->calls, x->round);
}

static bool execute(void *context, void *data)
{
    atn_session *s = context;
    command *x = data;
    switch ((command_kind)x->kind) {
    case PREPARE:
        prepare(s, x);
        return true;
    case OPEN:
        open_one(s, x);
        return true;
    case RUN:
        run_list(s, x);
        return true;
    case CLOSE:
        close_one(s, x->number);
        return true;
    case REFERENCE:
        s->timing->reference = x->reference;
        return true;
    case STOP:
        break;
    }
    return false;
}

void atn_measure_session_serve(atn_session *s) { atn_measure_coordinator_serve(&s->c); }

/* ---- rank 0 ---- */

static void command_all(atn_session *s, command *x)
{
    atn_measure_command_all(&s->c, x);
    execute(s, x);
}

bool atn_measure_session_prepare(atn_session *s, atn_operation op, int64_t bytes, int call)
{
    command_all(s, &(command){.kind = PREPARE, .op = (int32_t)op, .bytes = bytes, .call = call});
    return s->ok;
}

double atn_measure_session_open(atn_session *s, int i, const char *name, bool *right_p)
{
    command x = {.kind = OPEN, .op = (int32_t)s->caller->q.op, .number = i};
    snprintf(x.name, sizeof x.name, "%s", name);
    command_all(s, &x);
    *right_p = s->ok;
    return s->seconds[0];
}

void atn_measure_session_run(atn_session *s, const int *list, int n, int calls, int round,
                             double *seconds)
{
    for (int from = 0; from < n; from += LIST) {
        command x = {.kind = RUN, .n = atn_min(LIST, n - from), .calls = calls, .round = round};
        for (int i = 0; i < x.n; i++)
            x.list[i] = list[from + i];
        command_all(s, &x);
        memcpy(seconds + from, s->seconds, (size_t)x.n * sizeof *seconds);
    }
}

void atn_measure_session_close(atn_session *s, int i)
{
    command_all(s, &(command){.kind = CLOSE, .number = i});
}

void atn_measure_session_reference(atn_session *s, double seconds)
{
    command_all(s, &(command){.kind = REFERENCE, .reference = seconds});
}

void atn_measure_session_stop(atn_session *s) { command_all(s, &(command){.kind = STOP}); }

/* ---- begin and end ---- */

atn_session *atn_measure_session_new(atn_caller *c, atn_timing *timing,
                                     const atn_patterns *patterns)
{
    atn_session *s = calloc(1, sizeof *s);
    if (s == NULL)
        atn_measure_abort_memory();
    s->caller = c;
    s->timing = timing;
    s->patterns = patterns;
    s->c = (atn_coordinator){.bytes = sizeof(command),
                             .broadcast = true,
                             .pause = atn_pause_short,
                             .execute = execute,
                             .context = s};
    atn_measure_coordinator_begin(&s->c, MPI_COMM_WORLD);
    return s;
}

void atn_measure_session_free(atn_session *s)
{
    close_all(s);
    atn_vec_free(&s->callees);
    atn_measure_coordinator_end(&s->c);
    free(s);
}
