/* steady.c - a program that repeats a few calls, while plans for them are made and distributed
 * between its calls.  Values must be correct before and after a plan arrives; communicators are
 * freed while plans are pending; floating-point sums must have the same bits in every call.
 *
 *   steady [CALLS] */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 6000, SIZES = 3 };
static const int sizes[SIZES] = {4, 700, MOST};

static int64_t *in, *out;
static double *terms, *sum, *first;

static int64_t value(int from, int call, int i) { return from * 1000003 + call * 101 + i; }

static void bcast(MPI_Comm comm, int r, int p, int call, int n)
{
    const int root = call % p;
    for (int i = 0; i < n; i++)
        out[i] = r == root ? value(root, call, i) : -1;
    MPI_Bcast(out, n, MPI_INT64_T, root, comm);
    for (int i = 0; i < n; i++)
        if (!t_check(out[i] == value(root, call, i), "bcast from %d, element %d", root, i))
            return;
}

static void allgather(MPI_Comm comm, int r, int p, int call, int n)
{
    for (int i = 0; i < n; i++)
        in[i] = value(r, call, i);
    MPI_Allgather(in, n, MPI_INT64_T, out, n, MPI_INT64_T, comm);
    for (int i = 0; i < n * p; i++)
        if (!t_check(out[i] == value(i / n, call, i % n), "allgather, element %d", i))
            return;
}

static void allreduce(MPI_Comm comm, int r, int p, int call, int n)
{
    for (int i = 0; i < n; i++)
        in[i] = value(r, call, i);
    MPI_Allreduce(in, out, n, MPI_INT64_T, MPI_SUM, comm);
    for (int i = 0; i < n; i++) {
        const int64_t all = (int64_t)p * (p - 1) / 2 * 1000003 + p * value(0, call, i);
        if (!t_check(out[i] == all, "allreduce, element %d", i))
            return;
    }
}

/* Terms of very different magnitude: another order of operands gives another sum. */
static void rounded(MPI_Comm comm, int r, int p, int call, int n)
{
    (void)p;
    t_rng rng = t_seed(7, (uint64_t)r, (uint64_t)n);
    for (int i = 0; i < n; i++)
        terms[i] = (double)(t_next(&rng) >> 11) * (t_below(&rng, 2) ? 1e-9 : 1.7e5) / 3;
    MPI_Allreduce(terms, sum, n, MPI_DOUBLE, MPI_SUM, comm);
    if (call == 0)
        memcpy(first, sum, sizeof *sum * (size_t)n);
    t_check(memcmp(first, sum, sizeof *sum * (size_t)n) == 0, "call %d of %d elements: bits differ",
            call, n);
}

static void (*const operations[])(MPI_Comm, int, int, int, int) = {bcast, allgather, allreduce};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void repeat(MPI_Comm comm, int calls)
{
    int p, r;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    for (int call = 0; call < calls; call++)
        for (int k = 0; k < SIZES * OPERATIONS; k++) {
            t_where("call %d of operation %d, %d elements, %d ranks", call, k % OPERATIONS,
                    sizes[k / OPERATIONS], p);
            operations[k % OPERATIONS](comm, r, p, call, sizes[k / OPERATIONS]);
        }
}

int main(int argc, char **argv)
{
    MPI_Comm comm, more;
    MPI_Init(&argc, &argv);
    t_start(110);
    const int calls = argc > 1 ? atoi(argv[1]) : 50;
    in = t_alloc(sizeof *in * MOST);
    out = t_alloc(sizeof *out * MOST * (size_t)t_ranks);
    terms = t_alloc(sizeof *terms * MOST);
    sum = t_alloc(sizeof *sum * MOST);
    first = t_alloc(sizeof *first * MOST);

    t_point("values are correct while plans arrive");
    repeat(MPI_COMM_WORLD, calls);
    t_point("floating-point sums keep their bits");
    for (int k = 0; k < SIZES; k++)
        for (int call = 0; call < calls; call++)
            rounded(MPI_COMM_WORLD, t_rank, t_ranks, call, sizes[k]);
    t_point("communicators are freed while plans are pending");
    for (int i = 1; i <= 4 + calls / 4; i++) { /* the first 8 calls of each are native */
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, -t_rank, &more);
        repeat(comm, 1 + i % 5);
        repeat(more, 1 + i % 7);
        MPI_Comm_free(&comm);
        MPI_Comm_free(&more);
    }
    free(in);
    free(out);
    free(terms);
    free(sum);
    free(first);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
