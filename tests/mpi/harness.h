/* harness.h - shared by all MPI test programs: TAP points over all ranks, a watchdog that prints
 * where each rank hangs, reproducible random numbers, and native routines of the MPI library. */
#ifndef TEST_HARNESS_H
#define TEST_HARNESS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The MPI library that the program is built for. */
#ifdef OPEN_MPI
enum { T_OPEN_MPI = 1 };
#else
enum { T_OPEN_MPI = 0 };
#endif
#ifdef SMPI_H
enum { T_SMPI = 1 };
#else
enum { T_SMPI = 0 };
#endif

/* ---- lifecycle: t_start after MPI_Init, t_finish before MPI_Finalize ---- */

/* `seconds`: after that time (TEST_SECONDS overrides it), times TEST_PATIENCE, every rank prints
 * its current step and the job ends. */
void t_start(unsigned seconds);
/* Gathers the results with point-to-point messages, prints TAP on rank 0, returns the exit code. */
int t_finish(void);
extern int t_rank, t_ranks; /* in MPI_COMM_WORLD */

/* Starts a test point (a line of TAP); all ranks must start the same points. */
void t_point(const char *name);
/* Marks the current point as not run, with the reason. */
void t_skip(const char *why);
/* The current step: printed by the watchdog and before failures. */
void t_where(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* One check of the current point; the first failure's message is printed. */
bool t_check(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a message on stderr and ends the job: for failures after which ranks cannot continue. */
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

/* The routines that the program calls, interposed by preloaded libraries. */
extern const t_routines t_mpi;
/* The PMPI routines, resolved in the file of the MPI library. */
const t_routines *t_real(void);
/* Any other routine of that file. */
void *t_real_routine(const char *name);

void *t_alloc(size_t bytes); /* never NULL */
/* Memory on every rank, or NULL on all: if a rank has none, if there are not 2 ranks, or if the
 * host has less than `need_mb` free in total; the current point is then skipped. */
void *t_alloc_large(size_t bytes, long need_mb);

/* Links gethostname of fakehosts.c into the program. */
void t_fake_hosts(void);

#endif
