/* places.c - prints the host of each rank, and returns the exit code that is its argument. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char name[MPI_MAX_PROCESSOR_NAME];
    int length, r;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    MPI_Get_processor_name(name, &length);
    printf("%d %s\n", r, name);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
