/* operations.c - compares short collectives as the application calls them (interposed by Attune)
 * with the native routines, which bypass Attune, in one run.
 *
 *   operations OPERATION ROUNDS SECONDS BYTES ...
 *   OPERATION: allreduce | barrier | bcast | reduce | allgather | alltoall
 *
 * Every round has a block of calls of each variant - native, attune, and native again as control -
 * in a random order.  Roots rotate, so that no rank can run ahead.  The time of a block is that of
 * the slowest rank.  Rank 0 prints CSV: medians in microseconds, and the medians of native / attune
 * and native / control over rounds with their 95 % confidence intervals. */
#include "pingpong.h"

#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    __typeof__(&MPI_Allreduce) allreduce;
    __typeof__(&MPI_Barrier) barrier;
    __typeof__(&MPI_Bcast) bcast;
    __typeof__(&MPI_Reduce) reduce;
    __typeof__(&MPI_Allgather) allgather;
    __typeof__(&MPI_Alltoall) alltoall;
} routines;

static const MPI_Comm world = MPI_COMM_WORLD;
static int rank, ranks;
static double *src, *dst;

/* ---- blocks of calls; all routines are called through pointers ---- */

static void run_allreduce(const routines *f, int n, int calls)
{
    for (int i = 0; i < calls; i++)
        f->allreduce(src, dst, n, MPI_DOUBLE, MPI_SUM, world);
}

static void run_barrier(const routines *f, int n, int calls)
{
    (void)n;
    for (int i = 0; i < calls; i++)
        f->barrier(world);
}

static void run_bcast(const routines *f, int n, int calls)
{
    for (int i = 0, root = 0; i < calls; i++, root = root + 1 == ranks ? 0 : root + 1)
        f->bcast(src, n, MPI_DOUBLE, root, world);
}

static void run_reduce(const routines *f, int n, int calls)
{
    for (int i = 0, root = 0; i < calls; i++, root = root + 1 == ranks ? 0 : root + 1)
        f->reduce(src, dst, n, MPI_DOUBLE, MPI_SUM, root, world);
}

static void run_allgather(const routines *f, int n, int calls)
{
    for (int i = 0; i < calls; i++)
        f->allgather(src, n, MPI_DOUBLE, dst, n, MPI_DOUBLE, world);
}

static void run_alltoall(const routines *f, int n, int calls)
{
    for (int i = 0; i < calls; i++)
        f->alltoall(src, n, MPI_DOUBLE, dst, n, MPI_DOUBLE, world);
}

typedef void (*run_fn)(const routines *f, int n, int calls);
static const struct {
    const char *name;
    run_fn run;
} operations[] = {
    {"allreduce", run_allreduce}, {"barrier", run_barrier},     {"bcast", run_bcast},
    {"reduce", run_reduce},       {"allgather", run_allgather}, {"alltoall", run_alltoall},
};

static run_fn find_operation(const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(operations[i].name, name) == 0)
            return operations[i].run;
    return NULL;
}

/* ---- routines ---- */

static const routines interposed = {
    MPI_Allreduce, MPI_Barrier, MPI_Bcast, MPI_Reduce, MPI_Allgather, MPI_Alltoall,
};
static routines native;

/* Attune also exports the PMPI_ names, so look the symbols up in the MPI library itself. */
static int find_native(void)
{
    static const char *const names[] = {"libmpi.so.40", "libmpich.so.12"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return 0;
    *(void **)&native.allreduce = dlsym(library, "PMPI_Allreduce");
    *(void **)&native.barrier = dlsym(library, "PMPI_Barrier");
    *(void **)&native.bcast = dlsym(library, "PMPI_Bcast");
    *(void **)&native.reduce = dlsym(library, "PMPI_Reduce");
    *(void **)&native.allgather = dlsym(library, "PMPI_Allgather");
    *(void **)&native.alltoall = dlsym(library, "PMPI_Alltoall");
    return 1;
}

/* ---- measurement ---- */

enum { NATIVE, ATTUNE, CONTROL, VARIANTS };
enum { LEAST = 6 }; /* rounds for an interval of 95 % */

static double block(run_fn run, int variant, int n, int calls)
{
    double mine, slowest;
    native.barrier(world);
    const double start = MPI_Wtime();
    run(variant == ATTUNE ? &interposed : &native, n, calls);
    mine = (MPI_Wtime() - start) / calls;
    native.allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, world);
    return slowest;
}

/* Calls per block so that it takes about `seconds`; a multiple of the roots.  The mean, because
 * calls of oversubscribed ranks differ by orders of magnitude. */
static int choose_calls(run_fn run, int variant, int n, double seconds)
{
    double t = 0;
    block(run, variant, n, ranks);
    for (int i = 0; i < 4; i++)
        t += block(run, variant, n, ranks) / 4;
    const double calls = fmin(1e5, fmax(1, seconds / fmax(t, 1e-9)));
    return ((int)calls + ranks - 1) / ranks * ranks;
}

/* A permutation of the variants, the same on all ranks. */
static void draw_order(int order[VARIANTS])
{
    static unsigned state = 1;
    for (int i = 0; i < VARIANTS; i++) {
        const int at = (int)((state = state * 1664525u + 1013904223u) >> 16) % (i + 1);
        order[i] = order[at];
        order[at] = i;
    }
}

/* Returns the number of rounds: fewer if they take much longer than expected.  All ranks have the
 * same times. */
static int measure(run_fn run, int n, double seconds, int rounds, double *times[VARIANTS])
{
    int calls[VARIANTS], order[VARIANTS] = {0};
    double spent = 0;
    calls[NATIVE] = calls[CONTROL] = choose_calls(run, NATIVE, n, seconds / rounds / VARIANTS);
    calls[ATTUNE] = choose_calls(run, ATTUNE, n, seconds / rounds / VARIANTS);
    for (int i = 0; i < rounds; i++) {
        draw_order(order);
        for (int k = 0; k < VARIANTS; k++) {
            const int v = order[k];
            times[v][i] = block(run, v, n, calls[v]);
            spent += times[v][i] * calls[v];
        }
        if (spent > 2 * seconds && i + 1 >= LEAST)
            return i + 1;
    }
    return rounds;
}

static estimate ratio_of(const double *a, const double *b, int rounds)
{
    double *ratio = calloc((size_t)rounds, sizeof *ratio);
    for (int i = 0; i < rounds; i++)
        ratio[i] = a[i] / b[i];
    const estimate e = estimate_of(ratio, rounds);
    free(ratio);
    return e;
}

static void compare(const char *name, long bytes, int most, double seconds)
{
    const int n = (int)((bytes + 7) / 8);
    const size_t room = ((size_t)n + 1) * (size_t)ranks;
    double *times[VARIANTS];
    src = calloc(room, sizeof *src);
    dst = calloc(room, sizeof *dst);
    for (int i = 0; i < VARIANTS; i++)
        times[i] = calloc((size_t)most, sizeof **times);
    const int rounds = measure(find_operation(name), n, seconds, most, times);
    const estimate speedup = ratio_of(times[NATIVE], times[ATTUNE], rounds);
    const estimate noise = ratio_of(times[NATIVE], times[CONTROL], rounds);
    const estimate own = estimate_of(times[ATTUNE], rounds);
    const estimate base = estimate_of(times[NATIVE], rounds);
    if (rank == 0)
        printf("%s,%d,%ld,%d,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n", name, ranks, bytes, rounds,
               1e6 * base.mid, 1e6 * own.mid, speedup.mid, speedup.lo, speedup.hi, noise.mid,
               noise.lo, noise.hi);
    fflush(stdout);
    for (int i = 0; i < VARIANTS; i++)
        free(times[i]);
    free(src);
    free(dst);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    const int rounds = argc > 4 ? atoi(argv[2]) : 0;
    if (rounds < LEAST || !find_operation(argv[1]) || !find_native()) {
        if (rank == 0)
            fprintf(stderr, "usage: operations OPERATION ROUNDS(>= 6) SECONDS BYTES ...\n");
        MPI_Abort(world, 2);
    }
    if (rank == 0)
        puts("operation,ranks,bytes,rounds,native_us,attune_us,speedup,lo,hi,"
             "control,control_lo,control_hi");
    for (int i = 4; i < argc; i++)
        compare(argv[1], atol(argv[i]), rounds, atof(argv[3]));
    MPI_Finalize();
    return 0;
}
