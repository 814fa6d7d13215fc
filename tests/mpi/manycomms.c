/* manycomms.c - many live communicators, all of them in use.
 *
 *   manycomms [COUNT] */
#include "exercise.h"

#include <stdlib.h>

static void use_all(MPI_Comm *comm, int n, const char *name)
{
    t_point(name);
    for (int i = 0; i < n; i++) {
        t_where("collectives on communicator %d of %d", i, n);
        t_check(t_exercise(12, comm[i], (uint64_t)i, 10) == 0, "wrong allreduce");
        t_check(t_exercise(1 + i % (T_EXERCISES - 1), comm[i], (uint64_t)i, 10) == 0, "wrong %s",
                t_exercise_name(1 + i % (T_EXERCISES - 1)));
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(200);
    const int n = argc > 1 ? atoi(argv[1]) : 1500;
    MPI_Comm *comm = t_alloc(sizeof(MPI_Comm) * (size_t)n);
    t_exercise_begin();
    t_point("collectives on new communicators while others exist");
    for (int i = 0; i < n; i++) {
        t_where("communicator %d of %d", i, n);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        t_check(t_exercise(i % T_EXERCISES, comm[i], (uint64_t)i, 10) == 0, "wrong result");
    }
    use_all(comm, n, "collectives on all communicators");
    use_all(comm, n, "collectives on all communicators, second pass");
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&comm[i]);
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    free(comm);
    return code;
}
