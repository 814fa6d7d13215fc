/* finalize_hooks.c - collectives inside MPI_Finalize: the attributes of MPI_COMM_SELF are deleted
 * first, while MPI still works, and libraries clean up there. */
#include "exercise.h"

#include <stdlib.h>

static MPI_Comm spare = MPI_COMM_NULL; /* a library's own communicator, freed in the hook */
static int hooks_run, verdict = 1;

static int last_hook(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    t_point("collectives on a library's communicator in the hook");
    hooks_run++;
    t_check(hooks_run == 2, "hook %d came second", hooks_run);
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
    t_point("collectives on MPI_COMM_WORLD in the hook");
    hooks_run++;
    t_check(hooks_run == 1, "hook %d came first", hooks_run);
    MPI_Finalized(&finalized);
    t_check(finalized == 0, "MPI says that it is finalized");
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
    t_point("collectives before");
    t_check(t_exercise_all(MPI_COMM_WORLD, 44, 100) == 0, "wrong result");
    t_check(t_exercise_all(spare, 55, 100) == 0, "wrong result");
    MPI_Finalize();
    return verdict;
}
