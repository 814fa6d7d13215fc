/* timing.c - see timing.h. */
#include "measure/timing.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attune/timing.h"
#include "measure/coordinator.h"

struct atn_mechanism {
    const char *name;
    double (*run)(const atn_timing *t, atn_caller *c, const atn_callee *callee, int calls,
                  int round);
};

/* ---- mechanisms ---- */

static double back_to_back(const atn_timing *t, atn_caller *c, const atn_callee *callee, int calls,
                           int round)
{
    (void)t, (void)round;
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        atn_measure_call_once(c, callee);
    return atn_measure_reduce_time(c, (MPI_Wtime() - began) / calls, MPI_MAX);
}

static double after_barriers(const atn_timing *t, atn_caller *c, const atn_callee *callee,
                             int calls, int round)
{
    double sum = 0;
    (void)t, (void)round;
    for (int i = 0; i < calls; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double began = MPI_Wtime();
        atn_measure_call_once(c, callee);
        sum += MPI_Wtime() - began;
    }
    return atn_measure_reduce_time(c, sum / calls, MPI_MAX);
}

/* Only the calls themselves synchronise the ranks. */
static double between_computations(const atn_timing *t, atn_caller *c, const atn_callee *callee,
                                   int calls, int round)
{
    double sum = 0;
    (void)round;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < calls; i++) {
        atn_measure_busy_wait(t->reference);
        const double began = MPI_Wtime();
        atn_measure_call_once(c, callee);
        sum += MPI_Wtime() - began;
    }
    return atn_measure_reduce_time(c, sum / calls, MPI_SUM) / c->p;
}

/* Pseudo-random in [0, 1), a function of rank, round and call. */
static double random_share(int r, int round, int call)
{
    const int of[] = {r, round, call};
    return (double)(atn_hash(of, sizeof of, 0) >> 11) / 9007199254740992.0;
}

static double unbalanced(const atn_timing *t, atn_caller *c, const atn_callee *callee, int calls,
                         int round)
{
    double sum = 0;
    for (int i = 0; i < calls; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        atn_measure_busy_wait(random_share(c->r, round, i) * t->spread * t->reference);
        const double began = MPI_Wtime();
        atn_measure_call_once(c, callee);
        sum += MPI_Wtime() - began;
    }
    return atn_measure_reduce_time(c, sum / calls, MPI_SUM) / c->p;
}

typedef struct {
    atn_caller *caller;
    const atn_callee *callee;
} one_call;

static void call_back(void *data)
{
    const one_call *x = data;
    atn_measure_call_once(x->caller, x->callee);
}

static double by_user_object(const atn_timing *t, atn_caller *c, const atn_callee *callee,
                             int calls, int round)
{
    double (*run)(MPI_Comm, attune_call, void *, int);
    one_call x = {c, callee};
    (void)round;
    *(void **)&run = dlsym(t->object, "attune_timing");
    const double own = run(MPI_COMM_WORLD, call_back, &x, calls);
    if (!(own > 0) || !isfinite(own)) {
        fprintf(stderr,
                "attune: rank %d: attune_timing returns %g; it must return a positive time\n", c->r,
                own);
        MPI_Abort(MPI_COMM_WORLD, ATN_INPUT);
    }
    return atn_measure_reduce_time(c, own, MPI_MAX);
}

static const atn_mechanism mechanisms[] = {
    {"plain", back_to_back},
    {"barrier", after_barriers},
    {"compute", between_computations},
    {"imbalance", unbalanced},
};
enum { MECHANISMS = sizeof mechanisms / sizeof *mechanisms };
static const atn_mechanism user_object = {"shared object", by_user_object};

/* ---- open, close, run ---- */

static atn_status open_object(const char *path, atn_timing *t, atn_error *err)
{
    t->by = &user_object;
    t->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (t->object == NULL)
        return atn_fail(err, ATN_INPUT, "--timing %s: %s", path, dlerror());
    if (dlsym(t->object, "attune_timing") != NULL)
        return ATN_OK;
    return atn_fail(err, ATN_INPUT,
                    "--timing %s: it has no function attune_timing (include/attune/timing.h)",
                    path);
}

/* The parameter behind the name; "": none.  Only one mechanism takes a number. */
static bool read_spread(const char *text, atn_timing *t)
{
    char *end;
    t->spread = 1;
    if (*text == '\0')
        return true;
    t->spread = strtod(text + 1, &end);
    return t->by->run == unbalanced && end != text + 1 && *end == '\0' && t->spread >= 0 &&
           t->spread <= 1000;
}

static atn_status open_word(const char *word, atn_timing *t, atn_error *err)
{
    const size_t n = strcspn(word, ":");
    if (strchr(word, '/') != NULL)
        return open_object(word, t, err);
    for (int i = 0; i < MECHANISMS; i++)
        if (strlen(mechanisms[i].name) == n && strncmp(mechanisms[i].name, word, n) == 0)
            t->by = &mechanisms[i];
    if (t->by != NULL && read_spread(word + n, t))
        return ATN_OK;
    return atn_fail(err, ATN_USAGE,
                    "--timing %s: unknown; use plain, barrier, compute, imbalance:F or the path of "
                    "a shared object",
                    word);
}

atn_status atn_measure_timing_open(const char *word, atn_timing *t_p, atn_error *err)
{
    atn_timing t = {0};
    int r, worst, status = (int)open_word(word, &t, err);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (worst == ATN_OK) {
        *t_p = t;
        return ATN_OK;
    }
    atn_measure_timing_close(&t);
    if (status == ATN_OK)
        return atn_fail(err, (atn_status)worst, "--timing %s: some ranks cannot load it", word);
    return (atn_status)status;
}

void atn_measure_timing_close(atn_timing *t)
{
    if (t->object != NULL)
        dlclose(t->object);
    t->object = NULL;
}

double atn_measure_timing_run(const atn_timing *t, atn_caller *c, const atn_callee *callee,
                              int calls, int round)
{
    return t->by->run(t, c, callee, calls, round);
}
