/* largecount.c - the large-count calls of MPI 4 (MPI_X_c), with their results checked.  For 2 ranks
 * and more. */
#include "harness.h"

#include <stdlib.h>

#if MPI_VERSION >= 4

enum { N = 700 };

static MPI_Comm comm;
static int p, r;
static int *out, *in;            /* p * N elements each */
static MPI_Count *counts;        /* N each */
static MPI_Aint *displs, *bytes; /* of N elements each, in elements and in bytes */
static MPI_Datatype *types;

static int value(int from, int to, int i) { return 10000 * from + 1000 * to + i; }

static void put(int from, int blocks, bool to_each)
{
    for (int b = 0; b < blocks; b++)
        for (int i = 0; i < N; i++)
            out[b * N + i] = value(from, to_each ? b : 0, i);
    for (int i = 0; i < p * N; i++)
        in[i] = -1;
}

/* Block b of the result is the message from -> to. */
static void block(int b, int from, int to)
{
    int bad = 0;
    for (int i = 0; i < N; i++)
        bad += in[b * N + i] != value(from, to, i);
    t_check(bad == 0, "block %d has %d wrong values", b, bad);
}

static void all_blocks(int to)
{
    for (int b = 0; b < p; b++)
        block(b, b, to);
}

/* N elements of the sum over ranks 0 .. last. */
static void sum(int last, int shift)
{
    int bad = 0;
    for (int i = 0; i < N; i++)
        bad += in[i] != 10000 * (last * (last + 1) / 2) + (last + 1) * value(0, shift, i);
    t_check(bad == 0, "%d wrong sums", bad);
}

static void rooted(int root)
{
    t_point(root == 0 ? "rooted large-count calls, root 0"
                      : "rooted large-count calls, another root");
    put(root, 1, false);
    MPI_Bcast_c(r == root ? out : in, N, MPI_INT, root, comm);
    if (r != root)
        block(0, root, 0);
    put(r, 1, false);
    MPI_Gather_c(out, N, MPI_INT, in, N, MPI_INT, root, comm);
    if (r == root)
        all_blocks(0);
    put(r, 1, false);
    MPI_Gatherv_c(out, N, MPI_INT, in, counts, displs, MPI_INT, root, comm);
    if (r == root)
        all_blocks(0);
    put(root, p, true);
    MPI_Scatter_c(out, N, MPI_INT, in, N, MPI_INT, root, comm);
    block(0, root, r);
    put(root, p, true);
    MPI_Scatterv_c(out, counts, displs, MPI_INT, in, N, MPI_INT, root, comm);
    block(0, root, r);
    put(r, 1, false);
    MPI_Reduce_c(out, in, N, MPI_INT, MPI_SUM, root, comm);
    if (r == root)
        sum(p - 1, 0);
}

static void symmetric(void)
{
    t_point("large-count calls without root");
    put(r, 1, false);
    MPI_Allgather_c(out, N, MPI_INT, in, N, MPI_INT, comm);
    all_blocks(0);
    put(r, 1, false);
    MPI_Allgatherv_c(out, N, MPI_INT, in, counts, displs, MPI_INT, comm);
    all_blocks(0);
    put(r, p, true);
    MPI_Alltoall_c(out, N, MPI_INT, in, N, MPI_INT, comm);
    all_blocks(r);
    put(r, p, true);
    MPI_Alltoallv_c(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, comm);
    all_blocks(r);
    put(r, p, true);
    MPI_Alltoallw_c(out, counts, bytes, types, in, counts, bytes, types, comm);
    all_blocks(r);
}

static void reductions(void)
{
    t_point("reductions");
    put(r, 1, false);
    MPI_Allreduce_c(out, in, N, MPI_INT, MPI_SUM, comm);
    sum(p - 1, 0);
    put(r, p, true);
    MPI_Reduce_scatter_c(out, in, counts, MPI_INT, MPI_SUM, comm);
    sum(p - 1, r);
    put(r, p, true);
    MPI_Reduce_scatter_block_c(out, in, N, MPI_INT, MPI_SUM, comm);
    sum(p - 1, r);
    put(r, 1, false);
    MPI_Scan_c(out, in, N, MPI_INT, MPI_SUM, comm);
    sum(r, 0);
    put(r, 1, false);
    MPI_Exscan_c(out, in, N, MPI_INT, MPI_SUM, comm);
    if (r > 0)
        sum(r - 1, 0);
}

static void run(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    p = t_ranks, r = t_rank;
    out = t_alloc(sizeof *out * (size_t)(p * N));
    in = t_alloc(sizeof *in * (size_t)(p * N));
    counts = t_alloc(sizeof *counts * (size_t)p);
    displs = t_alloc(sizeof *displs * (size_t)p);
    bytes = t_alloc(sizeof *bytes * (size_t)p);
    types = t_alloc(sizeof *types * (size_t)p);
    for (int q = 0; q < p; q++) {
        counts[q] = N;
        displs[q] = q * N;
        bytes[q] = q * N * (MPI_Aint)sizeof(int);
        types[q] = MPI_INT;
    }
    rooted(0);
    rooted(p - 1);
    symmetric();
    reductions();
    free(out), free(in), free(counts), free(displs), free(bytes), free(types);
    MPI_Comm_free(&comm);
}

#else

static void run(void)
{
    t_point("large-count calls");
    t_skip("this MPI has none");
}

#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(60);
    run();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
