/* code.h - for libraries that are preloaded below Attune: which calls are its own, and the fault
 * that a job is to have.  Define _GNU_SOURCE first. */
#ifndef ATN_TEST_CODE_H
#define ATN_TEST_CODE_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uintptr_t from, to; /* address range of Attune's code */

static int look(struct dl_phdr_info *about, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (strstr(about->dlpi_name, "libattune-") == NULL)
        return 0;
    from = about->dlpi_addr;
    for (int i = 0; i < about->dlpi_phnum; i++) {
        const uintptr_t end = from + about->dlpi_phdr[i].p_vaddr + about->dlpi_phdr[i].p_memsz;
        if (about->dlpi_phdr[i].p_type == PT_LOAD && end > to)
            to = end;
    }
    return 1;
}
static void find_code(void) { dl_iterate_phdr(look, NULL); }

/* The number N if the variable is RANK:N with the rank of this process. */
static bool find_fault(const char *variable, long *n_p)
{
    const char *const fault = getenv(variable), *rank = getenv("PMI_RANK");
    long n;
    int r;
    if (rank == NULL)
        rank = getenv("OMPI_COMM_WORLD_RANK");
    if (fault == NULL || rank == NULL || sscanf(fault, "%d:%ld", &r, &n) != 2 || r != atoi(rank))
        return false;
    *n_p = n;
    return true;
}

#endif
