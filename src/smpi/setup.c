/* setup.c - preloaded into SimGrid by `attune sim`: a cheap set-up of communicators.
 *
 * Many of SMPI's collectives find the ranks of each host when they are first called on a
 * communicator, by an allgather of one int that sends a message between every two ranks: a million
 * at 1024 ranks, which take minutes.  It is replaced by an allgather in log p rounds with the same
 * result; larger allgathers are not changed.
 *
 * The functions are internal to SimGrid, and their names are those of C++.  In a version without
 * them, or one that does not call them by name, nothing is replaced.  References are weak, so that
 * this library needs no other one: it is also loaded by the launcher, a script. */
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

#define IN_SMPI(length, name)                                                                      \
    "_ZN7simgrid4smpi" #length #name "EPKviPNS0_8DatatypeEPviS4_PNS0_4CommE"

typedef int allgather_fn(const void *source, int count, MPI_Datatype type, void *result,
                         int result_count, MPI_Datatype result_type, MPI_Comm comm);

__attribute__((visibility("default")))
allgather_fn atn_smpi_allgather_ring __asm__(IN_SMPI(15, allgather__ring));
extern __attribute__((weak)) allgather_fn in_rounds __asm__(IN_SMPI(16, allgather__bruck));
extern __attribute__((weak)) int type_size(MPI_Datatype type, int *size) __asm__("PMPI_Type_size");

static int bytes_of(int count, MPI_Datatype type)
{
    int size = 0;
    type_size(type, &size);
    return count * size;
}

int atn_smpi_allgather_ring(const void *source, int count, MPI_Datatype type, void *result,
                            int result_count, MPI_Datatype result_type, MPI_Comm comm)
{
    static allgather_fn *original;
    if (in_rounds != NULL && type_size != NULL && bytes_of(count, type) <= (int)sizeof(int))
        return in_rounds(source, count, type, result, result_count, result_type, comm);
    if (original == NULL)
        *(void **)&original = dlsym(RTLD_NEXT, IN_SMPI(15, allgather__ring));
    return original(source, count, type, result, result_count, result_type, comm);
}
