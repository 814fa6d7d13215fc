/* endless.c - a job that does not end. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int r;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    if (r == 0)
        printf("started\n");
    fflush(stdout);
    for (;;)
        MPI_Barrier(MPI_COMM_WORLD);
}
