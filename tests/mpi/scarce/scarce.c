/* scarce.c - preloaded between Attune and the MPI library: counts the collectives of Attune in
 * MPI_Init, and makes one of its allocations fail: with TEST_SCARCE=RANK:N that of RANK after N
 * others.  Programs that do not call scarce_end: the same until they exit. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

#include "code.h"

static long left;
static bool counts;
static long allocations;
static int collectives;

__attribute__((constructor)) static void begin(void)
{
    if (!find_fault("TEST_SCARCE", &left))
        return;
    find_code();
    counts = to > from;
}

/* Allocations and collectives of Attune in MPI_Init. */
long scarce_allocations(void) { return allocations; }
int scarce_end(void)
{
    counts = false;
    return collectives;
}

/* Of the whole job, unless scarce_end was called. */
__attribute__((destructor)) static void print_allocations(void)
{
    if (counts)
        fprintf(stderr, "allocations %ld\n", allocations);
}

/* ---- memory ---- */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static bool fails(const void *caller)
{
    return counts && (uintptr_t)caller >= from && (uintptr_t)caller < to && allocations++ == left;
}
#define CALLER __builtin_return_address(0)

void *malloc(size_t n) { return fails(CALLER) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t each) { return fails(CALLER) ? NULL : __libc_calloc(n, each); }
void *realloc(void *old, size_t n) { return fails(CALLER) ? NULL : __libc_realloc(old, n); }
void *aligned_alloc(size_t to, size_t n) { return fails(CALLER) ? NULL : __libc_memalign(to, n); }

/* ---- collectives ---- */

#define COUNT(name, formals, actuals)                                                              \
    int PMPI_##name formals                                                                        \
    {                                                                                              \
        int(*next) formals;                                                                        \
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_" #name);                                         \
        collectives++;                                                                             \
        return next actuals;                                                                       \
    }
COUNT(Allgather,
      (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm comm),
      (a, n, t, b, m, u, comm))
COUNT(Allreduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
      (a, b, n, t, op, comm))
COUNT(Barrier, (MPI_Comm comm), (comm))
COUNT(Bcast, (void *a, int n, MPI_Datatype t, int root, MPI_Comm comm), (a, n, t, root, comm))
COUNT(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *to_p), (comm, group, to_p))
COUNT(Comm_dup, (MPI_Comm comm, MPI_Comm *to_p), (comm, to_p))
COUNT(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *to_p), (comm, color, key, to_p))
COUNT(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *to_p),
      (comm, type, key, info, to_p))
