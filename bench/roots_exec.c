/* roots_exec.c - a collective with every rank as root, in several interleaved variants.
 *
 *   roots_exec OPERATION BYTES CALLS [NAME=ALGORITHM ...]     e.g. bcast 1024 5 flat=binomial
 *
 * All ranks start a call at the same time of the clock, which the hosts of a lab share; the time of
 * a call is that of the slowest rank.  The algorithm "native" is the routine of the MPI library.
 * Rank 0 prints CSV: for each variant the calls and the geometric mean over all roots of the median
 * times with its 95 % confidence interval, in seconds. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/stats.h"
#include "exec/place.h"
#include "measure/call.h"

enum { MAX_VARIANTS = 16, LEAD_NS = 16 * 1000 * 1000, TAG = 5 };

typedef struct {
    const char *name;
    atn_callee callee;
    double *times; /* [root * calls + call] */
} variant;

/* Operations without a root make as many calls as a few roots together. */
typedef struct {
    int roots, calls;
} amount;

static amount amount_of(const atn_caller *c, int calls)
{
    const bool rooted = atn_sched_operation_get(c->q.op)->flags & ATN_ROOTED;
    return rooted ? (amount){c->p, calls} : (amount){1, 5 * calls};
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Ranks report to rank 0 and receive the start time; uses only point-to-point calls. */
static int64_t agree_start(const atn_caller *c)
{
    int64_t start = 0;
    for (int i = 1; i < c->p; i++)
        if (c->r == 0)
            MPI_Recv(&start, 0, MPI_INT64_T, i, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (c->r == i)
            MPI_Send(&start, 0, MPI_INT64_T, 0, TAG, MPI_COMM_WORLD);
    start = now_ns() + LEAD_NS;
    for (int i = 1; i < c->p; i++)
        if (c->r == 0)
            MPI_Send(&start, 1, MPI_INT64_T, i, TAG, MPI_COMM_WORLD);
        else if (c->r == i)
            MPI_Recv(&start, 1, MPI_INT64_T, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return start;
}

static void sleep_until(int64_t ns)
{
    const struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0)
        continue;
}

static int call_native(const atn_caller *c)
{
    const int n = (int)c->call.dst.count, root = c->call.root;
    const MPI_Datatype t = c->call.dst.type;
    switch (c->q.op) {
    case ATN_BARRIER:
        return MPI_Barrier(MPI_COMM_WORLD);
    case ATN_BCAST:
        return MPI_Bcast(c->dst, n, t, root, MPI_COMM_WORLD);
    case ATN_REDUCE:
        return MPI_Reduce(c->src, c->dst, n, t, MPI_SUM, root, MPI_COMM_WORLD);
    case ATN_ALLREDUCE:
        return MPI_Allreduce(c->src, c->dst, n, t, MPI_SUM, MPI_COMM_WORLD);
    default:
        return MPI_ERR_OTHER;
    }
}

static int call_exec(const atn_caller *c, const atn_callee *callee)
{
    int code = MPI_SUCCESS;
    atn_plan *plan = atn_exec_plan(callee->exec, &c->call, &code);
    return plan ? atn_exec_run(callee->exec, plan, &c->call, c->comm) : MPI_ERR_OTHER;
}

/* The time of a call on this rank. */
static double measure(const atn_caller *c, const atn_callee *callee)
{
    const int64_t start = agree_start(c);
    sleep_until(start);
    const int code = callee->exec ? call_exec(c, callee) : call_native(c);
    const double own = (double)(now_ns() - start) * 1e-9;
    if (code != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return own;
}

/* Each variant once with each root, in rotating order; the first round is a warm-up. */
static void measure_all(atn_caller *c, variant *v, int n, amount a)
{
    for (int i = 0; i <= a.calls; i++)
        for (int root = 0; root < a.roots; root++)
            for (int k = 0; k < n; k++) {
                variant *x = &v[(k + i + root) % n];
                c->call.root = root;
                const double t = measure(c, &x->callee);
                if (i > 0)
                    x->times[root * a.calls + i - 1] = t;
            }
    for (int k = 0; k < n; k++)
        MPI_Reduce(c->r ? v[k].times : MPI_IN_PLACE, v[k].times, a.roots * a.calls, MPI_DOUBLE,
                   MPI_MAX, 0, MPI_COMM_WORLD);
}

static bool open_variant(const atn_caller *c, char *word, amount a, variant *v)
{
    atn_choice choice = {0};
    atn_error err = {0};
    char *algorithm = strchr(word, '=');
    if (!algorithm)
        return false;
    *algorithm++ = '\0';
    *v =
        (variant){.name = word, .times = calloc((size_t)(a.roots * a.calls) + 1, sizeof *v->times)};
    if (atn_plan_choice_read(c->q.op, algorithm, &choice, &err) != ATN_OK) {
        fprintf(stderr, "%s\n", err.text);
        return false;
    }
    return v->times && atn_measure_callee_open(c, &choice, &v->callee);
}

static void print(const variant *v, amount a)
{
    atn_estimate *roots = calloc((size_t)a.roots, sizeof *roots);
    for (int i = 0; roots && i < a.roots; i++)
        roots[i] = atn_median(v->times + i * a.calls, a.calls);
    const atn_estimate t = roots ? atn_geometric_mean(roots, a.roots) : (atn_estimate){0};
    printf("%s,%d,%.9f,%.9f,%.9f\n", v->name, a.roots * a.calls, t.mid, t.lo, t.hi);
    free(roots);
}

int main(int argc, char **argv)
{
    static const atn_place_mpi mpi = {MPI_Bcast, MPI_Allreduce};
    variant v[MAX_VARIANTS];
    atn_topo *topo = NULL;
    atn_error err = {0};
    atn_operation op;
    atn_caller c;
    MPI_Init(&argc, &argv);
    const int n = argc - 4;
    if (getenv("ATTUNE_TOPOLOGY"))
        atn_exec_place_ranks(&mpi, MPI_COMM_WORLD, getenv("ATTUNE_TOPOLOGY"), &topo, &err);
    atn_measure_caller_begin(&c, topo);
    bool ok = n >= 0 && n <= MAX_VARIANTS && atn_sched_operation_find(argv[1], &op) &&
              atn_measure_caller_prepare(&c, op, atoi(argv[2]));
    const amount a = ok ? amount_of(&c, atoi(argv[3])) : (amount){0};
    for (int i = 0; i < n && ok; i++)
        ok = open_variant(&c, argv[4 + i], a, &v[i]);
    if (!ok)
        MPI_Abort(MPI_COMM_WORLD, 2);
    measure_all(&c, v, n, a);
    for (int i = 0; i < n; i++) {
        if (c.r == 0 && a.calls > 0)
            print(&v[i], a);
        atn_measure_callee_close(&v[i].callee);
        free(v[i].times);
    }
    atn_measure_caller_end(&c);
    atn_topo_free(topo);
    MPI_Finalize();
    return 0;
}
