/* finalize_hooks.c - collectives inside MPI_Finalize: it first deletes the attributes of
 * MPI_COMM_SELF, and libraries release their resources in these callbacks. */
#include "exercise.h"

#include <stdlib.h>

static MPI_Comm spare = MPI_COMM_NULL; /* communicator of a library, freed in the hook */
static int hooks_run, verdict = 1;

static int last_hook(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    t_point("collectives on the communicator of a library in a finalize hook");
    hooks_run++;
    t_check(hooks_run == 2, "hook %d was called second", hooks_run);
    t_check(t_exercise_all(spare, 11, 100) == 0, "wrong result");
    MPI_Comm_free(&spare);
    t_exercise_end();
    verdict = t_finish();
    return MPI_SUCCESS;
}

static int first_hook(MPI_Comm comm, int key, void *value, void *extra)
{
    int finalized = -1;
    (void)key, (void)value, (void)extra;
    t_point("collectives on MPI_COMM_WORLD in a finalize hook");
    hooks_run++;
    t_check(hooks_run == 1, "hook %d was called first", hooks_run);
    MPI_Finalized(&finalized);
    t_check(finalized == 0, "MPI_Finalized returns true");
    t_check(t_exercise_all(MPI_COMM_WORLD, 22, 300) == 0, "wrong result");
    t_check(t_exercise_all(comm, 33, 30) == 0, "wrong result on MPI_COMM_SELF");
    return MPI_SUCCESS;
}

static void hook(MPI_Comm_delete_attr_function *function)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_free_keyval(&key);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(60);
    t_exercise_begin();
    hook(last_hook); /* attributes are deleted in the reverse order of being set */
    hook(first_hook);
    MPI_Comm_dup(MPI_COMM_WORLD, &spare);
    t_point("collectives before MPI_Finalize");
    t_check(t_exercise_all(MPI_COMM_WORLD, 44, 100) == 0, "wrong result");
    t_check(t_exercise_all(spare, 55, 100) == 0, "wrong result");
    MPI_Finalize();
    return verdict;
}
