/* hookless.c - preloaded before Attune: on rank TEST_HOOKLESS, or on "all", the progress loop of
 * the MPI library does not call Attune's function, as in builds of the library that offer none. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static int is_hookless(void)
{
    static int known = -1;
    const char *own = getenv("OMPI_COMM_WORLD_RANK"), *given = getenv("TEST_HOOKLESS");
    if (own == NULL)
        own = getenv("PMI_RANK");
    if (known < 0)
        known = given != NULL && own != NULL && (!strcmp(given, "all") || !strcmp(given, own));
    return known;
}

/* Open MPI: its own components register functions, too. */
int opal_progress_register(int (*function)(void));
int opal_progress_register(int (*function)(void))
{
    Dl_info caller;
    int (*real)(int (*)(void));
    if (is_hookless() && dladdr((void *)function, &caller) != 0 &&
        strstr(caller.dli_fname, "libattune") != NULL)
        return -1;
    *(void **)&real = dlsym(RTLD_NEXT, "opal_progress_register");
    return real(function);
}

/* MPICH: the library of UCX itself, not Attune's function. */
unsigned ucp_worker_progress(void *worker);
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    if (real == NULL) {
        void *from = is_hookless() ? dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD) : RTLD_NEXT;
        *(void **)&real = dlsym(from, "ucp_worker_progress");
    }
    return real(worker);
}
