/* progress.c - see progress.h. */
#include "pmpi/nonblocking/progress.h"

#include <pthread.h>
#include <sched.h>

#include "exec/execution.h"
#include "pmpi/nonblocking/held.h"
#include "pmpi/nonblocking/tuning.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool threaded = true;
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

void atn_nonblocking_progress_start(bool threads) { threaded = threads; }

void atn_nonblocking_enter_lock(void)
{
    if (threaded)
        pthread_mutex_lock(&lock);
    inside = true;
}

void atn_nonblocking_leave_lock(void)
{
    inside = false;
    if (threaded)
        pthread_mutex_unlock(&lock);
}

/* Held calls may begin executions, so not inside of one. */
int atn_nonblocking_progress(void)
{
    const int moved = atn_exec_progress();
    if (inside || atn_exec_is_inside() || (threaded && pthread_mutex_trylock(&lock) != 0))
        return moved;
    inside = true;
    atn_nonblocking_tuning_advance();
    atn_nonblocking_held_advance();
    atn_nonblocking_leave_lock();
    return moved;
}

void atn_nonblocking_note(const atn_timed_start *x)
{
    atn_nonblocking_enter_lock();
    atn_nonblocking_tuning_note(x);
    atn_nonblocking_leave_lock();
}

static bool is_busy(const atn_comm *c)
{
    atn_nonblocking_enter_lock();
    const bool busy = atn_nonblocking_held_busy(c) || atn_nonblocking_tuning_busy(c);
    atn_nonblocking_leave_lock();
    return busy;
}

/* The hook advances everything; the probe also lets the MPI library advance. */
void atn_nonblocking_pause(void)
{
    int flag;
    atn_nonblocking_progress();
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (atn_job_current.oversubscribed)
        sched_yield();
}

void atn_nonblocking_drain(atn_comm *c)
{
    while (c->starts != NULL && is_busy(c))
        atn_nonblocking_pause();
    if (c->exec != NULL)
        atn_exec_drain(c->exec);
}

void atn_nonblocking_held_settle(atn_comm *c)
{
    for (;;) {
        atn_nonblocking_enter_lock();
        const bool held = atn_nonblocking_holds(c);
        atn_nonblocking_leave_lock();
        if (!held)
            return;
        atn_nonblocking_pause();
    }
}
