/* problem.c - see problem.h. */
#include "pmpi/select/problem.h"

#include <string.h>

atn_problem atn_select_problem_shared(const atn_problem *q)
{
    atn_problem shared = *q;
    shared.r = 0;
    shared.in_place = false;
    return shared;
}

bool atn_select_call_is_inexact(const atn_call *call)
{
    return (atn_sched_operation_get(call->op)->flags & ATN_TYPED) != 0 &&
           !atn_exec_op_is_exact(call->mpi_op, call->src.type);
}

bool atn_select_choice_applies(const atn_choice *choice, const atn_problem *shared)
{
    return choice->row->algo->build == NULL || atn_plan_choice_refuses(choice, shared) == NULL;
}

void atn_select_choice_print(const atn_choice *choice, char out[ATN_NAME_ROOM])
{
    char name[ATN_NAME_ROOM];
    atn_algo_params_print(choice->row, &choice->params, name, sizeof name);
    snprintf(out, ATN_NAME_ROOM, "%s", strchr(name, '/') + 1);
}
