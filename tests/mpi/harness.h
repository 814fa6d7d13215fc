/* harness.h - what every MPI test program needs: TAP points judged by all ranks, a watchdog that
 * says where each rank hangs, reproducible random numbers, and the MPI library's own routines. */
#ifndef TEST_HARNESS_H
#define TEST_HARNESS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which library the program is built for. */
#ifdef OPEN_MPI
enum { T_OPEN_MPI = 1 };
#else
enum { T_OPEN_MPI = 0 };
#endif

/* ---- lifecycle: t_start after MPI_Init, t_finish before MPI_Finalize ---- */

/* `seconds`: after that time (TEST_SECONDS overrides it), times TEST_PATIENCE, every rank says what
 * it was doing and the job ends. */
void t_start(unsigned seconds);
/* Gathers the verdicts with point-to-point messages, prints TAP on rank 0, returns exit code. */
int t_finish(void);
extern int t_rank, t_ranks; /* in MPI_COMM_WORLD */

/* Begins a test point (a line of TAP); all ranks must begin the same points. */
void t_point(const char *name);
/* Marks the current point as not run, with the reason. */
void t_skip(const char *why);
/* What is going on now: named by the watchdog and in front of failures. */
void t_where(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* One check of the current point; the first failure's message is printed. */
bool t_check(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports now, on stderr, and ends the job: for failures after which the ranks cannot go on. */
void t_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- reproducible random numbers ---- */

typedef struct {
    uint64_t state;
} t_rng;
t_rng t_seed(uint64_t a, uint64_t b, uint64_t c);
uint64_t t_next(t_rng *rng);
int t_below(t_rng *rng, int n); /* 0 .. n-1 */
void t_bytes(uint64_t seed, void *out, size_t bytes);
/* Random order of 0..n-1. */
void t_shuffle(t_rng *rng, int *v, int n);

/* ---- the MPI library itself, below any interposition ---- */

#define T_COLLECTIVES(X)                                                                           \
    X(Barrier)                                                                                     \
    X(Bcast)                                                                                       \
    X(Gather)                                                                                      \
    X(Gatherv)                                                                                     \
    X(Scatter)                                                                                     \
    X(Scatterv)                                                                                    \
    X(Allgather)                                                                                   \
    X(Allgatherv)                                                                                  \
    X(Alltoall)                                                                                    \
    X(Alltoallv)                                                                                   \
    X(Alltoallw) X(Reduce) X(Allreduce) X(Reduce_scatter) X(Reduce_scatter_block) X(Scan) X(Exscan)

typedef struct {
#define T_FIELD(name) __typeof__(&MPI_##name) name;
    T_COLLECTIVES(T_FIELD)
#undef T_FIELD
} t_routines;

/* What the program calls: interposed when something is preloaded. */
extern const t_routines t_mpi;
/* The library's PMPI routines found in the library's own file. */
const t_routines *t_real(void);

void *t_alloc(size_t bytes); /* never NULL */
/* What every rank gets, or NULL on all: when some rank has no room, there are not 2 of them, or the
 * host has less than `need_mb` free in all; the current point is then left out. */
void *t_alloc_large(size_t bytes, long need_mb);

/* Links gethostname of fakehosts.c into the program. */
void t_fake_hosts(void);

#endif
