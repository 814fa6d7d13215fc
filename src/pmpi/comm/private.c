/* private.c - see private.h. */
#include "pmpi/comm/private.h"

#include "pmpi/comm/agreement.h"
#include "pmpi/comm/fastpath.h"
#include "pmpi/comm/list.h"
#include "pmpi/job/reproducible.h"
#include "pmpi/own.h"

/* MPICH has about 2000 communicators; the program keeps most of them. */
#ifdef MPICH_VERSION
enum { MAX_PRIVATE = 256 };
#else
enum { MAX_PRIVATE = 4096 };
#endif

static _Atomic int reserved;

bool atn_comm_private_reserve(atn_comm *c)
{
    if (c->p == 1)
        return true;
    c->reserved = atomic_fetch_add(&reserved, 1) < MAX_PRIVATE;
    if (!c->reserved)
        atomic_fetch_sub(&reserved, 1);
    return c->reserved;
}

void atn_comm_private_release(atn_comm *c)
{
    atomic_fetch_sub(&reserved, c->reserved);
    c->reserved = false;
}

void atn_comm_private_free(atn_comm *c)
{
    if (c->private_comm != MPI_COMM_NULL)
        atn_pmpi_real.Comm_free(&c->private_comm);
    atn_comm_private_release(c);
}

static void report_failure(const atn_comm *c)
{
    const atn_job *const job = &atn_job_current;
    if (c->r == 0 &&
        (job->verbose > 0 ||
         atn_plan_setting_number(&job->settings, ATN_SET_TRANSPORT) == ATN_TRANSPORT_SHM))
        atn_interpose_print_line(
            "some host cannot share memory between its ranks, so a communicator "
            "of %d ranks stays native; ATTUNE_TRANSPORT=mpi avoids it",
            c->p);
}

/* Maps the memory that the ranks share.  Algorithms may have been chosen because the job's hosts
 * should share memory (placement.c); false: they do not. */
static bool share_memory(atn_comm *c)
{
    const atn_place_mpi mpi = atn_pmpi_own_place();
    atn_sharing sharing = ATN_SHARED_NONE;
    if (!atn_job_current.shared || c->p == 1)
        return true;
    c->shared =
        atn_exec_shared_open(&mpi, c->private_comm, true, atn_job_current.oversubscribed, &sharing);
    if (atn_job_current.machine != NULL)
        atn_exec_shared_set_direct(c->shared, atn_model_machine_direct(atn_job_current.machine));
    atn_exec_set_shared(c->exec, c->shared);
    const bool proven = sharing != ATN_SHARED_NONE || atn_job_current.sharing == ATN_SHARED_NONE;
    if (!proven)
        report_failure(c);
    return proven;
}

/* From now on the communicator is native. */
static void give_back(atn_comm *c)
{
    atn_job_not_reproducible(ATN_LOST_ROOM, c->user);
    atn_comm_calls_clear(c);
    atn_comm_private_free(c);
}

bool atn_comm_private_make(atn_comm *c)
{
    atn_agreed agreed;
    c->stage = ATN_COMM_NATIVE;
    /* A failure must not reach the program: the native routine can execute the call. */
    const bool made = atn_pmpi_own_comm(c->user, &c->private_comm);
    const atn_readiness own = made ? ATN_READY_ALL : ATN_READY_STATE;
    if (atn_comm_agree(c->user, own, 0, &agreed) != ATN_READY_ALL) {
        give_back(c);
        return false;
    }
    if (!share_memory(c)) {
        give_back(c);
        return false;
    }
    c->stage = ATN_COMM_SERVED;
    atn_comm_list_move_last(c);
    return true;
}
