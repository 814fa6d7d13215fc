/* plans_exec.c - the plan cache of an executor: it grows to hold all plans of a program that cycles
 * through many different calls, and does not grow for a program that never repeats a call; the
 * memory of all plans is bounded. */
#include <stdlib.h>

#include "exec/exec.h"
#include "harness.h"

/* Slots are hashes of addresses, so a few plans may share one. */
enum { FIRST = 64, KINDS = 300, UNLUCKY = 20 };

static bool choose_ring(void *context, const atn_problem *q, atn_choice *choice_p)
{
    (void)context;
    *choice_p = (atn_choice){.row = atn_algo_catalog_find(q->op, "ring")};
    atn_algo_params_default(choice_p->row, &choice_p->params);
    return true;
}

/* Schedules with hundreds of operations. */
static bool choose_segments(void *context, const atn_problem *q, atn_choice *choice_p)
{
    atn_error err;
    choose_ring(context, q, choice_p);
    return atn_algo_params_parse(choice_p->row, "segment=256", &choice_p->params, &err) == ATN_OK;
}

/* The plan for a call of n integers. */
static const atn_plan *plan_of(atn_exec *x, int count)
{
    static char from, to;
    const atn_user data = {.buf = &from, .count = count, .type = MPI_INT};
    atn_call call = {.op = ATN_ALLREDUCE, .src = data, .dst = data, .root = -1, .mpi_op = MPI_SUM};
    int code;
    call.dst.buf = &to;
    return atn_exec_plan(x, &call, &code);
}

/* Number of calls whose plan is not that of the previous round. */
static int go_round(atn_exec *x, const atn_plan *before[], int kinds)
{
    int changed = 0;
    for (int i = 1; i <= kinds; i++) {
        const atn_plan *plan = plan_of(x, 3 * i);
        t_check(plan != NULL, "there is no plan for call %d", i);
        changed += plan != before[i];
        before[i] = plan;
    }
    return changed;
}

static void rounds(const char *name, int kinds)
{
    static const atn_plan *before[KINDS + 1];
    atn_exec *x = atn_exec_new(t_ranks, t_rank, false, choose_ring, NULL);
    t_point(name);
    for (int i = 0; i < 10; i++)
        go_round(x, before, kinds);
    const int changed = go_round(x, before, kinds);
    t_check(changed <= kinds / UNLUCKY, "%d plans of %d calls were built again", changed, kinds);
    atn_exec_free(x);
}

static void endless(void)
{
    enum { CALLS = 2000 };
    atn_exec *x = atn_exec_new(t_ranks, t_rank, false, choose_ring, NULL);
    t_point("calls that never repeat do not grow the plan cache");
    for (int i = 1; i <= CALLS; i++)
        plan_of(x, i);
    t_check(atn_exec_evictions(x) >= CALLS - FIRST, "%u plans were evicted", atn_exec_evictions(x));
    atn_exec_free(x);
}

enum { MOST = 16 << 20 }; /* bytes of all plans of a process */

/* Three rounds of calls, so that all plans are wanted again. */
static void limited(void)
{
    enum { CALLS = 1500 };
    static const atn_plan *before[CALLS + 1];
    atn_exec *x = atn_exec_new(t_ranks, t_rank, false, choose_segments, NULL);
    t_point("the plan cache does not grow without limit");
    for (int i = 0; i < 3; i++)
        go_round(x, before, CALLS);
    t_check(atn_exec_plans_bytes() > MOST / 2, "%ld bytes", (long)atn_exec_plans_bytes());
    t_check(atn_exec_plans_bytes() < MOST + MOST / 8, "%ld bytes", (long)atn_exec_plans_bytes());
    atn_exec_free(x);
    t_check(atn_exec_plans_bytes() == 0, "%ld bytes after the end", (long)atn_exec_plans_bytes());
}

/* Each set of the cache of another executor has one plan then. */
static void spread(void)
{
    enum { EXECUTORS = 4000, SETS = 16, CALLS = 64 };
    static atn_exec *x[EXECUTORS];
    static const atn_plan *before[CALLS + 1];
    int n = 0;
    t_point("many communicators have few plans each");
    for (; n < EXECUTORS && atn_exec_plans_bytes() <= MOST; n++) {
        x[n] = atn_exec_new(t_ranks, t_rank, false, choose_segments, NULL);
        go_round(x[n], before, CALLS);
    }
    t_check(n < EXECUTORS, "%ld bytes", (long)atn_exec_plans_bytes());
    atn_exec *const last = atn_exec_new(t_ranks, t_rank, false, choose_segments, NULL);
    go_round(last, before, CALLS);
    t_check(atn_exec_evictions(last) >= CALLS - SETS, "%u of %d plans were evicted",
            atn_exec_evictions(last), CALLS);
    atn_exec_free(last);
    while (n > 0)
        atn_exec_free(x[--n]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(50);
    rounds("plans of a few different calls are kept", 8);
    rounds("plans of a hundred different calls are kept", 100);
    rounds("plans of three hundred different calls are kept", KINDS);
    endless();
    limited();
    spread();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
