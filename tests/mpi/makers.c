/* makers.c - a program that makes many communicators, with or without nonblocking calls on them.
 *
 *   makers COUNT FIRST    starts calls on the communicators from number FIRST on */
#include "exercise.h"

#include <stdlib.h>

static int sum_of(MPI_Comm comm, int mine)
{
    MPI_Request request;
    int sum = 0;

    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return sum;
}

int main(int argc, char **argv)
{
    int p, r;
    MPI_Init(&argc, &argv);
    t_start(60);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    const int n = argc > 1 ? atoi(argv[1]) : 40, first = argc > 2 ? atoi(argv[2]) : 0;
    t_point("many communicators, one after the other");
    for (int i = 0; i < n; i++) {
        MPI_Comm comm;
        t_where("communicator %d of %d", i, n);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        t_check(i < first || sum_of(comm, r + i) == p * (p - 1) / 2 + p * i, "wrong sum");
        MPI_Comm_free(&comm);
    }
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
