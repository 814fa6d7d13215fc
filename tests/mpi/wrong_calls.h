/* wrong_calls.h - erroneous calls, through a table of routines. */
#ifndef TEST_WRONG_CALLS_H
#define TEST_WRONG_CALLS_H

#include "harness.h"

int t_wrongs(void);
const char *t_wrong_name(int i);
/* Whether this MPI library detects the error; otherwise it may crash. */
bool t_wrong_noticed(int i);
/* Returns the error code; the error handlers of MPI_COMM_WORLD, MPI_COMM_SELF and comm must
 * return. */
int t_wrong_call(int i, const t_routines *f, MPI_Comm comm);

#endif
