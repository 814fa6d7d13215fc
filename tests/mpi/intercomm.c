/* intercomm.c - collectives on intercommunicators, which stay native, between served calls on their
 * local groups.  For 2 ranks and more. */
#include "exercise.h"

#include <stdlib.h>

static MPI_Comm local, inter; /* even ranks are one group, odd ranks the other */
static int side, local_rank, local_size, remote_size;

static void make(void)
{
    side = t_rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, side, t_rank, &local);
    MPI_Comm_rank(local, &local_rank);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - side, 99, &inter);
    MPI_Comm_size(inter, &local_size);
    MPI_Comm_remote_size(inter, &remote_size);
}

/* The first rank of the even group is the root. */
static int root_argument(void)
{
    return side == 1 ? 0 : local_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
}

static void rooted(void)
{
    int data[3] = {side == 0 ? 41 : -1, 42, 43}, mine = 10 + local_rank, sum = -1;
    int *all = t_alloc(sizeof(int) * (size_t)remote_size);
    t_point("rooted collectives on an intercommunicator");
    MPI_Bcast(data, 3, MPI_INT, root_argument(), inter);
    t_check(data[0] == 41, "bcast received %d", data[0]);
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, root_argument(), inter);
    if (root_argument() == MPI_ROOT)
        t_check(sum == 10 * remote_size + remote_size * (remote_size - 1) / 2, "sum %d", sum);
    MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, root_argument(), inter);
    for (int i = 0; root_argument() == MPI_ROOT && i < remote_size; i++)
        t_check(all[i] == 10 + i, "gathered %d from %d", all[i], i);
    free(all);
}

static void symmetric(void)
{
    int mine = 100 * side + local_rank, sum = -1, bad = 0;
    int *all = t_alloc(sizeof(int) * (size_t)remote_size);
    int *out = t_alloc(sizeof(int) * (size_t)remote_size);
    t_point("collectives without root on an intercommunicator");
    MPI_Barrier(inter);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter);
    t_check(sum == 100 * (1 - side) * remote_size + remote_size * (remote_size - 1) / 2,
            "the other group's sum is %d", sum);
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, inter);
    for (int i = 0; i < remote_size; i++)
        bad += all[i] != 100 * (1 - side) + i;
    for (int i = 0; i < remote_size; i++)
        out[i] = 1000 * local_rank + i;
    MPI_Alltoall(out, 1, MPI_INT, all, 1, MPI_INT, inter);
    for (int i = 0; i < remote_size; i++)
        bad += all[i] != 1000 * i + local_rank;
    t_check(bad == 0, "%d wrong values", bad);
    free(all);
    free(out);
}

static void merged(void)
{
    MPI_Comm both;
    t_point("collectives on the merged communicator");
    MPI_Intercomm_merge(inter, side, &both);
    for (int i = 0; i < 12; i++)
        t_check(t_exercise_all(both, (uint64_t)i, 40) == 0, "wrong result");
    MPI_Comm_free(&both);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(60);
    t_exercise_begin();
    if (t_ranks < 2)
        t_die("needs 2 ranks");
    make();
    for (int i = 0; i < 12; i++)
        t_exercise(12, local, (uint64_t)i, 10);
    rooted();
    t_point("collectives on the local groups");
    t_check(t_exercise_all(local, 9, 40) == 0, "wrong result");
    symmetric();
    merged();
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
