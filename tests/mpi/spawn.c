/* spawn.c - communicators with processes of another MPI_COMM_WORLD: collectives between parents and
 * children and in the merged communicator stay native. */
#include "exercise.h"

static void together(MPI_Comm inter, int high)
{
    int mine = 3, sum = 0, p, q;
    MPI_Comm both;
    MPI_Comm_size(inter, &p);
    MPI_Comm_remote_size(inter, &q);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter);
    t_check(sum == 3 * q, "the other side's sum is %d", sum);
    MPI_Intercomm_merge(inter, high, &both);
    for (int i = 0; i < 12; i++)
        t_check(t_exercise_all(both, (uint64_t)i, 30) == 0,
                "wrong result in the merged communicator");
    t_check(t_exercise_all(MPI_COMM_WORLD, 77, 30) == 0, "wrong result in MPI_COMM_WORLD");
    MPI_Comm_free(&both);
    MPI_Comm_disconnect(&inter);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    MPI_Init(&argc, &argv);
    t_start(60);
    t_exercise_begin();
    t_point("collectives with spawned processes");
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        together(parent, 1);
    } else {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        const int code = MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                                        &children, MPI_ERRCODES_IGNORE);
        if (code == MPI_SUCCESS)
            together(children, 0);
        else
            t_skip("this MPI cannot spawn");
    }
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
