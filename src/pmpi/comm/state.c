/* state.c - states of communicators: found by attribute, freed with the user's communicator or at
 * MPI_Finalize. */
#include "pmpi/comm/state.h"

#include <stdlib.h>

#include "exec/execution.h"
#include "pmpi/comm/fastpath.h"
#include "pmpi/comm/list.h"
#include "pmpi/comm/private.h"
#include "pmpi/comm/trees.h"
#include "pmpi/job/reproducible.h"

const atn_comm_hooks *atn_comm_hooked;

static int keyval = MPI_KEYVAL_INVALID;
static char intercomm; /* attribute of intercommunicators, which are native from the start */
/* Being freed by this thread: must not get a new state. */
static _Thread_local MPI_Comm dying = MPI_COMM_NULL;

int atn_comm_raise(const atn_comm *c, int code)
{
    if (code != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(c->user, code);
    return code;
}

/* ---- end ---- */

/* A communicator is gone: its handle may be reused. */
static void next_generation(void)
{
    atomic_fetch_add(&atn_comm_generation, 1);
    atn_pmpi_next_epoch();
}

static void free_comms(atn_comm *c)
{
    if (c->self != MPI_COMM_NULL)
        atn_pmpi_real.Comm_free(&c->self);
    atn_comm_private_free(c);
}

/* Open calls are completed first: a collective may wait for all ranks. */
static void retire(atn_comm *c)
{
    if (c->exec != NULL)
        atn_exec_drain(c->exec);
    atn_comm_last_calls_flush();
    atn_comm_hooked->detach(c);
    atn_comm_list_remove(c);
    c->user = MPI_COMM_NULL;
    if (atomic_load(&c->holders) == 1)
        free_comms(c);
}

void atn_comm_state_empty(atn_comm *c)
{
    atn_exec_shared_close(c->shared);
    atn_comm_tree_give(c->topo);
    atn_comm_tree_give(c->first_topo);
    atn_comm_hooked->release(c);
    if (c->cached != atn_comm_no_calls)
        free(c->cached);
    c->shared = NULL;
    c->topo = c->first_topo = NULL;
    c->cached = atn_comm_no_calls;
}

void atn_comm_hold(atn_comm *c) { atomic_fetch_add(&c->holders, 1); }

void atn_comm_release(atn_comm *c)
{
    if (atomic_fetch_sub(&c->holders, 1) > 1)
        return;
    free_comms(c);
    atn_exec_free(c->exec);
    atn_comm_state_empty(c);
    free(c);
}

/* Runs when the attribute is deleted: usually from `drop`, after which no MPI call remains. */
static int attribute_deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    next_generation();
    if (value == &intercomm)
        return MPI_SUCCESS;
    atn_comm *const c = value;
    if (c->user != MPI_COMM_NULL)
        retire(c);
    atn_comm_release(c);
    return MPI_SUCCESS;
}

static void drop(atn_comm *c)
{
    const MPI_Comm user = c->user;
    retire(c);
    PMPI_Comm_delete_attr(user, keyval);
}

MPI_Comm atn_comm_free_begin(MPI_Comm comm)
{
    const MPI_Comm before = dying;
    atn_comm *const c = atn_comm_list_find(comm);
    dying = comm;
    if (c != NULL)
        drop(c);
    next_generation();
    return before;
}

void atn_comm_free_end(MPI_Comm before) { dying = before; }

/* ---- beginning ---- */

static bool attach(MPI_Comm comm, void *value)
{
    return PMPI_Comm_set_attr(comm, keyval, value) == MPI_SUCCESS;
}

static atn_comm *new_state(MPI_Comm comm)
{
    atn_comm *const c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->user = comm;
    atomic_init(&c->holders, 1);
    c->private_comm = c->self = MPI_COMM_NULL;
    c->wake = UINT64_MAX;
    c->cached = atn_comm_no_calls;
    PMPI_Comm_size(comm, &c->p);
    PMPI_Comm_rank(comm, &c->r);
    if (atn_job_current.observed)
        c->exec = atn_exec_new(c->p, c->r, atn_job_current.yield, atn_comm_hooked->choose, c);
    return c;
}

atn_comm *atn_comm_adopt(MPI_Comm comm)
{
    atn_comm *const c = new_state(comm);
    if (c == NULL || !attach(comm, c)) {
        if (c != NULL)
            atn_exec_free(c->exec);
        free(c);
        return NULL;
    }
    atn_comm_list_append(c);
    return c;
}

static atn_comm *admit(MPI_Comm comm)
{
    int inter;
    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return NULL;
    if (inter) {
        atn_job_not_reproducible(ATN_LOST_INTER, comm);
        attach(comm, &intercomm);
        return NULL;
    }
    atn_comm *const c = atn_comm_adopt(comm);
    if (c == NULL)
        PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
    return c;
}

atn_comm *atn_comm_lookup(MPI_Comm comm, atn_cached_comm *slot)
{
    void *value;
    int found;
    if (comm == MPI_COMM_NULL || comm == dying)
        return NULL;
    const uint64_t now = atomic_load(&atn_comm_generation);
    if (PMPI_Comm_get_attr(comm, keyval, &value, &found) != MPI_SUCCESS)
        return NULL;
    atn_comm *c = found ? (value == &intercomm ? NULL : value) : admit(comm);
    if (c != NULL && c->stage == ATN_COMM_NATIVE && !atn_job_current.observed)
        c = NULL;
    *slot = (atn_cached_comm){.comm = comm, .generation = now, .state = c};
    return c;
}

bool atn_comms_open(const atn_comm_hooks *hooks)
{
    atn_comm_hooked = hooks;
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, attribute_deleted, &keyval, NULL) ==
           MPI_SUCCESS;
}

void atn_comms_stop(void)
{
    while (atn_comm_list_first() != NULL)
        drop(atn_comm_list_first());
    atn_exec_end(atn_pmpi_real.Comm_free);
    PMPI_Comm_free_keyval(&keyval);
}
