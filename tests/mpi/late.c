/* late.c - a program with arrival skew.
 *
 *   late CALLS MICROSECONDS
 *
 * Every second rank enters each call MICROSECONDS later; every value is checked. */
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"

enum { WORDS = 3000 }; /* several segments */

static long wrong_bcast(int r, int call, int n)
{
    static int buf[WORDS];
    long wrong = 0;

    for (int i = 0; i < n; i++)
        buf[i] = r == 0 ? i ^ call : -1;
    MPI_Bcast(buf, n, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        wrong += buf[i] != (i ^ call);
    return wrong;
}

static long wrong_sums(int p, int r, int call, int n, bool everywhere)
{
    static int64_t in[WORDS], out[WORDS];
    long wrong = 0;

    for (int i = 0; i < n; i++) {
        in[i] = (int64_t)(r + 1) * (i + call);
        out[i] = -1;
    }
    if (everywhere)
        MPI_Allreduce(in, out, n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Reduce(in, out, n, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; i < n && (everywhere || r == 0); i++)
        wrong += out[i] != (int64_t)p * (p + 1) / 2 * (i + call);
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(100);
    const int calls = argc > 1 ? atoi(argv[1]) : 100, late_us = argc > 2 ? atoi(argv[2]) : 1000;
    long wrong = 0;
    t_point("values are correct with late ranks in every call");
    for (int call = 0; call < calls; call++) {
        const int n = call % 4 == 3 ? WORDS : 100;
        if (t_rank % 2 == 1)
            usleep((useconds_t)late_us);
        wrong += wrong_bcast(t_rank, call, n);
        wrong += wrong_sums(t_ranks, t_rank, call, n, false);
        wrong += wrong_sums(t_ranks, t_rank, call, n, true);
    }
    t_check(wrong == 0, "%ld values are wrong", wrong);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
