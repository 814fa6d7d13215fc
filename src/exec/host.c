/* host.c - see host.h. */
#include "exec/host.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/base.h"
#include "base/clock.h"
#include "shm/direct.h"

#ifdef SMPI_H

/* Before any rank reads a clock.  The time of the simulation is the same on all ranks. */
__attribute__((constructor)) static void replace_clock(void) { atn_clock_replace(PMPI_Wtime); }

void atn_exec_host_name(char *name, size_t room)
{
    char full[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    PMPI_Get_processor_name(full, &length);
    snprintf(name, room, "%s", full);
}

uint64_t atn_exec_host_kernel(void)
{
    char name[MPI_MAX_PROCESSOR_NAME];
    atn_exec_host_name(name, sizeof name);
    return atn_hash(name, strlen(name), 0);
}

uint64_t atn_exec_host_memory(void) { return 0; }

#else

void atn_exec_host_name(char *name, size_t room)
{
    *name = name[room - 1] = '\0';
    gethostname(name, room - 1);
}

/* A kernel has a number for each boot.  Emulated hosts, which are namespaces, have their own
 * names in one kernel. */
uint64_t atn_exec_host_kernel(void)
{
    struct utsname about = {0};
    char boot[64] = "";
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");

    if (f) {
        if (!fgets(boot, sizeof boot, f))
            *boot = '\0';
        fclose(f);
    }
    uname(&about);
    return atn_hash(about.nodename, strlen(about.nodename), atn_hash(boot, strlen(boot), 0));
}

uint64_t atn_exec_host_memory(void) { return atn_shm_direct_domain(); }

#endif
