/* watchdog.c - see watchdog.h.
 *
 * The thread reads a beat that changes at the beginning and end of every call, so the calls
 * themselves read no clock. */
#include "pmpi/observe/watchdog.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "exec/host.h"
#include "pmpi/comm/list.h"

static pthread_t thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static bool running, stopping;
static int patience;

static void describe(const atn_comm *c)
{
    const int op = atomic_load(&c->op);
    const atn_row *const row = atomic_load(&c->row);
    atn_stall stall = {.peer = -1};
    char root[32] = "", with[32] = "";
    if (row != NULL)
        atn_exec_stall(c->exec, &stall);
    if ((atn_sched_operation_get((atn_operation)op)->flags & ATN_ROOTED) != 0 && c->root >= 0)
        snprintf(root, sizeof root, ", root %d", atomic_load(&c->root));
    if (stall.peer >= 0)
        snprintf(with, sizeof with, ", peer %d", stall.peer);
    atn_interpose_print_line(
        "rank %d of MPI_COMM_WORLD has been waiting for %d s in %s (rank %d of %d%s%s)",
        atn_job_current.r, patience,
        row != NULL ? row->name : atn_algo_catalog_native((atn_operation)op)->name, c->r, c->p,
        root, with);
}

static void visit(atn_comm *c)
{
    const unsigned beat = atomic_load(&c->beat);
    c->still = beat % 2 == 1 && beat == c->seen ? c->still + 1 : 0;
    c->seen = beat;
    if (c->still == patience)
        describe(c);
}

static void *watch(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!stopping) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        t.tv_sec++;
        pthread_cond_timedwait(&wake, &lock, &t);
        if (!stopping)
            atn_comm_list_visit(visit);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

/* Of the clock that is never set. */
static bool make_wake(void)
{
    pthread_condattr_t how;
    if (pthread_condattr_init(&how) != 0)
        return false;
    const bool made = pthread_condattr_setclock(&how, CLOCK_MONOTONIC) == 0 &&
                      pthread_cond_init(&wake, &how) == 0;
    pthread_condattr_destroy(&how);
    return made;
}

/* Signals of the program must be delivered to its own threads. */
void atn_observe_watchdog_start(int seconds)
{
    sigset_t all, before;
    if (ATN_SIMULATED)
        return;
    patience = seconds;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    running = make_wake() && pthread_create(&thread, NULL, watch, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!running)
        atn_interpose_print_line("rank %d has no watchdog: a thread cannot be started",
                                 atn_job_current.r);
}

void atn_observe_watchdog_stop(void)
{
    if (!running)
        return;
    pthread_mutex_lock(&lock);
    stopping = true;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    pthread_cond_destroy(&wake);
    running = false;
}
