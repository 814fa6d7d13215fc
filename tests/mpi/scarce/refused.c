/* refused.c - preloaded between Attune and the libraries below it: a routine that Attune calls
 * fails on one rank, with TEST_REFUSED=RANK:N and TEST_REFUSED_CALL=ROUTINE after N calls, from
 * then on.  The first time, it prints so. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

#include "code.h"

static long granted;
static _Atomic long calls;
static const char *routine; /* NULL: none */

__attribute__((constructor)) static void begin(void)
{
    if (!find_fault("TEST_REFUSED", &granted))
        return;
    find_code();
    routine = getenv("TEST_REFUSED_CALL");
}

static bool fails(const char *name, const void *caller)
{
    if (routine == NULL || (uintptr_t)caller < from || (uintptr_t)caller >= to ||
        strcmp(routine, name) != 0)
        return false;
    const long before = calls++;
    if (before < granted)
        return false;
    if (before == granted)
        fprintf(stderr, "refused %s\n", name);
    errno = EPERM;
    return true;
}
#define CALLER __builtin_return_address(0)

/* ---- the system ---- */

#define REFUSE(type, failure, name, formals, actuals)                                              \
    type name formals                                                                              \
    {                                                                                              \
        type(*next) formals;                                                                       \
        *(void **)&next = dlsym(RTLD_NEXT, #name);                                                 \
        return fails(#name, CALLER) ? failure : next actuals;                                      \
    }
REFUSE(int, -1, memfd_create, (const char *name, unsigned flags), (name, flags))
REFUSE(int, -1, ftruncate, (int fd, off_t bytes), (fd, bytes))
REFUSE(ssize_t, -1, getrandom, (void *to_p, size_t bytes, unsigned flags), (to_p, bytes, flags))
REFUSE(ssize_t, -1, process_vm_readv,
       (pid_t pid, const struct iovec *own, unsigned long n, const struct iovec *of,
        unsigned long m, unsigned long flags),
       (pid, own, n, of, m, flags))
REFUSE(int, EAGAIN, pthread_create,
       (pthread_t * id, const pthread_attr_t *how, void *(*run)(void *), void *context),
       (id, how, run, context))

int open(const char *path, int flags, ...)
{
    int (*next)(const char *, int, ...);
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    *(void **)&next = dlsym(RTLD_NEXT, "open");
    return fails("open", CALLER) ? -1 : next(path, flags, mode);
}

/* ---- the MPI library ---- */

/* All ranks take part; one of them gets an error. */
int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *to_p)
{
    int (*next)(MPI_Comm, MPI_Group, MPI_Comm *);
    *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Comm_create");
    const int code = next(comm, group, to_p);
    if (code != MPI_SUCCESS || !fails("Comm_create", CALLER))
        return code;
    PMPI_Comm_free(to_p);
    return MPI_ERR_OTHER;
}
