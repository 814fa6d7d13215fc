/* fakehosts.c - TEST_HOSTS=N: gethostname returns h0 .. h<N-1>, with cyclic mapping of ranks, so
 * that topology-aware algorithms can be tested on one machine.  TEST_STRIDE=S: the next rank is on
 * the host S further. */
#include "harness.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *rank_text(void)
{
    const char *open_mpi = getenv("OMPI_COMM_WORLD_RANK"), *pmi = getenv("PMI_RANK");
    return open_mpi ? open_mpi : pmi ? pmi : "0";
}

/* Takes precedence over that of the C library, in the program and in all libraries that it
 * loads. */
__attribute__((visibility("default"))) int gethostname(char *name, size_t room)
{
    const char *hosts = getenv("TEST_HOSTS"), *stride = getenv("TEST_STRIDE");
    int (*real)(char *, size_t);
    if (hosts && atoi(hosts) > 0) {
        const int at = atoi(rank_text()) * (stride ? atoi(stride) : 1);
        snprintf(name, room, "h%d", at % atoi(hosts));
        return 0;
    }
    *(void **)&real = dlsym(RTLD_NEXT, "gethostname");
    return real(name, room);
}

void t_fake_hosts(void) {}
