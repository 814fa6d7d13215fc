/* wrappers.h - number of calls of each wrapper. */
#ifndef TEST_WRAPPERS_H
#define TEST_WRAPPERS_H

enum { WRAPPED_ALLREDUCE, WRAPPED_BCAST, WRAPPED_COMM_FREE, WRAPPED_FINALIZE, WRAPPED };
int wrapper_calls(int which);

#endif
