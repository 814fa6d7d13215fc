/* exercise.h - small calls of all collectives, whose results every rank can compute.  For tests of
 * threads, communicators and agreement between ranks. */
#ifndef TEST_EXERCISE_H
#define TEST_EXERCISE_H

#include "harness.h"

enum { T_EXERCISES = 17 };
const char *t_exercise_name(int which);
/* Makes the call on all ranks of comm, each with the same which, seed and elements (approximate
 * number per block; the seed varies it).  Returns the number of wrong values.  Thread-safe. */
long t_exercise(int which, MPI_Comm comm, uint64_t seed, int elements);
/* All of them, one after the other. */
long t_exercise_all(MPI_Comm comm, uint64_t seed, int elements);
/* Before the first and after the last call: creates and frees the user operator. */
void t_exercise_begin(void);
void t_exercise_end(void);

#endif
