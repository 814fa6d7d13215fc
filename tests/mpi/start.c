/* start.c [COLLECTIVES] - Attune makes at most COLLECTIVES in MPI_Init, as counted by scarce.c,
 * equally on all ranks, and all collectives are correct afterwards. */
#include "exercise.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int (*end)(void);
    long (*allocations)(void);
    MPI_Init(&argc, &argv);
    *(void **)&end = dlsym(RTLD_DEFAULT, "scarce_end");
    *(void **)&allocations = dlsym(RTLD_DEFAULT, "scarce_allocations");
    if (end == NULL || allocations == NULL)
        return 2;
    const int made = end(), most = argc > 1 ? atoi(argv[1]) : made;
    int first = made;
    t_start(30);
    if (allocations() > 0)
        printf("allocations %ld\n", allocations());
    t_point("number of collectives in MPI_Init");
    t_check(made <= most, "%d collectives", made);
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    t_check(made == first, "%d collectives here, %d on rank 0", made, first);
    t_point("collectives after MPI_Init");
    t_exercise_begin();
    for (uint64_t seed = 0; seed < 3; seed++)
        t_check(t_exercise_all(MPI_COMM_WORLD, seed, 100) == 0, "round %d", (int)seed);
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
