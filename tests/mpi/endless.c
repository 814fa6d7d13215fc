/* endless.c - collectives in an endless loop, for tests that kill ranks.
 *
 *   endless [ELEMENTS]     about this number per block (5000) */
#include "exercise.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int elements = argc > 1 ? atoi(argv[1]) : 5000;
    t_start(60);
    t_exercise_begin();
    printf("pid %ld\n", (long)getpid());
    fflush(stdout);
    for (uint64_t i = 0;; i++)
        t_exercise((int)(i % T_EXERCISES), MPI_COMM_WORLD, i, elements);
}
