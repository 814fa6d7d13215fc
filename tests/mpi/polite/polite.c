/* polite.c - preloaded into oversubscribed jobs of MPICH: a waiting rank yields its core.
 * Otherwise it keeps the core until its time slice ends, while the rank that it waits for has none,
 * and the job takes ten times as long.  Results do not change. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

/* Waiting ranks of MPICH always call this function of UCX. */
unsigned ucp_worker_progress(void *worker)
{
    static _Thread_local unsigned (*real)(void *);
    static _Thread_local int idle;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned progress = real(worker);
    if (progress) {
        idle = 0;
    } else if (++idle > 20) {
        idle = 0;
        sched_yield();
    }
    return progress;
}
