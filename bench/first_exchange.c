/* first_exchange.c - cost of the first messages of a job: prints the times of MPI_Init (ms), of the
 * first exchange with all other ranks (us) and of the second one (us). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Exchanges with one partner after another, like a loop over neighbours. */
static double exchange(int p, int r)
{
    const double start = now();
    for (int i = 1; i < p; i++) {
        char out = 1, in;
        MPI_Sendrecv(&out, 1, MPI_CHAR, (r + i) % p, 0, &in, 1, MPI_CHAR, (r + p - i) % p, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return now() - start;
}

int main(int argc, char **argv)
{
    int p, r;
    const double start = now();
    MPI_Init(&argc, &argv);
    double times[3] = {1e3 * (now() - start)}, most[3];
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    times[1] = 1e6 * exchange(p, r);
    times[2] = 1e6 * exchange(p, r);
    MPI_Reduce(times, most, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (r == 0)
        printf("%.3f,%.3f,%.3f\n", most[0], most[1], most[2]);
    MPI_Finalize();
    return 0;
}
