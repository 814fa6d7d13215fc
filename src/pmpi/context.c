/* context.c - contexts: pushed and popped by name or by MPI_Pcontrol, or an info key of the
 * communicator.
 *
 * Ranks must push and pop alike around the calls of a communicator, as they must call collectives
 * in the same order; the stack is a thread's own, so threads with communicators of their own do
 * not disturb each other.  An info key may differ between ranks, so it is voted on. */
#define ATTUNE_INSIDE
#include "pmpi/context.h"

#include <dlfcn.h>
#include <string.h>

#include "attune/attune.h"
#include "pmpi/pcontrol.h"
#include "pmpi/tuned.h"

enum { DEPTH = 64 };

_Thread_local uint64_t atn_context;
static _Thread_local uint64_t below[DEPTH]; /* contexts that come back */
static _Thread_local int depth;             /* may exceed DEPTH: those are not told apart */

/* The path of names counts, and is never 0. */
static uint64_t inside(uint64_t outer, const void *name, size_t bytes)
{
    return atn_hash(name, bytes, outer + 1) | 1;
}

static void enter(uint64_t context)
{
    atn_context = context;
    atn_next_epoch();
}

static void push(const void *name, size_t bytes)
{
    if (depth < DEPTH) {
        below[depth] = atn_context;
        enter(inside(atn_context, name, bytes));
    }
    depth++;
}

void attune_context_push(const char *name) { push(name, strlen(name)); }

void attune_context_pop(void)
{
    if (depth > 0 && --depth < DEPTH)
        enter(below[depth]);
}

uint64_t atn_context_of(const atn_comm *c)
{
    return c->context == 0 ? atn_context : inside(atn_context, &c->context, sizeof c->context);
}

/* ---- MPI_Pcontrol ---- */

static void control(int level)
{
    int number;
    if (atn_read_level(level, &number) != ATN_SAYS_CONTEXT)
        return;
    if (number == 0)
        attune_context_pop();
    else
        push(&level, sizeof level);
}

/* A tool behind MPI_Pcontrol may call PMPI_Pcontrol, which is us again. */
static _Thread_local bool passing;

/* Whoever follows gets the level and the one word that tools take with it. */
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

/* Collective, on a communicator that is served: the key counts when all ranks name the same.  What
 * was named before is part of the vote on the communicator. */
static void agree(atn_comm *c)
{
    const int64_t mine = (int64_t)c->asked;
    int64_t ballot[] = {mine, ~mine};
    atn_real.Allreduce(MPI_IN_PLACE, ballot, 2, MPI_INT64_T, MPI_MIN, c->user);
    if (ballot[0] == ~ballot[1])
        atn_tuned_set_context(c, (uint64_t)ballot[0]);
}

/* Before a communicator is set up nobody knows whether all its processes would answer. */
void atn_context_hear(MPI_Comm comm, MPI_Info info)
{
    char name[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0;
    atn_comm *const c = atn_the_job.learns ? atn_comm_find(comm) : NULL;
    if (c == NULL)
        return;
    if (info != MPI_INFO_NULL)
        PMPI_Info_get(info, "attune_context", MPI_MAX_INFO_VAL, name, &found);
    c->asked = found ? inside(0, name, strlen(name)) : 0;
    if (c->driver != NULL && c->stage == ATN_STAGE_SERVED)
        agree(c);
}
