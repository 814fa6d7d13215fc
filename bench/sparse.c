/* sparse.c - an iterative program that exchanges data with three other ranks by MPI_Alltoallv and
 * then, as solvers do, adds up a number over all ranks; for the comparison of whole runs.  Prints
 * one line per iteration: its number and the microseconds from the start of the loop until the last
 * rank ended it.
 *
 *   sparse GRAPH KILOBYTES ITERATIONS [BETWEEN_US]
 *
 * ring: each rank sends to both neighbours on a ring of all ranks and to the opposite rank; cube:
 * to the ranks that differ in one of the three lowest bits; random: to three ranks drawn for each.
 * KILOBYTES 0: every message has 16, 32, 64, 128 or 256, drawn for each.  ITERATIONS 0: prints
 * SENDER,RECEIVER,BYTES of every message instead. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PEERS = 3, SMALLEST = 16, SIZES = 5 };

static unsigned mixed(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352dU;
    x = (x ^ x >> 15) * 0x846ca68bU;
    return x ^ x >> 16;
}

/* ---- graphs: peer k of a rank ---- */

static int ring(int p, int r, int k)
{
    const int by[PEERS] = {1, p - 1, p / 2};
    return (r + by[k]) % p;
}
static int cube(int p, int r, int k) { return (r ^ 1 << k) < p ? r ^ 1 << k : r; }
static int drawn(int p, int r, int k)
{
    return (r + 1 + (int)(mixed((unsigned)(PEERS * r + k)) % (unsigned)(p - 1))) % p;
}

static const struct {
    const char *name;
    int (*peer)(int p, int r, int k);
} graphs[] = {{"ring", ring}, {"cube", cube}, {"random", drawn}};
enum { GRAPHS = sizeof graphs / sizeof *graphs };

static int bytes_of(int graph, int kilobytes, int p, int from, int to)
{
    const unsigned draw = mixed((unsigned)(from * p + to)) % SIZES;
    bool peers = false;
    for (int k = 0; k < PEERS; k++)
        peers = peers || (graphs[graph].peer(p, from, k) == to && from != to);
    return !peers ? 0 : 1024 * (kilobytes > 0 ? kilobytes : SMALLEST << draw);
}

/* ---- the program ---- */

typedef struct {
    int *out, *in, *from, *to; /* p of each */
    char *source, *result;
} exchange;

static exchange begin(int graph, int kilobytes, int p, int r)
{
    int *const v = calloc(4 * (size_t)p, sizeof *v), sent = 0, received = 0;
    exchange x = {v, v + p, v + 2 * p, v + 3 * p, NULL, NULL};
    for (int j = 0; j < p; j++) {
        x.out[j] = bytes_of(graph, kilobytes, p, r, j);
        x.in[j] = bytes_of(graph, kilobytes, p, j, r);
        x.from[j] = sent;
        x.to[j] = received;
        sent += x.out[j];
        received += x.in[j];
    }
    x.source = calloc((size_t)sent + 1, 1);
    x.result = calloc((size_t)received + 1, 1);
    return x;
}

/* One byte of every message shows whether it has arrived. */
static long iterate(const exchange *x, int p, int r, int i)
{
    long wrong = 0;
    for (int j = 0; j < p; j++)
        if (x->out[j] > 0)
            x->source[x->from[j]] = (char)(r + j + i);
    MPI_Alltoallv(x->source, x->out, x->from, MPI_BYTE, x->result, x->in, x->to, MPI_BYTE,
                  MPI_COMM_WORLD);
    for (int j = 0; j < p; j++)
        wrong += x->in[j] > 0 && x->result[x->to[j]] != (char)(r + j + i);
    double residual = 1, sum = 0;
    MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return wrong + (sum != p);
}

/* Sleeps instead of computing, because there may be more ranks than cores. */
static void compute(int us)
{
    const struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000L};
    if (us > 0)
        nanosleep(&t, NULL);
}

static int find_graph(const char *name)
{
    for (int i = 0; i < GRAPHS; i++)
        if (strcmp(graphs[i].name, name) == 0)
            return i;
    fprintf(stderr, "sparse: unknown graph '%s'; ring, cube or random\n", name);
    exit(2);
}

static void list_messages(int graph, int kilobytes, int p)
{
    for (int i = 0; i < p * p; i++)
        if (bytes_of(graph, kilobytes, p, i / p, i % p) > 0)
            printf("%d,%d,%d\n", i / p, i % p, bytes_of(graph, kilobytes, p, i / p, i % p));
}

int main(int argc, char **argv)
{
    int p, r;
    const int graph = find_graph(argc > 1 ? argv[1] : "ring");
    const int kilobytes = argc > 2 ? atoi(argv[2]) : 64, n = argc > 3 ? atoi(argv[3]) : 100;
    const int between = argc > 4 ? atoi(argv[4]) : 1500;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    if (r == 0 && n == 0)
        list_messages(graph, kilobytes, p);
    const exchange x = begin(graph, kilobytes, p, r);
    double *const took = calloc(2 * (size_t)n + 1, sizeof *took), *const last = took + n;
    long wrong = 0, all = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        compute(between);
        wrong += iterate(&x, p, r, i);
        took[i] = 1e6 * (MPI_Wtime() - start);
    }
    MPI_Reduce(took, last, n, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; r == 0 && i < n; i++)
        printf("%d,%.1f\n", i, last[i]);
    if (r == 0 && all > 0)
        fprintf(stderr, "sparse: %ld wrong messages\n", all);
    free(took);
    free(x.out);
    free(x.source);
    free(x.result);
    MPI_Finalize();
    return all > 0;
}
