/* collectives.c - all 17 collectives in a simulated job: a point for each operation, on
 * MPI_COMM_WORLD and on ranks that a split orders differently.
 *
 *   collectives [CALLS]   number of calls of each operation */
#include <stdio.h>
#include <stdlib.h>

#include "exercise.h"

int main(int argc, char **argv)
{
    static const int elements[] = {300, 5000, 0, 1, 7};
    enum { SIZES = sizeof elements / sizeof *elements };
    MPI_Comm comms[] = {MPI_COMM_WORLD, MPI_COMM_NULL};

    MPI_Init(&argc, &argv);
    const int calls = argc > 1 ? atoi(argv[1]) : 4 * SIZES;
    comms[0] = MPI_COMM_WORLD;
    t_start(120);
    MPI_Comm_split(MPI_COMM_WORLD, t_rank % 3 == 0, -t_rank, &comms[1]);
    t_exercise_begin();
    for (int which = 0; which < T_EXERCISES; which++) {
        t_point(t_exercise_name(which));
        for (int i = 0; i < calls; i++) {
            const int n = elements[i % SIZES];
            t_where("%s, about %d elements, call %d", t_exercise_name(which), n, i);
            const long wrong = t_exercise(which, comms[i % 2], (uint64_t)(which * 100 + i / 2), n);
            t_check(wrong == 0, "%ld wrong values", wrong);
        }
    }
    t_exercise_end();
    MPI_Comm_free(&comms[1]);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
