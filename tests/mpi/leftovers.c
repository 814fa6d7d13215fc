/* leftovers.c - a program that ends with messages that were never received, on rank 0, and receives
 * that were never completed, on the others: communication at the end of the job must not meet them.
 * Such programs are incorrect, but run. */
#include "harness.h"

int main(int argc, char **argv)
{
    static int64_t sent = INT64_MAX, received[64];
    MPI_Request request;
    double most = 1;

    MPI_Init(&argc, &argv);
    t_start(60);
    t_point("collectives before the end");
    for (int i = 0; i < 2000; i++)
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    t_check(most == 1, "the result is %g", most);
    const int verdict = t_finish();
    if (t_rank != 0) {
        MPI_Isend(&sent, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        MPI_Irecv(received, 64, MPI_INT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    }
    MPI_Finalize();
    return verdict;
}
