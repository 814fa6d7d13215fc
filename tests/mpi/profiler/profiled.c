/* profiled.c - the program with the tool: its wrappers get every call once. */
#include <stdio.h>
#include <stdlib.h>

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

/* Of a job of two ranks, one message of each kind. */
static void messages(void)
{
    const int other = t_rank ^ 1;
    int mine = t_rank, theirs = -1;
    MPI_Request request;
    if (other >= t_ranks)
        return;
    MPI_Irecv(&theirs, 1, MPI_INT, other, 7, MPI_COMM_WORLD, &request);
    MPI_Send(&mine, 1, MPI_INT, other, 7, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    t_check(theirs == other, "%d was received from %d", theirs, other);
}

static void nonblocking(void)
{
    MPI_Request request;
    for (int i = 0; i < ROUNDS; i++) {
        int one = 1, sum = 0;
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        t_check(sum == t_ranks, "the nonblocking sum is %d", sum);
    }
}

/* With TEST_UNCOUNTED, no tool counts: a profiler makes calls of its own. */
static void check_calls(int which, int wanted, const char *name)
{
    if (getenv("TEST_UNCOUNTED") != NULL)
        return;
    t_check(wrapper_calls(which) == wanted, "%d calls of %s instead of %d", wrapper_calls(which),
            name, wanted);
}

int main(int argc, char **argv)
{
    MPI_Comm dup;
    MPI_Init(&argc, &argv);
    t_start(30);
    t_point("results are right, and a counting tool gets every call once");
    rounds(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    rounds(dup);
    MPI_Comm_free(&dup);
    check_calls(WRAPPED_ALLREDUCE, 2 * ROUNDS, "MPI_Allreduce");
    check_calls(WRAPPED_BCAST, 2 * ROUNDS, "MPI_Bcast");
    check_calls(WRAPPED_COMM_FREE, 1, "MPI_Comm_free");
    t_point("also nonblocking calls, and messages of the program only");
    nonblocking();
    messages();
    check_calls(WRAPPED_IALLREDUCE, ROUNDS, "MPI_Iallreduce");
    check_calls(WRAPPED_MESSAGES, t_ranks == 2 ? 2 : 0, "starts of messages");
    const int code = t_finish();
    MPI_Finalize();
    const int wanted = getenv("TEST_UNCOUNTED") == NULL;
    if (wrapper_calls(WRAPPED_FINALIZE) != wanted)
        fprintf(stderr, "%d calls of MPI_Finalize\n", wrapper_calls(WRAPPED_FINALIZE));
    return code || wrapper_calls(WRAPPED_FINALIZE) != wanted;
}
