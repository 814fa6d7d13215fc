/* execution.h - calls that are advanced step by step: started now, completed later.
 *
 * Any number of executions may be open on a communicator.  Each has its own tags, scratch memory
 * and state; executions and blocking calls of a communicator are numbered in the order of their
 * calls, which its ranks share.
 *
 * Starting one never waits for another rank.  atn_exec_progress advances all of them; it has to be
 * called while this process is inside of MPI (pmpi/nonblocking/hook.h).
 *
 * - The channels of shared memory are in order, so executions that use them follow each other; the
 *   first one can always advance, and a collective may wait for all ranks to enter it, hence for
 *   all of them to have started its predecessors.
 * - Tags are reused after a number of calls.  Executions that are too far ahead of the first open
 *   one wait for it. */
#ifndef ATN_EXEC_EXECUTION_H
#define ATN_EXEC_EXECUTION_H

#include <stdatomic.h>

#include "exec/exec.h"

typedef struct atn_execution atn_execution;

/* Called once when an execution ends; must not start or wait for another one. */
typedef void (*atn_done_fn)(void *context, int code);

/* Whether calls of the algorithm can be started: not if ranks exchange sizes first.  Depends only
 * on data that ranks share. */
bool atn_exec_can_start(const atn_exec *x, const atn_choice *choice);

/* An execution of the plan that was just returned for the call.  Arrays and buffers of the call
 * must stay valid until it has ended.  NULL: no memory, *code_p. */
atn_execution *atn_exec_prepare(atn_exec *x, atn_plan *plan, const atn_call *call, MPI_Comm comm,
                                int *code_p);
/* Starts it; at most one at a time of those that `prepare` returned.  Errors are reported when it
 * ends. */
void atn_exec_launch(atn_execution *e, atn_done_fn done, void *context);
/* Whether it can be launched again by the function below: a chain of short messages in shared
 * memory that has been launched before, while one thread calls MPI. */
bool atn_exec_is_bound(const atn_execution *e);
/* The same start again, if nothing is open; returns MPI_SUCCESS. */
int atn_exec_launch_bound(atn_execution *e);
/* Waits for it for a short time.  True: it has ended without an error, `done` is not called. */
bool atn_exec_wait_bound(atn_execution *e);
/* Waits until `done` has set *ended_p, while all executions and the MPI library advance; only if
 * one thread calls MPI. */
void atn_exec_wait(atn_execution *e, const bool *ended_p);
/* Frees it; if it has not ended, when it ends. */
void atn_exec_dismiss(atn_execution *e);

/* Advances all open executions; never waits.  Returns the number of completed messages and
 * executions.  May be called by any thread, and from inside of MPI. */
int atn_exec_progress(void);
/* Whether that tests requests of MPI, so that the MPI library advances, too. */
bool atn_exec_tests_requests(void);
/* Whether several threads call MPI at the same time; true if it is not called. */
void atn_exec_set_threads(bool several);
/* Executions that have not ended; of x, and of all communicators. */
int atn_exec_open(const atn_exec *x);
extern _Atomic int atn_exec_all_open;
/* Waits for all executions of x. */
void atn_exec_drain(atn_exec *x);
/* Whether the calling thread is inside of one of these functions, and MPI has called back. */
bool atn_exec_is_inside(void);
/* Whether an execution that exists may use the type, or, if that is null, the operator. */
bool atn_exec_uses(MPI_Datatype type, MPI_Op op);
/* Tags that no execution uses, on the communicator of the executions of x. */
int atn_exec_spare_tag(const atn_exec *x, unsigned number);
/* A copy of a call with its arrays, which language bindings pass as temporary ones.  False: no
 * memory; the arrays are to be freed in any case. */
bool atn_exec_call_copy(const atn_exec *x, const atn_call *call, atn_call *copy_p, void *arrays[2]);
/* Frees memory that is kept for further executions. */
void atn_exec_progress_end(void);

#endif
