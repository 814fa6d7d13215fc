/* linear.c - every rank sends to all others at once, and receives from them: prints the simulated
 * microseconds until the last rank has everything, or what arrived wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 128, MOST = 256 };

static int sent[MOST][WORDS], received[MOST][WORDS];

static void fill(int me, int p)
{
    for (int peer = 0; peer < p; peer++)
        for (int i = 0; i < WORDS; i++)
            sent[peer][i] = me * MOST * WORDS + peer * WORDS + i;
}

static int count_wrong(int me, int p)
{
    int wrong = 0;
    for (int peer = 0; peer < p; peer++)
        for (int i = 0; i < WORDS && peer != me; i++)
            wrong += received[peer][i] != peer * MOST * WORDS + me * WORDS + i;
    return wrong;
}

static void exchange(int me, int p)
{
    MPI_Request requests[2 * MOST];
    int n = 0;
    for (int i = 1; i < p; i++) {
        const int from = (me + i) % p;
        MPI_Irecv(received[from], WORDS, MPI_INT, from, 0, MPI_COMM_WORLD, &requests[n++]);
    }
    for (int i = 1; i < p; i++) {
        const int to = (me + p - i) % p;
        MPI_Isend(sent[to], WORDS, MPI_INT, to, 0, MPI_COMM_WORLD, &requests[n++]);
    }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int p, me, wrong;
    double last;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (p > MOST)
        MPI_Abort(MPI_COMM_WORLD, 2);
    fill(me, p);
    for (int i = 0; i < 3; i++)
        exchange(me, p);
    const double now = MPI_Wtime();
    wrong = count_wrong(me, p);
    MPI_Reduce(&now, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0)
        printf("%.3f us, %d wrong\n", 1e6 * last, wrong);
    MPI_Finalize();
    return wrong != 0;
}
