/* broken.c - preloaded between Attune and the MPI library: one point-to-point call of Attune fails,
 * with TEST_BROKEN=RANK:N that of RANK after N others. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

#include "code.h"

static long left = -1;

__attribute__((constructor)) static void begin(void)
{
    if (find_fault("TEST_BROKEN", &left))
        find_code();
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
