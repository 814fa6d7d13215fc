/* execution_private.h - an execution, and its memory.  The functions need the lock of
 * execution.c. */
#ifndef ATN_EXEC_EXECUTION_PRIVATE_H
#define ATN_EXEC_EXECUTION_PRIVATE_H

#include "exec/exec_private.h"
#include "exec/execution.h"
#include "exec/shared.h"

struct atn_execution {
    atn_run run;
    atn_exec *x;     /* of the communicator: the list of its executions */
    atn_exec worker; /* an executor without plans: scratch and packed buffers, sizes, datatypes */
    atn_plan *plan;  /* held */
    atn_exec_unit unit;
    atn_program bound; /* v-operations: bound to the sizes of the call */
    atn_call call;
    void *arrays[2]; /* its counts, displacements and types */
    atn_sides sides;
    atn_dag_run dag;
    atn_done_fn done;
    void *context;
    struct {
        atn_shm_end *out; /* NULL: none */
        const char *data;
        uint32_t bytes;
    } first; /* message of a chain whose buffers are bound: sent at once */
    struct {
        atn_shm_end *in; /* NULL: another operation */
        bool ends;       /* no operation follows, for which ranks may wait */
        char *out;       /* NULL: more than a copy or one reduction */
        const char *operand;
        atn_kernel kernel; /* NULL: a copy */
        int64_t units;
        uint32_t bytes;
    } second;      /* the message that is received after it */
    bool is_short; /* the chain; `at`: its next operation */
    int at;
    bool direct;                /* uses the user's buffers */
    bool open;                  /* launched, and has not ended */
    bool begun;                 /* has sent or received */
    bool dismissed;             /* to be freed when it ends */
    atn_execution *after;       /* the next one of the communicator, or kept by the plan */
    atn_execution *prev, *next; /* begun ones of all communicators */
    bool has_handles;           /* uses datatypes or the operator after its start */
    atn_execution *handles_prev, *handles_next; /* all such */
};

/* Executions of a communicator that have begun; the others keep waiting in its list. */
enum { ATN_MOST_BEGUN = 64 };

/* With its own copy of the call; the plan keeps executions for further calls.  NULL: no memory. */
atn_execution *atn_exec_execution_new(atn_exec *x, atn_plan *plan, const atn_call *call,
                                      MPI_Comm comm, atn_requests *requests);
/* It has ended, or was never launched. */
void atn_exec_execution_recycle(atn_execution *e);
/* See atn_exec_uses. */
bool atn_exec_execution_any_uses(MPI_Datatype type, MPI_Op op);
/* The user's buffers are read now: packed data must be those of this start. */
int atn_exec_execution_bind(atn_execution *e);

#endif
