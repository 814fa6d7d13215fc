/* ordered.c - long sums of doubles, repeated with the same data while the tuner tries algorithms:
 * every call must give the bits of the first one.  Writes a hash of each result to FILE.
 *
 *   ordered FILE CALLS */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements of a message; a block of reduce_scatter is as long as the other messages, so that all
 * are long. */
enum { N = 10000, MOST_RANKS = 8 };

static double in[N * MOST_RANKS], out[N * MOST_RANKS];

typedef struct {
    const char *name;
    int (*run)(const void *src, int n);
    bool takes_all;  /* N elements for each rank */
    bool everywhere; /* all ranks get the same result */
} reduction;

static int allreduce(const void *src, int n)
{
    return MPI_Allreduce(src, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static int product(const void *src, int n)
{
    return MPI_Allreduce(src, out, n, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
}
static int reduce(const void *src, int n)
{
    return MPI_Reduce(src, out, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}
static int scatter_block(const void *src, int n)
{
    return MPI_Reduce_scatter_block(src, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static int scatter(const void *src, int n)
{
    int counts[MOST_RANKS];
    for (int i = 0; i < t_ranks; i++)
        counts[i] = n;
    return MPI_Reduce_scatter(src, out, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const reduction reductions[] = {
    {"allreduce", allreduce, false, true},    {"product", product, false, true},
    {"reduce", reduce, false, false},         {"reduce_scatter_block", scatter_block, true, false},
    {"reduce_scatter", scatter, true, false},
};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

static uint64_t hash(const void *data, size_t bytes)
{
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ ((const unsigned char *)data)[i]) * 1099511628211u;
    return h;
}

/* Very different magnitudes, so that almost every sum depends on the order. */
static void make_numbers(void)
{
    t_rng rng = t_seed(11, (uint64_t)t_rank, 5);
    for (int i = 0; i < N * MOST_RANKS; i++)
        in[i] = (double)(int64_t)t_next(&rng) * 0x1p-63 * (double)(1 << t_below(&rng, 30));
}

/* In place in every third call: data and result are the same. */
static uint64_t call(const reduction *x, int i)
{
    memcpy(out, in, sizeof out);
    const bool in_place = i % 3 == 2 && x->run != reduce;
    x->run(in_place ? MPI_IN_PLACE : (void *)in, N);
    return x->run == reduce && t_rank != 0 ? 0 : hash(out, N * sizeof *out);
}

static void check_everywhere(uint64_t mine)
{
    uint64_t all[MOST_RANKS];
    MPI_Allgather(&mine, 8, MPI_BYTE, all, 8, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < t_ranks; i++)
        t_check(all[i] == mine, "rank %d has other bits than rank %d", i, t_rank);
}

static void write_hashes(FILE *file, const char *name, uint64_t mine)
{
    uint64_t all[MOST_RANKS];
    MPI_Gather(&mine, 8, MPI_BYTE, all, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 0; file != NULL && i < t_ranks; i++)
        fprintf(file, "%s, rank %d: %016llx\n", name, i, (unsigned long long)all[i]);
}

static void repeat(const reduction *x, int calls, FILE *file)
{
    t_point(x->name);
    const uint64_t first = call(x, 0);
    for (int i = 1; i < calls; i++) {
        t_where("%s, call %d", x->name, i);
        t_check(call(x, i) == first, "bits differ from the first call");
    }
    if (x->everywhere)
        check_everywhere(first);
    write_hashes(file, x->name, first);
}

int main(int argc, char **argv)
{
    t_fake_hosts();
    MPI_Init(&argc, &argv);
    t_start(100);
    if (argc < 3 || t_ranks > MOST_RANKS)
        t_die("usage: ordered FILE CALLS, on up to %d ranks", MOST_RANKS);
    FILE *const file = t_rank == 0 ? fopen(argv[1], "w") : NULL;
    make_numbers();
    for (int i = 0; i < REDUCTIONS; i++)
        repeat(&reductions[i], atoi(argv[2]), file);
    if (file != NULL)
        fclose(file);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
