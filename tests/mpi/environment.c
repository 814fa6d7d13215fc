/* environment.c - prints the environment of rank 0, and calls some collectives. */
#include "exercise.h"

#include <stdio.h>

extern char **environ;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(30);
    t_exercise_begin();
    const long wrong = t_exercise_all(MPI_COMM_WORLD, 1, 100);
    for (char **word = environ; t_rank == 0 && *word; word++)
        printf("%s\n", *word);
    t_exercise_end();
    MPI_Finalize();
    return wrong != 0;
}
