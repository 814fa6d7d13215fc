/* first_run.c - iterative programs, for the comparison of whole runs.  Prints one line per
 * iteration: its number and the microseconds from the start of the loop until the last rank ended
 * it, computation included.
 *
 *   first_run CASE ITERATIONS [BETWEEN_US]
 *
 * solver: allreduce of 128 KB of doubles, bcast of 128 KB and allgather of 16 KB per rank.
 * alltoall: 16 KB for each pair of ranks, where native is among the best.
 * rare: 20 call classes, of which each iteration calls one. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LONG = 131072, BLOCK = 16384, CLASSES = 20, SIZES = 5 };

typedef struct {
    int p, r;
    double *in, *out; /* LONG bytes for each rank */
} program;

/* ---- calls; each returns whether a value of the result is right ---- */

static bool sum(const program *x, int bytes, int i)
{
    const int n = bytes / (int)sizeof(double);
    x->in[n - 1] = x->r + i;
    MPI_Allreduce(x->in, x->out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return x->out[n - 1] == x->p * (x->p - 1) / 2.0 + (double)i * x->p;
}

static bool broadcast(const program *x, int bytes, int i)
{
    const int n = bytes / (int)sizeof(double);
    x->out[n - 1] = x->r == 0 ? i : -1;
    MPI_Bcast(x->out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return x->out[n - 1] == i;
}

static bool gather(const program *x, int bytes, int i)
{
    const int n = bytes / (int)sizeof(double);
    x->in[n - 1] = x->r + i;
    MPI_Allgather(x->in, n, MPI_DOUBLE, x->out, n, MPI_DOUBLE, MPI_COMM_WORLD);
    return x->out[x->p * n - 1] == x->p - 1 + i;
}

static bool exchange(const program *x, int bytes, int i)
{
    const int n = bytes / (int)sizeof(double);
    x->in[(x->p - 1) * n] = x->r + i;
    MPI_Alltoall(x->in, n, MPI_DOUBLE, x->out, n, MPI_DOUBLE, MPI_COMM_WORLD);
    return x->r < x->p - 1 || x->out[(x->p - 1) * n] == x->p - 1 + i;
}

/* ---- cases: an iteration ---- */

static bool solver(const program *x, int i)
{
    return sum(x, LONG, i) && broadcast(x, LONG, i) && gather(x, BLOCK, i);
}

static bool alltoall(const program *x, int i) { return exchange(x, BLOCK, i); }

static bool rare(const program *x, int i)
{
    typedef bool (*call)(const program *x, int bytes, int i);
    static const call calls[CLASSES / SIZES] = {sum, broadcast, gather, exchange};
    const int class = i % CLASSES;
    return calls[class / SIZES](x, 1024 << class % SIZES, i);
}

static const struct {
    const char *name;
    bool (*iterate)(const program *x, int i);
} cases[] = {{"solver", solver}, {"alltoall", alltoall}, {"rare", rare}};
enum { CASES = sizeof cases / sizeof *cases };

/* Sleeps instead of computing, because there may be more ranks than cores. */
static void compute(int us)
{
    const struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000L};
    if (us > 0)
        nanosleep(&t, NULL);
}

static long run(const program *x, int which, int n, int between, double *took)
{
    long wrong = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        compute(between);
        wrong += !cases[which].iterate(x, i);
        took[i] = 1e6 * (MPI_Wtime() - start);
    }
    return wrong;
}

static int find_case(const char *name)
{
    for (int i = 0; i < CASES; i++)
        if (strcmp(cases[i].name, name) == 0)
            return i;
    fprintf(stderr, "first_run: unknown case '%s'; solver, alltoall or rare\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    program x;
    const int which = find_case(argc > 1 ? argv[1] : "solver");
    const int n = argc > 2 ? atoi(argv[2]) : 150, between = argc > 3 ? atoi(argv[3]) : 1500;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &x.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &x.r);
    x.in = calloc((size_t)x.p, LONG);
    x.out = calloc((size_t)x.p, LONG);
    double *const took = calloc(2 * (size_t)n, sizeof *took), *const last = took + n;
    long wrong = run(&x, which, n, between, took), all = 0;
    MPI_Reduce(took, last, n, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; x.r == 0 && i < n; i++)
        printf("%d,%.1f\n", i, last[i]);
    if (x.r == 0 && all > 0)
        fprintf(stderr, "first_run: %ld wrong results\n", all);
    free(took);
    free(x.in);
    free(x.out);
    MPI_Finalize();
    return all > 0;
}
