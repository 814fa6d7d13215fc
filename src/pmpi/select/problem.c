/* problem.c - see problem.h. */
#include "pmpi/select/problem.h"

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
