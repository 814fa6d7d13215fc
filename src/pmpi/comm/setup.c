/* setup.c - see setup.h.
 *
 * The stage is NATIVE during set-up, so that an MPI library which implements one routine by others
 * through their public names does not reach an incomplete state. */
#include "pmpi/comm/setup.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "pmpi/comm/agreement.h"
#include "pmpi/comm/group.h"
#include "pmpi/comm/neighbours.h"
#include "pmpi/comm/private.h"
#include "pmpi/job/reproducible.h"

/* A communicator without symmetric operations is set up after this many times the first calls. */
enum { PATIENCE = 4 };

/* Communicators that were set up when they were made, and those of them on which a nonblocking call
 * was started. */
static _Atomic int made, used;

static bool have_calls(atn_comm *c)
{
    atn_cached_call *const own = calloc(ATN_CALL_CACHE, sizeof *own);
    if (own != NULL)
        c->cached = own;
    return own != NULL;
}

/* All memory is allocated before the agreement. */
static atn_readiness prepare(atn_comm *c)
{
    c->stage = ATN_COMM_NATIVE;
    if (c->exec == NULL)
        c->exec = atn_exec_new(c->p, c->r, atn_job_current.yield, atn_comm_hooked->choose, c);
    if (c->exec != NULL) {
        atn_exec_set_reproducible(c->exec, atn_job_current.reproducible);
        atn_exec_set_sharing(c->exec, atn_job_current.sharing);
    }
    const bool ready = atn_comm_private_reserve(c) && c->exec != NULL && have_calls(c) &&
                       atn_comm_place(c) && atn_comm_hooked->attach(c);
    return ready ? ATN_READY_ALL : ATN_READY_STATE;
}

/* Communicators that are not served may be many, so they keep nothing.  Observers use the executor.
 */
static void release(atn_comm *c)
{
    atn_comm_private_release(c);
    atn_comm_hooked->detach(c);
    atn_comm_state_empty(c);
    if (c->exec != NULL)
        atn_exec_set_topo(c->exec, NULL);
    if (atn_job_current.observed)
        return;
    atn_exec_free(c->exec);
    c->exec = NULL;
}

static void give_up(atn_comm *c)
{
    atn_job_not_reproducible(ATN_LOST_ROOM, c->user);
    release(c);
}

static void postpone(atn_comm *c)
{
    release(c);
    c->stage = ATN_COMM_COUNTING;
}

/* Applies the agreement; `same`: the ranks request the same context. */
static void conclude(atn_comm *c, atn_readiness all, bool same)
{
    if (all == ATN_READY_ALL && same && c->driver != NULL)
        atn_comm_hooked->set_context(c, c->requested_context);
    if (all == ATN_READY_ALL)
        c->stage = ATN_COMM_SERVED;
    else
        give_up(c);
    if (c->stage == ATN_COMM_SERVED && atn_job_current.nonblocking)
        atn_comm_private_ready(c); /* a start cannot make it */
    if (atn_job_current.verbose > 0 && c->r == 0)
        atn_interpose_print_line("communicator of %d ranks: %s", c->p,
                                 c->stage == ATN_COMM_SERVED ? "served"
                                                             : "native, some rank has no room");
}

/* A process of another job would not take part in the agreement, so this is decided locally first.
 */
static void set_up(atn_comm *c, bool wanted)
{
    atn_agreed agreed = {.same = true};
    c->stage = ATN_COMM_NATIVE;
    if (!atn_comm_within_world(c)) {
        c->foreign = true;
        atn_job_not_reproducible(ATN_LOST_OUTSIDE, c->user);
        return;
    }
    const atn_readiness own = wanted ? prepare(c) : ATN_READY_LATER;
    const atn_readiness all =
        c->p == 1 ? own : atn_comm_agree(c->user, own, c->requested_context, &agreed);
    if (all == ATN_READY_LATER)
        postpone(c);
    else
        conclude(c, all, agreed.same);
}

/* With what starts of nonblocking calls cannot make. */
static void set_up_for_starts(atn_comm *c, bool wanted)
{
    atn_comm_beat_begin(c, ATN_BARRIER, -1);
    set_up(c, wanted);
    if (c->stage == ATN_COMM_SERVED)
        atn_comm_neighbours_ready(c, ATN_NEIGHBOR_ALLGATHER);
    atn_comm_beat_end(c);
}

void atn_comm_set_up_now(atn_comm *c)
{
    if (c->stage == ATN_COMM_COUNTING)
        set_up_for_starts(c, true);
}

/* A set-up takes about as long as the routine that makes a communicator, without use if the program
 * starts nothing there. */
static bool is_worthwhile(void)
{
    enum { WITHOUT_USE = 8 };
    const atn_job *const job = &atn_job_current;
    const int64_t how = atn_plan_setting_number(&job->settings, ATN_SET_NONBLOCKING);
    return how == ATN_NONBLOCKING_ON || job->forced != 0 ||
           atomic_load(&made) < WITHOUT_USE + 2 * atomic_load(&used);
}

void atn_comm_set_up_made(atn_comm *c)
{
    if (c->stage != ATN_COMM_COUNTING || c->p == 1)
        return;
    set_up_for_starts(c, is_worthwhile());
    c->unused = c->stage == ATN_COMM_SERVED;
    atomic_fetch_add(&made, c->unused);
}

void atn_comm_used(atn_comm *c)
{
    atomic_fetch_add(&used, c->unused);
    c->unused = false;
}

/* Set-up synchronises, so it waits for an operation that does so anyway. */
static bool is_due(const atn_comm *c, atn_operation op)
{
    const uint64_t first = (uint64_t)atn_job_current.first;
    const bool rooted = (atn_sched_operation_get(op)->flags & ATN_ROOTED) != 0;
    const bool symmetric = !rooted && op != ATN_SCAN && op != ATN_EXSCAN;
    return atn_job_current.check || (atn_job_current.forced & 1u << op) != 0 ||
           atn_comm_hooked->is_urgent(c, op) || (c->calls > first && symmetric) ||
           c->calls > first * PATIENCE;
}

atn_comm *atn_comm_enter_unserved(atn_comm *c, atn_operation op)
{
    if (c->stage == ATN_COMM_COUNTING && is_due(c, op)) {
        atn_comm_beat_begin(c, op, -1);
        set_up(c, true);
        atn_comm_beat_end(c);
    }
    if (c->stage == ATN_COMM_COUNTING)
        c->before |= 1u << op;
    return c->stage == ATN_COMM_SERVED || atn_job_current.observed ? c : NULL;
}

/* One agreement on MPI_COMM_WORLD covers whether there are states at all and its own. */
bool atn_comms_start(const atn_comm_hooks *hooks)
{
    atn_agreed agreed;
    const bool open = atn_comms_open(hooks);
    atn_comm *const world = open ? atn_comm_adopt(MPI_COMM_WORLD) : NULL;
    const atn_readiness own = world != NULL ? prepare(world) : ATN_READY_NOTHING;
    const atn_readiness all = atn_comm_agree(MPI_COMM_WORLD, own, 0, &agreed);
    atn_job_current.nonblocking = agreed.nonblocking;
    if (all != ATN_READY_NOTHING)
        conclude(world, all, agreed.same);
    else if (open)
        atn_comms_stop();
    return all != ATN_READY_NOTHING;
}
