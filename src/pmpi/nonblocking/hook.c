/* hook.c - see hook.h. */
#include "pmpi/nonblocking/hook.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stddef.h>

#include "exec/execution.h"
#include "interpose/interpose.h"

static _Atomic bool on, called;

static int advance(void)
{
    if (atomic_load_explicit(&atn_exec_all_open, memory_order_relaxed) > 0)
        return atn_exec_progress();
    if (ATN_RARELY(!atomic_load_explicit(&called, memory_order_relaxed)))
        atomic_store_explicit(&called, true, memory_order_relaxed);
    return 0;
}

#if defined(OPEN_MPI)

/* libopen-pal, a dependency of libmpi; the program may have loaded both privately. */
static void *find(const char *name)
{
    void *const found = dlsym(RTLD_DEFAULT, name);
    Dl_info info;
    if (found != NULL || dladdr((void *)(uintptr_t)&PMPI_Iprobe, &info) == 0)
        return found;
    void *const mpi = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return mpi != NULL ? dlsym(mpi, name) : NULL;
}

static bool install(bool threads)
{
    (void)threads;
    int (*add)(int (*)(void));
    *(void **)&add = find("opal_progress_register");
    return add != NULL && add(advance) == 0;
}

static void uninstall(void)
{
    int (*drop)(int (*)(void));
    *(void **)&drop = find("opal_progress_unregister");
    if (drop != NULL)
        drop(advance);
}

#elif defined(MPICH_VERSION)

/* Before MPI_Init, after MPI_Finalize and for other users of UCX it only passes the call on. */
ATN_EXPORT unsigned ucp_worker_progress(void *worker);
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*_Atomic real)(void *);
    unsigned (*next)(void *) = atomic_load_explicit(&real, memory_order_relaxed);
    if (next == NULL) {
        *(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
        atomic_store_explicit(&real, next, memory_order_relaxed);
    }
    const unsigned events = next(worker);
    return atomic_load_explicit(&on, memory_order_relaxed) ? events + (unsigned)advance() : events;
}

/* With several threads, MPICH holds a lock here that calls of MPI need, and that is not recursive:
 * it aborts. */
static bool install(bool threads) { return !threads; }

static void uninstall(void) {}

#else

static bool install(bool threads)
{
    (void)threads, (void)advance;
    return false;
}

static void uninstall(void) {}

#endif

/* Other builds of a library may not call it: one probe shows whether this one does. */
bool atn_nonblocking_hook_start(bool threads)
{
    int flag;
    if (!install(threads))
        return false;
    atomic_store(&on, true);
    for (int i = 0; i < 8 && !atomic_load(&called); i++)
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (!atomic_load(&called))
        atn_nonblocking_hook_stop();
    return atomic_load(&called);
}

void atn_nonblocking_hook_stop(void)
{
    if (atomic_exchange(&on, false))
        uninstall();
}
