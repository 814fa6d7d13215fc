/* thread.c - see thread.h. */
#include "pmpi/nonblocking/thread.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "exec/execution.h"
#include "pmpi/nonblocking/progress.h"

static pthread_t thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never held in MPI */
static pthread_cond_t started = PTHREAD_COND_INITIALIZER;
static _Atomic bool stopping;
static bool running, may_rest;
_Atomic bool atn_nonblocking_thread_sleeps;

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* held by the thread in MPI */
static _Atomic int rests;

static bool is_idle(void)
{
    return atomic_load(&atn_exec_all_open) == 0 || atomic_load(&rests) > 0;
}

/* A start first counts itself as open and then reads the flag; here it is the other way round, so
 * one of both notices the other. */
static void sleep_until_started(void)
{
    pthread_mutex_lock(&lock);
    atomic_store(&atn_nonblocking_thread_sleeps, true);
    while (is_idle() && !atomic_load(&stopping))
        pthread_cond_wait(&started, &lock);
    atomic_store(&atn_nonblocking_thread_sleeps, false);
    pthread_mutex_unlock(&lock);
}

static int take_turn(void)
{
    pthread_mutex_lock(&turn);
    const int moved = is_idle() ? 0 : atn_nonblocking_progress();
    pthread_mutex_unlock(&turn);
    return moved;
}

/* Between attempts without success, threads that wait for a lock of the MPI library get it. */
static void *run(void *unused)
{
    pthread_setname_np(pthread_self(), "attune-progress");
    while (!atomic_load(&stopping))
        if (is_idle())
            sleep_until_started();
        else if (take_turn() == 0)
            sched_yield();
    return unused;
}

/* ---- files ---- */

#ifdef OPEN_MPI
enum { FILES_NEED_REST = true };
#else
enum { FILES_NEED_REST = false };
#endif

static bool rests_for_files(void) { return FILES_NEED_REST && running && may_rest; }

void atn_nonblocking_thread_rest(void)
{
    if (!rests_for_files())
        return;
    atomic_fetch_add(&rests, 1);
    pthread_mutex_lock(&turn);
    pthread_mutex_unlock(&turn);
}

void atn_nonblocking_thread_resume(void)
{
    if (!rests_for_files())
        return;
    atomic_fetch_sub(&rests, 1);
    atn_nonblocking_thread_rouse();
}

/* ---- start and stop ---- */

void atn_nonblocking_thread_rouse(void)
{
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&started);
    pthread_mutex_unlock(&lock);
}

/* Signals of the program must be delivered to its own threads. */
bool atn_nonblocking_thread_start(bool alone)
{
    sigset_t all, before;
    may_rest = !alone;
    atomic_store(&stopping, false);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    running = pthread_create(&thread, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return running;
}

void atn_nonblocking_thread_stop(void)
{
    if (!running)
        return;
    atomic_store(&stopping, true);
    atn_nonblocking_thread_rouse();
    pthread_join(thread, NULL);
    running = false;
}
