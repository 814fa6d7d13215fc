/* comm.c - the states of communicators: found by attribute, set up by vote, freed with the user's
 * communicator or at MPI_Finalize.
 *
 * While a state is being set up its stage is NATIVE, so that an MPI library which builds one
 * routine from others through their public names cannot come back to an unfinished state. */
#include "pmpi/comm.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "pmpi/foresight.h"
#include "pmpi/tuned.h"
#include "pmpi/wise.h"
#include "topo/topo.h"

/* MPICH has about 2000 communicators; programs keep most of them. */
#ifdef MPICH_VERSION
enum { MAX_WIRES = 256 };
#else
enum { MAX_WIRES = 4096 };
#endif
/* A communicator without symmetric operations is set up after this many times the first calls. */
enum { PATIENCE = 4 };

_Thread_local atn_cached atn_cache[1 << ATN_CACHE_BITS];
_Atomic uint64_t atn_generation = 1;
atn_short atn_shorts[ATN_OPERATIONS];
uint32_t atn_lending;
_Thread_local atn_short atn_thread_shorts[ATN_OPERATIONS];
_Atomic unsigned atn_freed = 1;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* list, wires; never held in MPI */
static atn_comm *head, *tail;
static int wires;
static int keyval = MPI_KEYVAL_INVALID;
static char foreign; /* attribute of communicators that are native from the start */
/* Being freed by this thread: must not get a new state. */
static _Thread_local MPI_Comm dying = MPI_COMM_NULL;

/* ---- the list ---- */

static void link_last(atn_comm *c)
{
    c->prev = tail;
    c->next = NULL;
    *(tail != NULL ? &tail->next : &head) = c;
    tail = c;
}

static void unlink_it(atn_comm *c)
{
    *(c->prev != NULL ? &c->prev->next : &head) = c->next;
    *(c->next != NULL ? &c->next->prev : &tail) = c->prev;
}

void atn_comms_visit(void (*visit)(atn_comm *c))
{
    pthread_mutex_lock(&lock);
    for (atn_comm *c = head; c != NULL; c = c->next)
        visit(c);
    pthread_mutex_unlock(&lock);
}

/* ---- room for private communicators ---- */

static bool reserve(atn_comm *c)
{
    if (c->p == 1)
        return true;
    pthread_mutex_lock(&lock);
    c->reserved = wires < MAX_WIRES;
    wires += c->reserved;
    pthread_mutex_unlock(&lock);
    return c->reserved;
}

static void release(atn_comm *c)
{
    pthread_mutex_lock(&lock);
    wires -= c->reserved;
    pthread_mutex_unlock(&lock);
    c->reserved = false;
}

/* ---- end ---- */

static void free_wire(atn_comm *c)
{
    if (c->wire != MPI_COMM_NULL)
        atn_real.Comm_free(&c->wire);
    release(c);
}

/* A communicator is gone, and with it what its handle meant. */
static void next_generation(void)
{
    atomic_fetch_add(&atn_generation, 1);
    atn_next_epoch();
}

void atn_comm_forget(atn_comm *c)
{
    memset(c->known, 0, sizeof c->known);
    atn_next_epoch();
}

static void retire(atn_comm *c)
{
    atn_shorts_settle();
    atn_planned_stop(c);
    pthread_mutex_lock(&lock);
    unlink_it(c);
    pthread_mutex_unlock(&lock);
    c->user = MPI_COMM_NULL;
    atn_tuned_facts(c);
    atn_tuned_stop(c);
    free_wire(c);
}

/* Runs when the attribute goes: usually from `drop`, which has left nothing to do for MPI. */
static int attribute_deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    next_generation();
    if (value == &foreign)
        return MPI_SUCCESS;
    atn_comm *const c = value;
    if (c->user != MPI_COMM_NULL)
        retire(c);
    atn_exec_free(c->exec);
    atn_topo_free(c->topo);
    atn_planned_free(c->planned);
    atn_foresight_free(c->foreseeing);
    free(c);
    return MPI_SUCCESS;
}

static void drop(atn_comm *c)
{
    const MPI_Comm user = c->user;
    retire(c);
    PMPI_Comm_delete_attr(user, keyval);
}

static atn_comm *find(MPI_Comm comm)
{
    pthread_mutex_lock(&lock);
    atn_comm *c = head;
    while (c != NULL && c->user != comm)
        c = c->next;
    pthread_mutex_unlock(&lock);
    return c;
}

MPI_Comm atn_comm_dying(MPI_Comm comm)
{
    const MPI_Comm before = dying;
    atn_comm *const c = find(comm);
    dying = comm;
    if (c != NULL)
        drop(c);
    next_generation();
    return before;
}

void atn_comm_dead(MPI_Comm before) { dying = before; }

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
    c->wire = MPI_COMM_NULL;
    c->wake = UINT64_MAX;
    PMPI_Comm_size(comm, &c->p);
    PMPI_Comm_rank(comm, &c->r);
    if (atn_the_job.observed)
        c->exec = atn_exec_new(c->p, c->r, atn_the_job.yield, atn_choose, c);
    return c;
}

/* NULL: no memory. */
static atn_comm *adopt(MPI_Comm comm)
{
    atn_comm *const c = new_state(comm);
    if (c == NULL || !attach(comm, c)) {
        if (c != NULL)
            atn_exec_free(c->exec);
        free(c);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    link_last(c);
    pthread_mutex_unlock(&lock);
    return c;
}

static atn_comm *admit(MPI_Comm comm)
{
    int inter;
    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return NULL;
    if (inter) {
        atn_irreproducible(ATN_LOST_INTER, comm);
        attach(comm, &foreign);
        return NULL;
    }
    atn_comm *const c = adopt(comm);
    if (c == NULL)
        PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
    return c;
}

atn_comm *atn_comm_look(MPI_Comm comm, atn_cached *slot)
{
    void *value;
    int found;
    if (comm == MPI_COMM_NULL || comm == dying)
        return NULL;
    const uint64_t now = atomic_load(&atn_generation);
    if (PMPI_Comm_get_attr(comm, keyval, &value, &found) != MPI_SUCCESS)
        return NULL;
    atn_comm *c = found ? (value == &foreign ? NULL : value) : admit(comm);
    if (c != NULL && c->stage == ATN_STAGE_NATIVE && !atn_the_job.observed)
        c = NULL;
    *slot = (atn_cached){.comm = comm, .generation = now, .state = c};
    return c;
}

/* ---- set-up ---- */

/* A process that is not in this MPI_COMM_WORLD may not run Attune at all.  Translated in portions:
 * a lack of memory, which other ranks would not share, must not decide. */
static bool group_within(MPI_Group group, int p, MPI_Group world)
{
    enum { PORTION = 64 };
    int inner[PORTION], outer[PORTION];
    for (int at = 0; at < p; at += PORTION) {
        const int n = atn_min(PORTION, p - at);
        for (int i = 0; i < n; i++)
            inner[i] = at + i;
        PMPI_Group_translate_ranks(group, n, inner, world, outer);
        for (int i = 0; i < n; i++)
            if (outer[i] == MPI_UNDEFINED)
                return false;
    }
    return true;
}

static bool within_world(const atn_comm *c)
{
    MPI_Group world, group;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Comm_group(c->user, &group);
    const bool within = group_within(group, c->p, world);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    return within;
}

/* What a rank has for a communicator; the least of all ranks counts. */
typedef enum { NOTHING, STATE, ROOM } means;

/* The minimum over the ranks: the means of all, and whether they ask for one context. */
static means vote(MPI_Comm comm, means own, uint64_t asked, bool *same_p)
{
    const int64_t hash = (int64_t)atn_the_job.hash, name = (int64_t)asked;
    int64_t ballot[] = {own, hash, ~hash, name, ~name};
    const int code = atn_real.Allreduce(MPI_IN_PLACE, ballot, 5, MPI_INT64_T, MPI_MIN, comm);
    *same_p = ballot[3] == ~ballot[4];
    return code == MPI_SUCCESS && ballot[1] == ~ballot[2] ? (means)ballot[0] : NOTHING;
}

static void give_up(atn_comm *c)
{
    atn_irreproducible(ATN_LOST_ROOM, c->user);
    release(c);
}

/* All memory is taken before the vote. */
static means prepare(atn_comm *c)
{
    c->stage = ATN_STAGE_NATIVE;
    if (c->exec == NULL)
        c->exec = atn_exec_new(c->p, c->r, atn_the_job.yield, atn_choose, c);
    if (c->exec != NULL)
        atn_exec_set_reproducible(c->exec, atn_the_job.reproducible);
    const bool room = reserve(c) && c->exec != NULL && atn_comm_place(c) &&
                      atn_wise_here(c->topo, &c->wisdom) && atn_planned_start(c) &&
                      atn_tuned_start(c);
    return room ? ROOM : STATE;
}

/* Makes of a state what the ranks agreed on; `same`: they asked for one context. */
static void settle(atn_comm *c, means all, bool same)
{
    if (all == ROOM && same && c->driver != NULL)
        atn_tuned_set_context(c, c->asked);
    if (all == ROOM)
        c->stage = ATN_STAGE_SERVED;
    else
        give_up(c);
    if (atn_the_job.verbose > 0 && c->r == 0)
        atn_say("communicator of %d ranks: %s", c->p,
                c->stage == ATN_STAGE_SERVED ? "served" : "native, some rank has no room");
}

/* Whether some process is outside must be known before anyone is asked: it would not answer. */
static void set_up(atn_comm *c)
{
    bool same = true;
    if (!within_world(c)) {
        c->stage = ATN_STAGE_NATIVE;
        c->outside = true;
        atn_irreproducible(ATN_LOST_OUTSIDE, c->user);
        return;
    }
    const means own = prepare(c);
    const means all = c->p == 1 ? own : vote(c->user, own, c->asked, &same);
    settle(c, all, same);
}

/* Set-up synchronises, so it waits for an operation that does so anyway. */
static bool is_due(const atn_comm *c, atn_operation op)
{
    const uint64_t first = (uint64_t)atn_the_job.first;
    const bool rooted = (atn_operation_get(op)->flags & ATN_ROOTED) != 0;
    const bool symmetric = !rooted && op != ATN_SCAN && op != ATN_EXSCAN;
    return atn_the_job.check || (atn_the_job.forced & 1u << op) != 0 ||
           atn_tuned_is_urgent(c, op) || (c->calls > first && symmetric) ||
           c->calls > first * PATIENCE;
}

atn_comm *atn_comm_warm(atn_comm *c, atn_operation op)
{
    if (c->stage == ATN_STAGE_COUNTING && is_due(c, op)) {
        atn_beat_begin(c, op, -1);
        set_up(c);
        atn_beat_end(c);
    }
    if (c->stage == ATN_STAGE_COUNTING)
        c->before |= 1u << op;
    return c->stage == ATN_STAGE_SERVED || atn_the_job.observed ? c : NULL;
}

/* A failure must not reach the user's error handler: native serves as well. */
static bool create_wire(atn_comm *c)
{
    MPI_Errhandler handler;
    MPI_Group group;
    PMPI_Comm_get_errhandler(c->user, &handler);
    PMPI_Comm_set_errhandler(c->user, MPI_ERRORS_RETURN);
    PMPI_Comm_group(c->user, &group);
    const int code = PMPI_Comm_create(c->user, group, &c->wire);
    PMPI_Group_free(&group);
    PMPI_Comm_set_errhandler(c->user, handler);
    PMPI_Errhandler_free(&handler);
    if (code != MPI_SUCCESS) {
        c->wire = MPI_COMM_NULL;
        return false;
    }
    return PMPI_Comm_set_errhandler(c->wire, MPI_ERRORS_RETURN) == MPI_SUCCESS;
}

bool atn_comm_wire(atn_comm *c)
{
    bool same;
    c->stage = ATN_STAGE_NATIVE;
    if (vote(c->user, create_wire(c) ? ROOM : STATE, 0, &same) != ROOM) {
        atn_irreproducible(ATN_LOST_ROOM, c->user);
        atn_comm_forget(c);
        free_wire(c);
        return false;
    }
    c->stage = ATN_STAGE_SERVED;
    pthread_mutex_lock(&lock);
    unlink_it(c);
    link_last(c);
    pthread_mutex_unlock(&lock);
    return true;
}

/* MPI_COMM_WORLD has one vote on whether there are states at all and on its own. */
bool atn_comms_start(void)
{
    bool same;
    const bool have_key = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, attribute_deleted, &keyval,
                                                  NULL) == MPI_SUCCESS;
    atn_comm *const world = have_key ? adopt(MPI_COMM_WORLD) : NULL;
    const means own = world != NULL ? prepare(world) : NOTHING;
    const means all = vote(MPI_COMM_WORLD, own, 0, &same);
    if (all != NOTHING)
        settle(world, all, same);
    else if (have_key)
        atn_comms_stop();
    return all != NOTHING;
}

void atn_comms_stop(void)
{
    while (head != NULL)
        drop(head);
    atn_exec_end(atn_real.Comm_free);
    PMPI_Comm_free_keyval(&keyval);
}
