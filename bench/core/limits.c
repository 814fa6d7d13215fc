/* limits.c - limits of the machine for messages inside of a host, without MPI: the one-way latency
 * of a flag between two processes on two processors, and the time of a memcpy, with buffers that
 * are in no cache (cold) and that were just used (warm).
 *
 *   limits [ROUNDS]
 *
 * Prints CSV: limit, bytes, rounds, and median and 95 % confidence interval in microseconds. */
#include "../pingpong.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TRIPS = 2000, ARENA = 256 << 20 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print(const char *limit, size_t bytes, double *seconds, int rounds)
{
    const estimate e = estimate_of(seconds, rounds);
    printf("%s,%zu,%d,%.4f,%.4f,%.4f\n", limit, bytes, rounds, 1e6 * e.mid, 1e6 * e.lo, 1e6 * e.hi);
}

static void *map(size_t bytes, int how)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return at;
}

static void measure_flag(double *seconds, int rounds)
{
    pingpong *shared = map(sizeof *shared, MAP_SHARED);
    uint64_t count = 0;
    const pid_t child = fork();
    pingpong_pin(child == 0);
    for (int i = -1; i < rounds; i++) { /* the first round is a warm-up */
        const double start = now();
        pingpong_run(shared, child == 0, &count, TRIPS);
        if (i >= 0)
            seconds[i] = (now() - start) / (2.0 * TRIPS);
    }
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    print("flag", 8, seconds, rounds);
}

/* Cold: the next part of a large arena in every round. */
static void measure_copy(const char *name, char *arena, size_t step, size_t bytes, double *seconds,
                         int rounds)
{
    size_t at = 0;
    for (int i = -1; i < rounds; i++, at += step) {
        if (at + 2 * bytes > ARENA)
            at = 0;
        const double start = now();
        memcpy(arena + at, arena + at + bytes, bytes);
        if (i >= 0)
            seconds[i] = now() - start;
    }
    print(name, bytes, seconds, rounds);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 && atoi(argv[1]) > 5 ? atoi(argv[1]) : 101;
    double *seconds = calloc((size_t)rounds, sizeof *seconds);
    char *arena = map(ARENA, MAP_PRIVATE);
    memset(arena, 1, ARENA);
    puts("limit,bytes,rounds,us,lo,hi");
    measure_flag(seconds, rounds);
    for (size_t bytes = 64 << 10; bytes <= 4 << 20; bytes *= 4) {
        measure_copy("cold", arena, 2 * bytes, bytes, seconds, rounds);
        measure_copy("warm", arena, 0, bytes, seconds, rounds);
    }
    free(seconds);
    return 0;
}
