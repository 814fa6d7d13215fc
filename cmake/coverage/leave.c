/* leave.c - counters are written by exit().  Ranks that MPI aborts and children that cannot start a
 * program leave without it, and these are the error paths of interest.  Weak, because archives and
 * the programs that link them have this file; each library has counters of its own, so a call
 * passes through all of them. */
#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REPLACES __attribute__((weak, noreturn, visibility("default")))

void __gcov_dump(void);
void __gcov_reset(void);

/* Tests of small limits end with the limit in force; the file of counters may be larger. */
__attribute__((destructor)) static void lift_limits(void)
{
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};

    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &none);
}

/* Reset: a child of vfork shares the counters of its parent, which must write its own, too. */
static void write_counters(void)
{
    lift_limits();
    __gcov_dump();
    __gcov_reset();
}

REPLACES void _exit(int status)
{
    void (*next)(int) = (void (*)(int))dlsym(RTLD_NEXT, "_exit");

    write_counters();
    if (next)
        next(status);
    for (;;)
        syscall(SYS_exit_group, status);
}

REPLACES void abort(void)
{
    void (*next)(void) = (void (*)(void))dlsym(RTLD_NEXT, "abort");

    write_counters();
    if (next)
        next();
    for (;;)
        raise(SIGKILL);
}
