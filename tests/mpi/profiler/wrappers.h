/* wrappers.h - number of calls of each wrapper. */
#ifndef TEST_WRAPPERS_H
#define TEST_WRAPPERS_H

enum {
    WRAPPED_ALLREDUCE,
    WRAPPED_BCAST,
    WRAPPED_IALLREDUCE,
    WRAPPED_COMM_FREE,
    WRAPPED_MESSAGES, /* starts of sends and receives */
    WRAPPED_FINALIZE,
    WRAPPED
};
/* Weak, because launchers and shells load a preloaded tool, too. */
extern int wrapped_calls[WRAPPED] __attribute__((weak));
int wrapper_calls(int which);

#endif
