/* first.c - one broadcast, and the simulated microseconds of the whole job. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char data[1024] = "";
    int r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    MPI_Bcast(data, sizeof data, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (r == 0)
        printf("%.3f\n", 1e6 * MPI_Wtime()); /* the time of the simulation begins at 0 */
    MPI_Finalize();
    return 0;
}
