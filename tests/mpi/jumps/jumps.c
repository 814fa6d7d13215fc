/* jumps.c - preloaded into jobs whose clocks are set while they run.
 *
 *   TEST_JUMP=RANK:CLOCK:SECONDS:READS
 *
 * From the given read of any clock on, CLOCK (`wall`: of the day, `all`: that of MPI_Wtime, too)
 * differs by SECONDS; RANK `all`: on all ranks.  At its end the process reports the jump. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static bool active, all_clocks;
static long seconds, reads;
static atomic_long done;

__attribute__((constructor)) static void begin(void)
{
    const char *const jump = getenv("TEST_JUMP"), *rank = getenv("PMI_RANK");
    char ranks[16], clock[16];
    if (rank == NULL)
        rank = getenv("OMPI_COMM_WORLD_RANK");
    if (jump == NULL || rank == NULL ||
        sscanf(jump, "%15[^:]:%15[^:]:%ld:%ld", ranks, clock, &seconds, &reads) != 4)
        return;
    all_clocks = strcmp(clock, "all") == 0;
    active = strcmp(ranks, "all") == 0 || strcmp(ranks, rank) == 0;
}

__attribute__((destructor)) static void end(void)
{
    if (active && done > reads)
        fprintf(stderr, "the clock of a rank has jumped\n");
}

static long shift(clockid_t clock)
{
    const bool wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE,
               steady = clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE ||
                        clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME;
    return active && done++ >= reads && (wall || (steady && all_clocks)) ? seconds : 0;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    const int code = (int)syscall(SYS_clock_gettime, clock, t);
    t->tv_sec += shift(clock);
    return code;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *t = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *to)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to != NULL)
        *to = now.tv_sec;
    return now.tv_sec;
}
