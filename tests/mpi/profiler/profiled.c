/* profiled.c - the program with the tool: its wrappers get every call once. */
#include <stdio.h>

#include "harness.h"
#include "wrappers.h"

enum { ROUNDS = 40 };

static void rounds(MPI_Comm comm)
{
    for (int i = 0; i < ROUNDS; i++) {
        int one = 1, sum = 0, word = t_rank == i % t_ranks ? i : -1;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
        t_check(sum == t_ranks, "the sum is %d", sum);
        MPI_Bcast(&word, 1, MPI_INT, i % t_ranks, comm);
        t_check(word == i, "bcast received %d", word);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm dup;
    MPI_Init(&argc, &argv);
    t_start(30);
    t_point("the wrappers of the tool get every call once");
    rounds(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    rounds(dup);
    MPI_Comm_free(&dup);
    t_check(wrapper_calls(WRAPPED_ALLREDUCE) == 2 * ROUNDS, "%d calls of MPI_Allreduce",
            wrapper_calls(WRAPPED_ALLREDUCE));
    t_check(wrapper_calls(WRAPPED_BCAST) == 2 * ROUNDS, "%d calls of MPI_Bcast",
            wrapper_calls(WRAPPED_BCAST));
    t_check(wrapper_calls(WRAPPED_COMM_FREE) == 1, "%d calls of MPI_Comm_free",
            wrapper_calls(WRAPPED_COMM_FREE));
    const int code = t_finish();
    MPI_Finalize();
    if (wrapper_calls(WRAPPED_FINALIZE) != 1)
        fprintf(stderr, "%d calls of MPI_Finalize\n", wrapper_calls(WRAPPED_FINALIZE));
    return code || wrapper_calls(WRAPPED_FINALIZE) != 1;
}
