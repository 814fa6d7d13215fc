/* hook.c - see hook.h. */
#include "pmpi/nonblocking/hook.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stddef.h>

#include "exec/execution.h"
#include "pmpi/nonblocking/progress.h"
#include "pmpi/nonblocking/request.h"

static _Atomic bool on, called;
static bool several; /* threads */
bool atn_nonblocking_hook_off;

static inline bool has_work(void)
{
    return (atomic_load_explicit(&atn_exec_all_open, memory_order_relaxed) |
            atn_nonblocking_unsent) != 0;
}

static int advance(void)
{
    const int moved = atn_nonblocking_progress();
    return atn_nonblocking_unsent > 0 ? moved + atn_nonblocking_requests_send() : moved;
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

static int (*add)(int (*)(void)), (*drop)(int (*)(void));

/* Calls without work before the hook is removed: many, because adding it again takes longer. */
enum { IDLE_CALLS = 1000 };

static void uninstall(void);

static int advance_or_end(void)
{
    static int idle;
    if (has_work()) {
        idle = 0;
        return advance();
    }
    atomic_store_explicit(&called, true, memory_order_relaxed);
    if (several || ++idle < IDLE_CALLS)
        return 0;
    idle = 0;
    uninstall();
    atn_nonblocking_hook_off = true;
    return 0;
}

static bool install(void)
{
    *(void **)&add = find("opal_progress_register");
    *(void **)&drop = find("opal_progress_unregister");
    return add != NULL && drop != NULL && add(advance_or_end) == 0;
}

static void uninstall(void) { drop(advance_or_end); }

void atn_nonblocking_hook_again(void) { atn_nonblocking_hook_off = add(advance_or_end) != 0; }

#elif defined(MPICH_VERSION)

typedef unsigned (*progress_fn)(void *worker);
static unsigned find_next(void *worker);
static _Atomic progress_fn next = find_next; /* ... which replaces itself */

static progress_fn real(void)
{
    static _Atomic progress_fn found;
    progress_fn f = atomic_load_explicit(&found, memory_order_relaxed);
    if (f == NULL) {
        *(void **)&f = dlsym(RTLD_NEXT, "ucp_worker_progress");
        atomic_store_explicit(&found, f, memory_order_relaxed);
    }
    return f;
}

static unsigned find_next(void *worker)
{
    atomic_store_explicit(&next, real(), memory_order_relaxed);
    return real()(worker);
}

static unsigned notice(void *worker)
{
    atomic_store_explicit(&called, true, memory_order_relaxed);
    return find_next(worker);
}

static __attribute__((noinline)) unsigned work(void *worker)
{
    const unsigned events = real()(worker);
    return atomic_load_explicit(&on, memory_order_relaxed) ? events + (unsigned)advance() : events;
}

/* Before MPI_Init, after MPI_Finalize and for other users of UCX it only passes the call on. */
ATN_EXPORT unsigned ucp_worker_progress(void *worker);
unsigned ucp_worker_progress(void *worker)
{
    return ATN_LIKELY(!has_work()) ? atomic_load_explicit(&next, memory_order_relaxed)(worker)
                                   : work(worker);
}

/* With several threads, MPICH holds a lock here that calls of MPI need, and that is not recursive:
 * it aborts. */
static bool install(void)
{
    atomic_store(&next, notice);
    return !several;
}

static void uninstall(void) {}
void atn_nonblocking_hook_again(void) {}

#else

static bool install(void)
{
    (void)several, (void)advance, (void)has_work;
    return false;
}

static void uninstall(void) {}
void atn_nonblocking_hook_again(void) {}

#endif

/* Other builds of a library may not call it: one probe shows whether this one does. */
bool atn_nonblocking_hook_start(bool threads)
{
    int flag;
    several = threads;
    if (!install())
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
    if (atomic_exchange(&on, false) && !atn_nonblocking_hook_off)
        uninstall();
}
