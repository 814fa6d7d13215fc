/* refusal.c - see refusal.h.
 *
 * The decision is repeated here, step by step, so that calls which are served pay nothing. */
#include "pmpi/nonblocking/refusal.h"

#include "exec/execution.h"
#include "pmpi/comm/neighbours.h"

enum { ROOM = 300 };

static const char *of_comm(const atn_comm *c)
{
    if (c->stage == ATN_COMM_COUNTING)
        return "the communicator is not set up, for which a start cannot wait";
    if (c->stage == ATN_COMM_NATIVE && c->foreign)
        return "the communicator contains processes of other jobs";
    return "the communicator has no private communicator";
}

static const char *of_choice(const atn_comm *c, const atn_choice *choice, char room[ROOM])
{
    if (atn_exec_can_start(c->exec, choice))
        return "an earlier call was native, and reductions that round keep their order; see "
               "ATTUNE_FP";
    if ((choice->row->algo->needs & ATN_NEEDS_SIZES) == 0)
        return "the MPI library has too few tags";
    snprintf(room, ROOM,
             "%s exchanges sizes first, for which a start cannot wait; choose an algorithm "
             "without `sizes first` in `attune algo list`",
             choice->row->name);
    return room;
}

/* NULL: no rule chooses an algorithm. */
static const char *of_rules(const atn_comm *c, const atn_problem *q, char room[ROOM])
{
    const atn_rules *const rules = atn_job_current.rules;
    atn_choice choice = {0};
    atn_reason reason;
    atn_plan_rules_choose(rules, q, c->started, &choice, &reason);
    if (reason.rule < 0 && reason.refused >= 0) {
        snprintf(room, ROOM, "%s cannot serve it: %s",
                 atn_plan_rules_at(rules, reason.refused)->use.row->name, reason.why);
        return room;
    }
    atn_exec_keep_canonical(q, &choice);
    const bool chosen = choice.row != NULL && choice.row->algo->build != NULL;
    return reason.rule >= 0 && chosen ? of_choice(c, &choice, room) : NULL;
}

static const char *of_call(const atn_comm *c, const atn_call *call, char room[ROOM])
{
    atn_problem q;
    if (atn_sched_on_neighbours(call->op) && !atn_comm_neighbours_known(c, call->op))
        return "the virtual topology is not known";
    if (atn_exec_call_aliased(call))
        return "the same buffer is sent and received";
    if (!atn_exec_call_problem(c->exec, call, &q))
        return "its datatype or operator is not supported";
    return of_rules(c, &q, room);
}

static bool is_first(atn_operation op)
{
    static _Atomic uint32_t reported;
    return (atomic_fetch_or(&reported, 1u << op) & 1u << op) == 0;
}

void atn_nonblocking_refused(atn_comm *c, atn_operation op, const atn_call *call)
{
    const atn_job *const job = &atn_job_current;
    char room[ROOM];
    if (job->verbose == 0 || c->r != 0 || (atn_plan_rules_operations(job->rules) & 1u << op) == 0)
        return;
    const char *const why = call != NULL ? of_call(c, call, room) : of_comm(c);
    if (why != NULL && is_first(op))
        atn_interpose_print_line("nonblocking %s on %d ranks is native: %s",
                                 atn_sched_operation_get(op)->name, c->p, why);
}
