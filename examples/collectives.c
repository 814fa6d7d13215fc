/* collectives.c - an ordinary MPI program: times a handful of collectives and checks their results.
 *
 *   mpirun -n 4 collectives [SECONDS_PER_ROW]
 *
 * It does not use Attune itself; tests run it natively and under `attune run`. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int p, r;
    int n; /* elements of the message, or of one block */
    int *src, *dst;
} data;

enum { ROOT = 0, BATCHES = 5 };

/* ---- operations: the calls and their expected results ---- */

static void run_barrier(data *d)
{
    (void)d;
    MPI_Barrier(MPI_COMM_WORLD);
}
static void run_bcast(data *d)
{
    MPI_Bcast(d->r == ROOT ? d->src : d->dst, d->n, MPI_INT, ROOT, MPI_COMM_WORLD);
}
static void run_reduce(data *d)
{
    MPI_Reduce(d->src, d->dst, d->n, MPI_INT, MPI_SUM, ROOT, MPI_COMM_WORLD);
}
static void run_allreduce(data *d)
{
    MPI_Allreduce(d->src, d->dst, d->n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void run_allgather(data *d)
{
    MPI_Allgather(d->src, d->n, MPI_INT, d->dst, d->n, MPI_INT, MPI_COMM_WORLD);
}
static void run_alltoall(data *d)
{
    MPI_Alltoall(d->src, d->n, MPI_INT, d->dst, d->n, MPI_INT, MPI_COMM_WORLD);
}

/* Element i of the source buffer of rank r. */
static int given(int r, int i) { return 1 + i % 1000 + 1000 * r; }

static int expect_root(const data *d, int i)
{
    (void)d;
    return given(ROOT, i);
}
static int expect_sum(const data *d, int i)
{
    return d->p * (1 + i % 1000) + 1000 * (d->p * (d->p - 1) / 2);
}
static int expect_gathered(const data *d, int i) { return given(i / d->n, i % d->n); }
static int expect_exchanged(const data *d, int i)
{
    return given(i / d->n, d->r * d->n + i % d->n);
}

static const struct {
    const char *name;
    void (*run)(data *d);
    int (*expect)(const data *d, int i); /* NULL: no result */
    bool all;                            /* every rank has the result, not only the root */
    bool per_rank;                       /* the result has one block for every rank */
} operations[] = {
    {"barrier", run_barrier, NULL, true, false},
    {"bcast", run_bcast, expect_root, true, false},
    {"reduce", run_reduce, expect_sum, false, false},
    {"allreduce", run_allreduce, expect_sum, true, false},
    {"allgather", run_allgather, expect_gathered, true, true},
    {"alltoall", run_alltoall, expect_exchanged, true, true},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static bool right(int op, const data *d)
{
    if (operations[op].expect == NULL || (!operations[op].all && d->r != ROOT))
        return true;
    const bool at_source = operations[op].run == run_bcast && d->r == ROOT;
    const int *result = at_source ? d->src : d->dst;
    const int n = operations[op].per_rank ? d->n * d->p : d->n;
    for (int i = 0; i < n; i++)
        if (result[i] != operations[op].expect(d, i))
            return false;
    return true;
}

/* ---- timing ---- */

/* Seconds of one call, averaged over `calls`, of the slowest rank. */
static double batch(int op, data *d, int calls)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        operations[op].run(d);
    const double mine = (MPI_Wtime() - began) / calls;
    double slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median over batches that together take about `seconds`.  All ranks make the same number of
 * calls because they share the time of the first batch. */
static double median_time(int op, data *d, double seconds)
{
    batch(op, d, 2);
    const double first = batch(op, d, 3);
    const double fit = seconds / BATCHES / (first > 0 ? first : 1e-7);
    const int calls = fit < 1 ? 1 : fit > 100000 ? 100000 : (int)fit;
    double times[BATCHES];
    for (int i = 0; i < BATCHES; i++)
        times[i] = batch(op, d, calls);
    qsort(times, BATCHES, sizeof *times, ascending);
    return times[BATCHES / 2];
}

static bool row(int op, data *d, double seconds)
{
    for (int i = 0; i < d->n * d->p; i++) {
        d->src[i] = given(d->r, i);
        d->dst[i] = -1;
    }
    const double time = median_time(op, d, seconds);
    const int mine = right(op, d);
    int all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (d->r == ROOT) {
        const long bytes = operations[op].expect == NULL ? 0 : (long)(d->n * sizeof(int));
        printf("%-10s %8ld %12.2f%s\n", operations[op].name, bytes, time * 1e6,
               all ? "" : "  WRONG");
        fflush(stdout);
    }
    return all;
}

int main(int argc, char **argv)
{
    static const int counts[] = {2, 1024, 65536};
    enum { COUNTS = sizeof counts / sizeof *counts };
    MPI_Init(&argc, &argv);
    const double seconds = argc > 1 ? atof(argv[1]) : 0.05;
    data d = {0};
    MPI_Comm_size(MPI_COMM_WORLD, &d.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &d.r);
    const size_t room = (size_t)counts[COUNTS - 1] * (size_t)d.p * sizeof(int);
    d.src = malloc(room);
    d.dst = malloc(room);
    bool good = d.src != NULL && d.dst != NULL;
    if (!good)
        MPI_Abort(MPI_COMM_WORLD, 4);
    if (d.r == ROOT)
        printf("%-10s %8s %12s\n", "operation", "bytes", "microseconds");
    for (int op = 0; op < OPERATIONS; op++)
        for (int i = 0; i < (operations[op].expect == NULL ? 1 : COUNTS); i++) {
            d.n = counts[i];
            good = row(op, &d, seconds) && good;
        }
    free(d.src);
    free(d.dst);
    MPI_Finalize();
    return good ? 0 : 1;
}
