/* steps.h - one step of a random program: a call, which may stay open during later steps.  The same
 * program runs natively and with Attune; hashes of results and error classes must be equal. */
#ifndef TEST_STEPS_H
#define TEST_STEPS_H

#include "communicators.h"
#include "operation.h"

#include <stdio.h>

typedef enum {
    T_COLLECTIVE, /* `shape`, in any form, on ints */
    T_REDUCTION,  /* an operator on a type (operands.h), through one of four reductions */
    T_WRONG,      /* an erroneous call (wrong_calls.h) */
    T_MESSAGE,    /* every rank sends to the next one */
    T_RENEW,      /* RENEWED is freed and made again */
    T_THREADS     /* two threads call all collectives */
} t_what_step;

typedef struct {
    int number; /* in the whole program */
    t_what_step what;
    int comm; /* index in t_comms */
    t_form form;
    t_shape shape;
    int which; /* operand, erroneous call */
    int open;  /* nonblocking: completed after that many steps */
    uint64_t seed;
} t_step;

/* MPI_Init_thread; the level that steps with threads need exists only in some programs. */
void t_steps_begin(int *argc, char ***argv, bool threads);
/* Step `number` of the program of a seed: independent of the steps before it. */
t_step t_step_draw(uint64_t seed, int number);
void t_step_run(const t_step *s);
/* The step as a statement of a C program. */
void t_step_print(FILE *f, const t_step *s);
/* Completes what is open; prints `step NUMBER HASH CLASS` on rank 0; MPI_Finalize.  Returns the
 * exit code. */
int t_steps_end(void);

#endif
