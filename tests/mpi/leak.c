/* leak.c - loses some blocks on every rank: what the search for leaks must find. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static void *volatile lost;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 10; i++)
        lost = malloc(1234);
    lost = NULL;
    MPI_Finalize();
    return lost != NULL;
}
