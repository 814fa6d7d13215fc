/* control.c - the exported routines that begin, end or invalidate what Attune keeps.
 *
 * MPI_X calls a tool that follows in link order, if there is one; otherwise it does the same as
 * PMPI_X. */
#include "pmpi/comm/fastpath.h"
#include "pmpi/entry/context.h"
#include "pmpi/entry/lifetime.h"
#include "pmpi/nonblocking/held.h"
#include "pmpi/nonblocking/progress.h"
#include "pmpi/nonblocking/request.h"
#include "pmpi/nonblocking/start.h"
#include "pmpi/nonblocking/thread.h"
#include "pmpi/observe/observe.h"

/* An MPI library may implement MPI_Init by MPI_Init_thread; only the outer call counts. */
static int init_depth;

static int after_init(int code)
{
    if (--init_depth == 0 && code == MPI_SUCCESS)
        atn_entry_job_start();
    return code;
}

static int do_Init(int *argc, char ***argv)
{
    init_depth++;
    return after_init(atn_pmpi_real.Init(argc, argv));
}

static int do_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    init_depth++;
    return after_init(atn_pmpi_real.Init_thread(argc, argv, required, provided));
}

/* Before the real routine, because callbacks in it may still use every communicator. */
static int do_Finalize(void)
{
    atn_entry_job_stop();
    return atn_pmpi_real.Finalize();
}

static int free_comm(MPI_Comm *comm, int (*real)(MPI_Comm *))
{
    if (!atn_job_current.has_comms || comm == NULL || *comm == MPI_COMM_NULL)
        return real(comm);
    const MPI_Comm before = atn_comm_free_begin(*comm);
    const int code = real(comm);
    atn_comm_free_end(before);
    return code;
}

static int do_Comm_free(MPI_Comm *comm) { return free_comm(comm, atn_pmpi_real.Comm_free); }

static int do_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
    const int code = atn_pmpi_real.Comm_set_info(comm, info);
    if (atn_job_current.has_comms && code == MPI_SUCCESS)
        atn_entry_context_info(comm, info);
    return code;
}

static int do_Comm_disconnect(MPI_Comm *comm)
{
    return free_comm(comm, atn_pmpi_real.Comm_disconnect);
}

static void forget_type(MPI_Datatype type)
{
    atn_exec_type_forget(type);
    atomic_fetch_add(&atn_comm_handles_freed, 1);
}

static void forget_op(MPI_Op op)
{
    atn_exec_op_forget(op);
    atomic_fetch_add(&atn_comm_handles_freed, 1);
}

static int do_Type_free(MPI_Datatype *type)
{
    if (atn_job_current.has_comms && type != NULL) {
        forget_type(*type);
        if (atn_job_current.nonblocking && atn_nonblocking_keep_type(type))
            return MPI_SUCCESS;
    }
    return atn_pmpi_real.Type_free(type);
}

static int do_Op_free(MPI_Op *op)
{
    if (atn_job_current.has_comms && op != NULL) {
        forget_op(*op);
        if (atn_job_current.nonblocking && atn_nonblocking_keep_op(op))
            return MPI_SUCCESS;
    }
    return atn_pmpi_real.Op_free(op);
}

/* ---- requests ---- */

static int do_Request_free(MPI_Request *request)
{
    int code;
    return atn_nonblocking_free(request, &code) ? code : atn_pmpi_real.Request_free(request);
}

static int do_Cancel(MPI_Request *request)
{
    int code;
    return atn_nonblocking_cancel(request, &code) ? code : atn_pmpi_real.Cancel(request);
}

/* NULL: none of its calls can be held. */
static atn_comm *find_tuned(MPI_Comm comm)
{
    atn_comm *const c =
        atn_job_current.nonblocking && comm != MPI_COMM_NULL ? atn_comm_find(comm) : NULL;
    return c != NULL && c->starts != NULL ? c : NULL;
}

/* Calls that are held must begin before others on the communicator. */
static void settle(MPI_Comm comm)
{
    atn_comm *const c = find_tuned(comm);
    if (c != NULL)
        atn_nonblocking_held_settle(c);
}

#ifndef SMPI_H
/* It must not wait, so it is held, too. */
static int do_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request)
{
    atn_comm *const c = find_tuned(comm);
    int code = MPI_SUCCESS;
    bool held = false;
    if (c != NULL) {
        atn_nonblocking_enter_lock();
        held = atn_nonblocking_holds(c) && atn_nonblocking_hold_dup(c, made, request, &code);
        atn_nonblocking_leave_lock();
    }
    if (code != MPI_SUCCESS)
        return atn_comm_raise(c, code);
    return held ? MPI_SUCCESS : atn_pmpi_real.Comm_idup(comm, made, request);
}

/* ---- files ---- */

static int do_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file)
{
    settle(comm);
    atn_nonblocking_thread_rest();
    const int code = atn_pmpi_real.File_open(comm, name, mode, info, file);
    if (code != MPI_SUCCESS)
        atn_nonblocking_thread_resume();
    return code;
}

static int do_File_close(MPI_File *file)
{
    const int code = atn_pmpi_real.File_close(file);
    if (code == MPI_SUCCESS)
        atn_nonblocking_thread_resume();
    return code;
}
#endif

/* The start of a nonblocking call cannot set up its communicator, because that waits for ranks; the
 * routine that makes the communicator may. */
static int made_comm(MPI_Comm *made, int code)
{
    if (code == MPI_SUCCESS && atn_job_current.nonblocking && *made != MPI_COMM_NULL) {
        atn_comm *const c = atn_comm_find(*made);
        if (c != NULL)
            atn_comm_set_up_made(c);
    }
    return code;
}

#define ATN_START(name, formals, actuals) /* requests.c */
#define ATN_COMPLETION(name, formals, actuals)
#define ATN_MAKER(name, formals, actuals)                                                          \
    static int do_##name formals                                                                   \
    {                                                                                              \
        settle(comm);                                                                              \
        return made_comm(made, atn_pmpi_real.name actuals);                                        \
    }                                                                                              \
    ATN_CONTROL(name, formals, actuals)
#define ATN_GROUP_MAKER(name, formals, actuals)                                                    \
    static int do_##name formals { return made_comm(made, atn_pmpi_real.name actuals); }           \
    ATN_CONTROL(name, formals, actuals)
#define ATN_GROUPED(name, formals, actuals)                                                        \
    static int do_##name formals                                                                   \
    {                                                                                              \
        settle(comm);                                                                              \
        return atn_pmpi_real.name actuals;                                                         \
    }                                                                                              \
    ATN_CONTROL(name, formals, actuals)
#define ATN_CONTROL(name, formals, actuals)                                                        \
    ATN_EXPORT int PMPI_##name formals { return do_##name actuals; }                               \
    ATN_EXPORT int MPI_##name formals                                                              \
    {                                                                                              \
        atn_pmpi_resolve();                                                                        \
        return atn_pmpi_tool.name != NULL ? atn_pmpi_tool.name actuals : do_##name actuals;        \
    }
#include "interpose/calls.def"
