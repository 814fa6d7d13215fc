/* planning.c - planning time of every operation and size, with block and cyclic mapping.
 *
 *   planning [--loss] [MACHINE|- [TOPOLOGY ...]]     OPERATION in the environment: only this one
 *
 * Prints CSV: for each problem the median time of several plans with the budget of a job, and the
 * memory of the process so far.  --loss: instead, how much longer the first choice takes than that
 * of a plan without budget, both as predicted from the schedules of all ranks. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "plan/planner.h"
#include "plan/trial.h"
#include "topo/topo.h"

enum { REPEATS = 5 };
static const double enough_ms = 500;
static const char *const topologies[] = {"4x4@100M",  "4x4@100M;order=roundrobin",
                                         "4x8@100M",  "4x8@100M;order=roundrobin",
                                         "4x16@100M", "4x16@100M;order=roundrobin"};
static const int64_t sizes[] = {8, 1024, 16384, 65536, 262144, 1048576};

/* Processor time, which other processes do not affect. */
static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double used_mb(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss / 1024;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static atn_status time_plan(const atn_problem *q, const atn_machine *m, atn_error *err)
{
    double ms[REPEATS], all = 0;
    atn_ranking r = {.n = 0};
    char name[ATN_NAME_ROOM] = "native";
    int n = 0;
    for (int i = 0; i < REPEATS && all < enough_ms; i++, n++) {
        atn_plan_ranking_free(&r);
        const double start = now_ms();
        const atn_status status = atn_plan_planner_rank(q, m, NULL, atn_plan_budget(q->p), &r, err);
        if (status != ATN_OK)
            return status;
        ms[i] = now_ms() - start;
        all += ms[i];
    }
    qsort(ms, (size_t)n, sizeof *ms, ascending);
    if (r.n > 0)
        atn_algo_params_print(r.v[0].choice.row, &r.v[0].choice.params, name, sizeof name);
    printf("%s,%d,%s,%lld,%d,%d,%lld,%.3f,%.1f,\"%s\"\n", q->topo->origin, q->p,
           atn_sched_operation_get(q->op)->name, (long long)q->bytes, r.n, r.evaluated,
           (long long)r.steps, ms[n / 2], used_mb(), name);
    atn_plan_ranking_free(&r);
    return ATN_OK;
}

/* ---- loss ---- */

/* The choice as predicted from the complete schedules of all ranks. */
static double exact_seconds(const atn_choice *c, const atn_problem *q, const atn_machine *m)
{
    int64_t unlimited = INT64_MAX;
    double seconds = INFINITY;
    atn_model_trial t;
    atn_trial_probe probe;
    if (atn_plan_trial_make(c, q, INT_MAX, &unlimited, &t, &probe, NULL) != ATN_OK)
        return INFINITY;
    const atn_model *const model = atn_plan_planner_model(m, q->topo, q->p);
    if (atn_plan_trial_time(&t, m, model, NULL, &seconds, NULL) != ATN_OK)
        seconds = INFINITY;
    atn_plan_trial_free(&t);
    return seconds;
}

static atn_status compare_plans(const atn_problem *q, const atn_machine *m, atn_error *err)
{
    atn_ranking job = {.n = 0}, best = {.n = 0};
    char chosen[ATN_NAME_ROOM] = "native", first[ATN_NAME_ROOM] = "native";
    atn_status status = atn_plan_planner_rank(q, m, NULL, atn_plan_budget(q->p), &job, err);
    if (status == ATN_OK)
        status = atn_plan_planner_rank(q, m, NULL, INT64_MAX / 4, &best, err);
    if (status == ATN_OK && job.n > 0 && best.n > 0) {
        const atn_choice *const c = &job.v[0].choice, *const b = &best.v[0].choice;
        const double mine = exact_seconds(c, q, m), least = exact_seconds(b, q, m);
        atn_algo_params_print(c->row, &c->params, chosen, sizeof chosen);
        atn_algo_params_print(b->row, &b->params, first, sizeof first);
        printf("%s,%d,%s,%lld,%.4f,%.3f,%.3f,\"%s\",\"%s\"\n", q->topo->origin, q->p,
               atn_sched_operation_get(q->op)->name, (long long)q->bytes, fmax(0, mine / least - 1),
               1e6 * mine, 1e6 * least, chosen, first);
    }
    fflush(stdout);
    atn_plan_ranking_free(&job);
    atn_plan_ranking_free(&best);
    return status;
}

typedef atn_status (*study)(const atn_problem *q, const atn_machine *m, atn_error *err);

static bool is_wanted(atn_operation op)
{
    const char *const only = getenv("OPERATION");
    return only == NULL || strcmp(only, atn_sched_operation_get(op)->name) == 0;
}

/* file NULL: the machine that plans assume for the topology. */
static atn_status open_machine(const char *file, const atn_topo *t, atn_machine **m, atn_error *err)
{
    if (file != NULL)
        return atn_model_machine_read(file, m, err);
    *m = atn_model_machine_assumed(t);
    return *m != NULL ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

static atn_status run_topology(const char *text, const char *file, study run, atn_error *err)
{
    atn_topo *t = NULL;
    atn_machine *m = NULL;
    atn_status status = atn_topo_parse_synthetic(text, &t, err);
    if (status == ATN_OK)
        status = open_machine(file, t, &m, err);
    for (int op = 0; op < ATN_OPERATIONS && status == ATN_OK; op++) {
        if (!atn_plan_shares_bytes((atn_operation)op) || !is_wanted((atn_operation)op))
            continue;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && status == ATN_OK; i++) {
            const atn_problem q = {.op = (atn_operation)op,
                                   .p = t->p,
                                   .segments = 1,
                                   .bytes = op == ATN_BARRIER ? 0 : sizes[i],
                                   .topo = t};
            status = run(&q, m, err);
            if (op == ATN_BARRIER)
                break;
        }
    }
    atn_model_machine_free(m);
    atn_topo_free(t);
    return status;
}

int main(int argc, char **argv)
{
    atn_error err = {0};
    atn_status status = ATN_OK;
    const bool loss = argc > 1 && strcmp(argv[1], "--loss") == 0;
    const study run = loss ? compare_plans : time_plan;
    argc -= loss;
    argv += loss;
    const char *const m = argc > 1 && strcmp(argv[1], "-") != 0 ? argv[1] : NULL;
    puts(loss ? "topology,ranks,operation,bytes,loss,us,best_us,choice,best"
              : "topology,ranks,operation,bytes,candidates,evaluated,steps,ms,mb,choice");
    for (size_t i = 0; argc <= 2 && i < sizeof topologies / sizeof *topologies && status == ATN_OK;
         i++)
        status = run_topology(topologies[i], m, run, &err);
    for (int i = 2; i < argc && status == ATN_OK; i++)
        status = run_topology(argv[i], m, run, &err);
    if (status != ATN_OK)
        fprintf(stderr, "planning: %s\n", err.text);
    return status != ATN_OK;
}
