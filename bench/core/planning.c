/* planning.c - planning time of every operation and size, with block and cyclic mapping.
 *
 *   planning [MACHINE|- [TOPOLOGY ...]]
 *
 * Prints CSV: for each problem the median time of several plans with the budget of a job. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plan/planner.h"
#include "topo/topo.h"

enum { REPEATS = 5 };
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

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static atn_status time_plan(const atn_problem *q, const atn_machine *m, atn_error *err)
{
    double ms[REPEATS];
    atn_ranking r = {.n = 0};
    char name[ATN_NAME_ROOM] = "native";
    for (int i = 0; i < REPEATS; i++) {
        atn_plan_ranking_free(&r);
        const double start = now_ms();
        const atn_status status = atn_plan_planner_rank(q, m, NULL, atn_plan_budget(q->p), &r, err);
        if (status != ATN_OK)
            return status;
        ms[i] = now_ms() - start;
    }
    qsort(ms, REPEATS, sizeof *ms, ascending);
    if (r.n > 0)
        atn_algo_params_print(r.v[0].choice.row, &r.v[0].choice.params, name, sizeof name);
    printf("%s,%d,%s,%lld,%d,%d,%lld,%.3f,\"%s\"\n", q->topo->origin, q->p,
           atn_sched_operation_get(q->op)->name, (long long)q->bytes, r.n, r.evaluated,
           (long long)r.steps, ms[REPEATS / 2], name);
    atn_plan_ranking_free(&r);
    return ATN_OK;
}

static atn_status time_topology(const char *text, const atn_machine *m, atn_error *err)
{
    atn_topo *t = NULL;
    atn_status status = atn_topo_parse_synthetic(text, &t, err);
    for (int op = 0; op < ATN_OPERATIONS && status == ATN_OK; op++) {
        if (!atn_plan_shares_bytes((atn_operation)op))
            continue;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && status == ATN_OK; i++) {
            const atn_problem q = {.op = (atn_operation)op,
                                   .p = t->p,
                                   .segments = 1,
                                   .bytes = op == ATN_BARRIER ? 0 : sizes[i],
                                   .topo = t};
            status = time_plan(&q, m, err);
            if (op == ATN_BARRIER)
                break;
        }
    }
    atn_topo_free(t);
    return status;
}

int main(int argc, char **argv)
{
    atn_machine *m = NULL;
    atn_error err = {0};
    atn_status status = ATN_OK;
    if (argc > 1 && strcmp(argv[1], "-") != 0)
        status = atn_model_machine_read(argv[1], &m, &err);
    else
        m = atn_model_machine_builtin();
    puts("topology,ranks,operation,bytes,candidates,evaluated,steps,ms,choice");
    for (size_t i = 0; argc <= 2 && i < sizeof topologies / sizeof *topologies && status == ATN_OK;
         i++)
        status = time_topology(topologies[i], m, &err);
    for (int i = 2; i < argc && status == ATN_OK; i++)
        status = time_topology(argv[i], m, &err);
    atn_model_machine_free(m);
    if (status != ATN_OK)
        fprintf(stderr, "planning: %s\n", err.text);
    return status != ATN_OK;
}
