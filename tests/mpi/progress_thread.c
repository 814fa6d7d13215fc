/* progress_thread.c - nonblocking collectives while every rank computes, with MPI_THREAD_MULTIPLE.
 *
 *     progress_thread 0    without a progress thread: collectives do not advance
 *     progress_thread 1    with one: they do; it sleeps while none is open, and ends before
 *                          MPI_Finalize does
 *
 * Rank 0 has to forward data, and calls no MPI until another rank has the result. */
#include "harness.h"

#include <dirent.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 5 };

static _Atomic int *board; /* memory of all ranks: [0] rank 0 has started, [1] others that ended */
static int expected;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool reaches(const _Atomic int *word, int value, double limit)
{
    const double end = seconds() + limit;
    while (atomic_load(word) < value && seconds() < end)
        sched_yield();
    return atomic_load(word) >= value;
}

/* ---- the thread ---- */

/* First line of a file of a thread: comm, or stat. */
static void read_line(const char *task, const char *file, char line[256])
{
    char path[300];
    snprintf(path, sizeof path, "/proc/self/task/%s/%s", task, file);
    FILE *in = fopen(path, "r");
    if (in == NULL || fgets(line, 256, in) == NULL)
        line[0] = '\0';
    if (in != NULL)
        fclose(in);
}

/* Progress threads of this process; *asleep_p: those that sleep. */
static int count_threads(int *asleep_p)
{
    DIR *tasks = opendir("/proc/self/task");
    int n = 0;
    *asleep_p = 0;
    for (const struct dirent *e; (e = readdir(tasks)) != NULL;) {
        char line[256];
        read_line(e->d_name, "comm", line);
        if (e->d_name[0] == '.' || strcmp(line, "attune-progress\n") != 0)
            continue;
        n++;
        read_line(e->d_name, "stat", line);
        const char *end = strrchr(line, ')');
        *asleep_p += end != NULL && end[1] == ' ' && end[2] == 'S';
    }
    closedir(tasks);
    return n;
}

/* The thread may have been started, or the last call may have ended, just now. */
static void sleeps(void)
{
    const double end = seconds() + 20;
    int asleep = 0, n;
    do
        n = count_threads(&asleep);
    while ((n < expected || asleep < n) && seconds() < end);
    t_check(n == expected, "%d threads, expected %d", n, expected);
    t_check(asleep == n, "it does not sleep");
}

/* ---- calls ---- */

static void start(MPI_Request *requests, int *sums)
{
    const int one = 1;
    static int ones[CALLS];
    for (int i = 0; i < CALLS; i++) {
        ones[i] = one;
        sums[i] = 0;
        MPI_Iallreduce(&ones[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
    }
}

static void compute(void)
{
    MPI_Request requests[CALLS];
    int sums[CALLS];
    const double limit = expected ? 30 : 1;
    MPI_Barrier(MPI_COMM_WORLD);
    if (t_rank > 0)
        t_check(reaches(&board[0], 1, 30), "rank 0 has not started");
    start(requests, sums);
    if (t_rank == 0) {
        atomic_store(&board[0], 1);
        t_check(reaches(&board[1], t_ranks - 1, limit) == (expected != 0), "%s",
                expected ? "the calls have not advanced" : "the calls have advanced");
    } else if (expected) { /* without MPI, because its calls may advance those of others */
        _Atomic int *last = (_Atomic int *)&sums[CALLS - 1];
        if (reaches(last, t_ranks, 30))
            atomic_fetch_add(&board[1], 1);
    }
    MPI_Waitall(CALLS, requests, MPI_STATUSES_IGNORE);
    if (!expected)
        atomic_fetch_add(&board[1], 1);
    for (int i = 0; i < CALLS; i++)
        t_check(sums[i] == t_ranks, "a sum is %d", sums[i]);
}

int main(int argc, char **argv)
{
    MPI_Win window;
    MPI_Aint bytes;
    int provided, unit, asleep;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    t_start(100);
    expected = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Win_allocate_shared(t_rank == 0 ? 64 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &board,
                            &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &board);
    if (t_rank == 0)
        memset((void *)board, 0, 64);
    t_point("a progress thread sleeps before the first call");
    sleeps();
    t_point(expected ? "calls end while all ranks compute" : "calls do not advance outside of MPI");
    compute();
    t_point("a progress thread sleeps after the last call");
    sleeps();
    const int code = t_finish();
    MPI_Win_free(&window);
    MPI_Finalize();
    const double end = seconds() + 20; /* the system lists it for some time */
    while (count_threads(&asleep) > 0 && seconds() < end)
        sched_yield();
    if (count_threads(&asleep) > 0)
        printf("not ok - rank %d has a thread after MPI_Finalize\n", t_rank);
    return code;
}
