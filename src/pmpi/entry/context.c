/* context.c - contexts are pushed and popped by name or by MPI_Pcontrol, or set by an info key of a
 * communicator (include/attune/attune.h). */
#include "pmpi/entry/context.h"

#include <dlfcn.h>
#include <string.h>

#define ATTUNE_INSIDE
#include "attune/attune.h"
#include "interpose/pcontrol.h"
#include "pmpi/comm/fastpath.h"
#include "pmpi/select/online.h"

void attune_context_push(const char *name) { atn_comm_context_push(name, strlen(name)); }

void attune_context_pop(void) { atn_comm_context_pop(); }

/* ---- MPI_Pcontrol ---- */

static void control(int level)
{
    int number;
    if (atn_interpose_pcontrol_read(level, &number) != ATN_PCONTROL_CONTEXT)
        return;
    if (number == 0)
        atn_comm_context_pop();
    else
        atn_comm_context_push(&level, sizeof level);
}

/* A tool behind MPI_Pcontrol may call PMPI_Pcontrol, which enters here again. */
static _Thread_local bool passing;

/* The next library in link order gets the level and the one further argument that tools take. */
static int pass_on(const char *name, int level, void *word)
{
    int (*next)(const int, ...);
    const bool outer = !passing;
    if (outer)
        control(level);
    *(void **)&next = dlsym(RTLD_NEXT, name);
    passing = true;
    const int code = next != NULL ? next(level, word) : MPI_SUCCESS;
    passing = !outer;
    return code;
}

ATN_PCONTROL(MPI_Pcontrol, return pass_on("MPI_Pcontrol", level, word);)
ATN_PCONTROL(PMPI_Pcontrol, return pass_on("PMPI_Pcontrol", level, word);)

/* ---- info key ---- */

/* Collective, on a served communicator: the key applies if all ranks set the same value.  A value
 * set before is part of the agreement on the communicator. */
static void agree(atn_comm *c)
{
    const int64_t own = (int64_t)c->requested_context;
    int64_t ballot[] = {own, ~own};
    atn_pmpi_real.Allreduce(MPI_IN_PLACE, ballot, 2, MPI_INT64_T, MPI_MIN, c->user);
    if (ballot[0] == ~ballot[1])
        atn_select_online_set_context(c, (uint64_t)ballot[0]);
}

/* Before set-up it is unknown whether all processes of the communicator would take part. */
void atn_entry_context_info(MPI_Comm comm, MPI_Info info)
{
    char name[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0;
    atn_comm *const c = atn_job_current.online ? atn_comm_find(comm) : NULL;
    if (c == NULL)
        return;
    if (info != MPI_INFO_NULL)
        PMPI_Info_get(info, "attune_context", MPI_MAX_INFO_VAL, name, &found);
    c->requested_context = found ? atn_comm_context_within(0, name, strlen(name)) : 0;
    if (c->driver != NULL && c->stage == ATN_COMM_SERVED)
        agree(c);
}
