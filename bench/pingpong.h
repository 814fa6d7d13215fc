/* pingpong.h - the least latency between two processes: a flag of 8 bytes in shared memory, which
 * each of them stores in turn.  For core/limits.c and limits.c. */
#ifndef BENCH_PINGPONG_H
#define BENCH_PINGPONG_H

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

/* The flags of both sides, on separate pairs of cache lines. */
typedef struct {
    _Alignas(256) _Atomic uint64_t flag[2][32];
} pingpong;

/* `trips` round trips, counted on from `*count`, which both sides initialise with 0. */
static inline void pingpong_run(pingpong *p, int side, uint64_t *count, int trips)
{
    _Atomic uint64_t *const mine = p->flag[side], *const other = p->flag[1 - side];
    for (int i = 0; i < trips; i++) {
        const uint64_t n = ++*count;
        if (side == 0)
            atomic_store_explicit(mine, n, memory_order_release);
        while (atomic_load_explicit(other, memory_order_acquire) != n)
            continue;
        if (side == 1)
            atomic_store_explicit(mine, n, memory_order_release);
    }
}

/* Binds the process to the n-th processor that it may use, as long as there are enough. */
static inline void pingpong_pin(int n)
{
    cpu_set_t may, one;
    if (sched_getaffinity(0, sizeof may, &may) != 0 || CPU_COUNT(&may) <= n)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &may) && n-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
        }
}

static inline int estimate_ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

/* The median of the values, which are sorted, and its 95 % confidence interval by order
 * statistics. */
typedef struct {
    double mid, lo, hi;
} estimate;

static inline estimate estimate_of(double *v, int n)
{
    int below = 0; /* about n / 2 - 0.98 sqrt(n) */
    while (below + 1 < n / 2 && (n / 2.0 - below - 1) * (n / 2.0 - below - 1) > 0.9604 * n)
        below++;
    qsort(v, (size_t)n, sizeof *v, estimate_ascending);
    return (estimate){n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]), v[below],
                      v[n - 1 - below]};
}

#endif
