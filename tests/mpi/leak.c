/* leak.c - leaks memory on every rank, for the test of the leak check. */
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
