/* choice.h - the outcome of a selection: which row of the catalogue with which parameters. */
#ifndef ATN_CHOICE_H
#define ATN_CHOICE_H

#include "algo/algo.h"

/* The plan chosen for a problem (row native: call the MPI library's own routine). */
typedef struct {
    const atn_row *row;
    atn_params params;
} atn_choice;

#endif
