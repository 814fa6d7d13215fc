/* fakehosts.c - TEST_HOSTS=N: the ranks believe that they sit on hosts h0 .. h<N-1>, dealt like
 * cards, so that algorithms that follow a topology have something to follow on one machine. */
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

/* Stands before the C library's for the program and for every library that it loads. */
__attribute__((visibility("default"))) int gethostname(char *name, size_t room)
{
    const char *hosts = getenv("TEST_HOSTS");
    int (*real)(char *, size_t);
    if (hosts && atoi(hosts) > 0) {
        snprintf(name, room, "h%d", atoi(rank_text()) % atoi(hosts));
        return 0;
    }
    *(void **)&real = dlsym(RTLD_NEXT, "gethostname");
    return real(name, room);
}

void t_fake_hosts(void) {}
