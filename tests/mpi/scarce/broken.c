/* broken.c - preloaded between Attune and the MPI library: one point-to-point call of Attune fails,
 * with TEST_BROKEN=RANK:N that of RANK after N others. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uintptr_t from, to; /* address range of Attune's code */
static long left = -1;

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

__attribute__((constructor)) static void begin(void)
{
    const char *const broken = getenv("TEST_BROKEN"), *rank = getenv("PMI_RANK");
    int r;
    if (rank == NULL)
        rank = getenv("OMPI_COMM_WORLD_RANK");
    if (broken != NULL && rank != NULL && sscanf(broken, "%d:%ld", &r, &left) == 2 &&
        r == atoi(rank))
        dl_iterate_phdr(look, NULL);
}

static bool fails(const void *caller)
{
    return (uintptr_t)caller >= from && (uintptr_t)caller < to && left-- == 0;
}

#define BREAK(name, formals, actuals)                                                              \
    int PMPI_##name formals                                                                        \
    {                                                                                              \
        int(*next) formals;                                                                        \
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_" #name);                                         \
        return fails(__builtin_return_address(0)) ? MPI_ERR_OTHER : next actuals;                  \
    }
BREAK(Isend,
      (const void *a, int n, MPI_Datatype t, int to_rank, int tag, MPI_Comm comm, MPI_Request *r),
      (a, n, t, to_rank, tag, comm, r))
BREAK(Irecv, (void *a, int n, MPI_Datatype t, int of, int tag, MPI_Comm comm, MPI_Request *r),
      (a, n, t, of, tag, comm, r))
BREAK(Sendrecv,
      (const void *a, int n, MPI_Datatype t, int to_rank, int tag, void *b, int m, MPI_Datatype u,
       int of, int tag_of, MPI_Comm comm, MPI_Status *s),
      (a, n, t, to_rank, tag, b, m, u, of, tag_of, comm, s))
BREAK(Send, (const void *a, int n, MPI_Datatype t, int to_rank, int tag, MPI_Comm comm),
      (a, n, t, to_rank, tag, comm))
BREAK(Recv, (void *a, int n, MPI_Datatype t, int of, int tag, MPI_Comm comm, MPI_Status *s),
      (a, n, t, of, tag, comm, s))
