/* bigcount.c - messages of more than 2^31 bytes.  For 2 ranks; needs about 7 GB of memory.
 *
 *   bigcount [SHIFT]: buffers of a little more than 2^SHIFT bytes (default 31) */
#include "harness.h"

#include <stdlib.h>

static size_t big; /* bytes: more than 2^SHIFT, divisible by 48 */

/* One value per 8 bytes, different everywhere. */
static void fill(uint64_t *at, size_t bytes, uint64_t seed)
{
    for (size_t i = 0; i < bytes / 8; i++)
        at[i] = seed + i * 0x9e3779b97f4a7c15u;
}

static void compare(const uint64_t *at, size_t bytes, uint64_t seed)
{
    size_t bad = 0, first = 0;
    for (size_t i = 0; i < bytes / 8; i++)
        if (at[i] != seed + i * 0x9e3779b97f4a7c15u && bad++ == 0)
            first = i;
    t_check(bad == 0, "%zu wrong words, the first at byte %zu", bad, 8 * first);
}

static void bcast(uint64_t *buffer)
{
    MPI_Datatype chunk;
    t_point("bcast of a derived type");
    MPI_Type_contiguous(48, MPI_BYTE, &chunk);
    MPI_Type_commit(&chunk);
    fill(buffer, big, t_rank == 1 ? 5 : 0);
    MPI_Bcast(buffer, (int)(big / 48), chunk, 1, MPI_COMM_WORLD);
    compare(buffer, big, 5);
    MPI_Type_free(&chunk);
}

static void bcast_count(uint64_t *buffer)
{
    t_point("MPI_Bcast_c with a count above 2^31");
#if MPI_VERSION >= 4
    fill(buffer, big, t_rank == 0 ? 9 : 0);
    MPI_Bcast_c(buffer, (MPI_Count)big, MPI_BYTE, 0, MPI_COMM_WORLD);
    compare(buffer, big, 9);
#else
    (void)buffer;
    t_skip("this MPI has no large-count calls");
#endif
}

static void allreduce(uint64_t *buffer)
{
    t_point("in-place allreduce");
    for (size_t i = 0; i < big / 8; i++)
        buffer[i] = i ^ (uint64_t)t_rank;
    MPI_Allreduce(MPI_IN_PLACE, buffer, (int)(big / 8), MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    size_t bad = 0;
    for (size_t i = 0; i < big / 8; i++)
        bad += buffer[i] != i + (i ^ 1);
    t_check(bad == 0, "%zu wrong words", bad);
}

/* Blocks below 2^31 bytes whose sum is above. */
static void allgather(uint64_t *buffer)
{
    const size_t half = big / 2;
    t_point("in-place allgather to more than 2^31 bytes");
    fill(buffer, big, 0);
    fill(buffer + (size_t)t_rank * half / 8, half, 100 + (uint64_t)t_rank);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, (int)(half / 8), MPI_UINT64_T,
                  MPI_COMM_WORLD);
    compare(buffer, half, 100);
    compare(buffer + half / 8, half, 101);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(250);
    const int shift = argc > 1 ? atoi(argv[1]) : 31;
    const size_t piece = 48 * 1024;
    big = (((size_t)1 << shift) / piece + 7) * piece;
    t_point("memory for messages of more than 2^31 bytes");
    uint64_t *buffer = t_alloc_large(big, (long)(((size_t)1 << shift) >> 20) * 6 + 1024);
    if (buffer != NULL) {
        bcast(buffer);
        bcast_count(buffer);
        allreduce(buffer);
        allgather(buffer);
    }
    free(buffer);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
