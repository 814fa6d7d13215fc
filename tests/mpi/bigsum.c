/* bigsum.c - floating-point reductions of more than 2^31 bytes and, with large-count calls, of more
 * than 2^31 elements: all operands are combined in the canonical order.  For 2 ranks; needs about 9
 * GB of memory.
 *
 *   bigsum [SHIFT]: buffers of a little more than 2^SHIFT bytes (default 31) */
#include "harness.h"

#include <stdlib.h>

static size_t big; /* bytes; with an odd number of floats */
static MPI_Op mixed;

/* ---- operands: all differ, and the result depends on their order ---- */

static uint32_t bits_of(int rank, size_t i)
{
    return (uint32_t)((i + 1) * 0x9e3779b97f4a7c15u >> (rank == 0 ? 32 : 17));
}
static float float_of(int rank, size_t i) { return (float)bits_of(rank, i) * 0x1p-20f; }
static uint8_t byte_of(int rank, size_t i) { return (uint8_t)bits_of(rank, i); }

static float mix_float(float a, float b) { return a * 0.75f + b; }
static uint8_t mix_byte(uint8_t a, uint8_t b) { return (uint8_t)(a * 3 + b); }

static void mix(const void *from, void *inout, size_t n, MPI_Datatype type)
{
    if (type == MPI_FLOAT)
        for (size_t i = 0; i < n; i++)
            ((float *)inout)[i] = mix_float(((const float *)from)[i], ((float *)inout)[i]);
    else
        for (size_t i = 0; i < n; i++)
            ((uint8_t *)inout)[i] = mix_byte(((const uint8_t *)from)[i], ((uint8_t *)inout)[i]);
}

static void apply(void *from, void *inout, int *n, MPI_Datatype *type)
{
    mix(from, inout, (size_t)*n, *type);
}

static void fill(void *at, MPI_Datatype type)
{
    if (type == MPI_FLOAT)
        for (size_t i = 0; i < big / sizeof(float); i++)
            ((float *)at)[i] = float_of(t_rank, i);
    else
        for (size_t i = 0; i < big; i++)
            ((uint8_t *)at)[i] = byte_of(t_rank, i);
}

/* The result of both ranks, or of the first one alone. */
static bool is_right(const void *at, size_t i, MPI_Datatype type, int ranks)
{
    if (type == MPI_FLOAT)
        return ((const float *)at)[i] ==
               (ranks == 1 ? float_of(0, i) : mix_float(float_of(0, i), float_of(1, i)));
    return ((const uint8_t *)at)[i] ==
           (ranks == 1 ? byte_of(0, i) : mix_byte(byte_of(0, i), byte_of(1, i)));
}

static void compare(const void *at, MPI_Datatype type, int ranks)
{
    const size_t n = type == MPI_FLOAT ? big / sizeof(float) : big;
    size_t bad = 0, first = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_right(at, i, type, ranks) && bad++ == 0)
            first = i;
    t_check(bad == 0, "%zu wrong elements of %zu, the first is %zu", bad, n, first);
}

/* ---- calls ---- */

static void floats(float *buffer)
{
    const int n = (int)(big / sizeof(float));
    t_point("allreduce of more than 2^31 bytes");
    fill(buffer, MPI_FLOAT);
    MPI_Allreduce(MPI_IN_PLACE, buffer, n, MPI_FLOAT, mixed, MPI_COMM_WORLD);
    compare(buffer, MPI_FLOAT, 2);
    t_point("reduce");
    fill(buffer, MPI_FLOAT);
    MPI_Reduce(t_rank == 1 ? MPI_IN_PLACE : buffer, t_rank == 1 ? buffer : NULL, n, MPI_FLOAT,
               mixed, 1, MPI_COMM_WORLD);
    if (t_rank == 1)
        compare(buffer, MPI_FLOAT, 2);
    t_point("scan");
    fill(buffer, MPI_FLOAT);
    MPI_Scan(MPI_IN_PLACE, buffer, n, MPI_FLOAT, mixed, MPI_COMM_WORLD);
    compare(buffer, MPI_FLOAT, 1 + t_rank);
}

static void bytes(uint8_t *buffer)
{
    t_point("allreduce of more than 2^31 elements");
#if MPI_VERSION >= 4
    fill(buffer, MPI_UINT8_T);
    MPI_Allreduce_c(MPI_IN_PLACE, buffer, (MPI_Count)big, MPI_UINT8_T, mixed, MPI_COMM_WORLD);
    compare(buffer, MPI_UINT8_T, 2);
#else
    (void)buffer;
    t_skip("this MPI has no large-count calls");
#endif
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(250);
    const int shift = argc > 1 ? atoi(argv[1]) : 31;
    big = ((size_t)1 << shift) + 4 * 4099;
    MPI_Op_create(apply, 1, &mixed);
    t_point("memory for more than 2^31 bytes");
    void *const buffer = t_alloc_large(big, (long)(((size_t)1 << shift) >> 20) * 5 + 1024);
    if (buffer != NULL) {
        floats(buffer);
        bytes(buffer);
    }
    free(buffer);
    MPI_Op_free(&mixed);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
