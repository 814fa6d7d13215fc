/* plans_exec.c - which plans an executor keeps: all of a program that goes round many kinds of
 * calls, and no more than at first of one that never repeats itself. */
#include <stdlib.h>

#include "exec/exec.h"
#include "harness.h"

/* Places of plans are found by addresses, so a few may meet in one place. */
enum { FIRST = 64, KINDS = 300, UNLUCKY = 20 };

static bool choose_ring(void *context, const atn_problem *q, atn_choice *choice_p)
{
    (void)context;
    *choice_p = (atn_choice){.row = atn_catalog_find(q->op, "ring")};
    atn_params_default(choice_p->row, &choice_p->params);
    return true;
}

/* The plan for so many integers. */
static const atn_plan *plan_of(atn_exec *x, int count)
{
    static char from, to;
    const atn_user data = {.buf = &from, .count = count, .type = MPI_INT};
    atn_call call = {.op = ATN_ALLREDUCE, .src = data, .dst = data, .root = -1, .mpi_op = MPI_SUM};
    int code;
    call.dst.buf = &to;
    return atn_exec_plan(x, &call, &code);
}

/* Calls whose plan was not the one of the round before. */
static int go_round(atn_exec *x, const atn_plan *before[KINDS + 1], int kinds)
{
    int changed = 0;
    for (int i = 1; i <= kinds; i++) {
        const atn_plan *plan = plan_of(x, 3 * i);
        t_check(plan != NULL, "there is a plan for kind %d", i);
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
    t_check(changed <= kinds / UNLUCKY, "%d plans of %d kinds were made again", changed, kinds);
    atn_exec_free(x);
}

static void endless(void)
{
    enum { CALLS = 2000 };
    atn_exec *x = atn_exec_new(t_ranks, t_rank, false, choose_ring, NULL);
    t_point("ever new calls get no more room");
    for (int i = 1; i <= CALLS; i++)
        plan_of(x, i);
    t_check(atn_exec_evictions(x) >= CALLS - FIRST, "%u plans made room", atn_exec_evictions(x));
    atn_exec_free(x);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(50);
    rounds("a few kinds", 8);
    rounds("a hundred kinds", 100);
    rounds("three hundred kinds", KINDS);
    endless();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
