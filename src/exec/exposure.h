/* exposure.h - executes expose, read and close (sched/schedule.h) on boards in shared memory. */
#ifndef ATN_EXEC_EXPOSURE_H
#define ATN_EXEC_EXPOSURE_H

#include "exec/shared.h"

static inline bool atn_exec_is_exposure(const atn_xop *o) { return o->kind >= X_EXPOSE; }

/* Executes the operation if it need not wait; *done_p: it is complete.  Returns an error code. */
int atn_exec_exposure_step(const atn_run *x, const atn_xop *o, bool *done_p);
/* The same, until it is complete. */
int atn_exec_exposure_run(const atn_run *x, const atn_xop *o);

#endif
