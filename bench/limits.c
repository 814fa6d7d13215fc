/* limits.c - messages between two ranks compared with the limits of the machine, interleaved in one
 * run: the one-way latency of a broadcast with alternating roots, and of a barrier, with that of a
 * flag in shared memory; a large broadcast with a memcpy on the receiving rank.
 *
 *   limits short|long [ROUNDS]     with 2 ranks
 *
 * Prints CSV: operation, bytes, rounds, medians of limit and operation in microseconds, and the
 * median of limit / operation with its 95 % confidence interval. */
#include "pingpong.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { CALLS = 2000, COPIES = 8, ARENA = 64 << 20 };

static int rank;
static pingpong *flags;
static uint64_t count;
static char *arena; /* buffers are taken from it in turn, so that they are in no cache */
static size_t next;

static char *fresh(size_t bytes)
{
    next = next + 2 * bytes > ARENA ? 0 : next;
    char *at = arena + next;
    next += bytes;
    return at;
}

/* ---- what is measured: the time of a one-way message, or of a copy ---- */

static void run_flag(size_t bytes, int calls)
{
    (void)bytes;
    pingpong_run(flags, rank, &count, calls / 2);
}

static void run_barrier(size_t bytes, int calls)
{
    (void)bytes;
    for (int i = 0; i < calls; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void run_bcast(size_t bytes, int calls)
{
    for (int i = 0; i < calls; i++)
        MPI_Bcast(bytes > 4096 ? fresh(bytes) : arena, (int)bytes, MPI_BYTE, i % 2, MPI_COMM_WORLD);
}

/* On one rank only, because a broadcast between two ranks has one receiver at a time. */
static void run_copy(size_t bytes, int calls)
{
    for (int i = 0; i < calls && rank == 1; i++) {
        char *from = fresh(bytes), *to = fresh(bytes);
        memcpy(to, from, bytes);
    }
}

typedef void (*run_fn)(size_t bytes, int calls);

/* The time of the slower rank; the ranks start together. */
static double block(run_fn run, size_t bytes, int calls)
{
    double mine, slowest;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    run(bytes, calls);
    mine = (MPI_Wtime() - start) / calls;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

typedef struct {
    double *limit, *own, *ratio;
} samples;

static void compare(const char *name, run_fn limit, run_fn own, size_t bytes, int calls,
                    const samples *s, int rounds)
{
    for (int i = -1; i < rounds; i++) {
        const double first = block(i % 2 ? own : limit, bytes, calls);
        const double second = block(i % 2 ? limit : own, bytes, calls);
        if (i < 0)
            continue;
        s->limit[i] = i % 2 ? second : first;
        s->own[i] = i % 2 ? first : second;
        s->ratio[i] = s->limit[i] / s->own[i];
    }
    const estimate a = estimate_of(s->limit, rounds), b = estimate_of(s->own, rounds);
    const estimate r = estimate_of(s->ratio, rounds);
    if (rank == 0)
        printf("%s,%zu,%d,%.4f,%.4f,%.4f,%.4f,%.4f\n", name, bytes, rounds, 1e6 * a.mid,
               1e6 * b.mid, r.mid, r.lo, r.hi);
    fflush(stdout);
}

static void measure(bool latency, int rounds)
{
    const samples s = {calloc((size_t)rounds, sizeof(double)),
                       calloc((size_t)rounds, sizeof(double)),
                       calloc((size_t)rounds, sizeof(double))};
    if (rank == 0)
        puts("operation,bytes,rounds,limit_us,own_us,ratio,lo,hi");
    if (latency) {
        compare("bcast", run_flag, run_bcast, 8, CALLS, &s, rounds);
        compare("barrier", run_flag, run_barrier, 0, CALLS, &s, rounds);
    }
    for (size_t bytes = 64 << 10; bytes <= 4 << 20 && !latency; bytes *= 4)
        compare("bcast", run_copy, run_bcast, bytes, COPIES, &s, rounds);
    free(s.limit);
    free(s.own);
    free(s.ratio);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 2 && atoi(argv[2]) > 5 ? atoi(argv[2]) : 101;
    const bool latency = argc > 1 && strcmp(argv[1], "short") == 0;
    int ranks, unit;
    MPI_Aint bytes;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) {
        fprintf(stderr, "limits: needs 2 ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Win_allocate_shared(rank == 0 ? 2 * sizeof(pingpong) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                            &flags, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &flags);
    flags = (pingpong *)((char *)flags + 255 - ((uintptr_t)flags + 255) % 256);
    if (rank == 0)
        memset(flags, 0, sizeof *flags);
    arena = malloc(ARENA);
    memset(arena, 1, ARENA);
    pingpong_pin(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    measure(latency, rounds);
    free(arena);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
