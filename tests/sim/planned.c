/* planned.c - repeats calls of three collectives, so that the planner selects their algorithms. */
#include <string.h>

#include "exercise.h"

static void repeat(int which)
{
    enum { CALLS = 6 };
    static const int elements[] = {1000, 20000};

    t_point(t_exercise_name(which));
    for (uint64_t seed = 1; seed <= 2; seed++)
        for (int i = 0; i < CALLS; i++) {
            const int n = elements[seed - 1];
            t_where("%s, about %d elements, call %d", t_exercise_name(which), n, i);
            const long wrong = t_exercise(which, MPI_COMM_WORLD, seed, n);
            t_check(wrong == 0, "%ld wrong values", wrong);
        }
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"bcast", "allgather", "allreduce"};

    MPI_Init(&argc, &argv);
    t_start(120);
    t_exercise_begin();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (int which = 0; which < T_EXERCISES; which++)
            if (strcmp(t_exercise_name(which), names[k]) == 0)
                repeat(which);
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
