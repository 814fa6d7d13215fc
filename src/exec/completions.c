/* completions.c - the routines that complete requests of the executor.
 *
 * The executor's communicators return errors, which are then reported to the handler of the
 * program's communicator.  But MPICH reports errors of requests that it tests, or that are several,
 * to the handler of MPI_COMM_WORLD, which aborts the program by default: so that one is replaced
 * meanwhile, unless other threads may need it. */
#include "exec/exec.h"

/* Of programs that interpose nothing. */
atn_completions atn_real_complete = {.test = PMPI_Test,
                                     .testall = PMPI_Testall,
                                     .testsome = PMPI_Testsome,
                                     .wait = PMPI_Wait,
                                     .waitall = PMPI_Waitall,
                                     .waitany = PMPI_Waitany,
                                     .waitsome = PMPI_Waitsome};

#ifdef MPICH_VERSION

static atn_completions real;
static bool alone; /* one thread calls MPI */

/* The handler of the program; MPI_ERRHANDLER_NULL: it was not replaced. */
static MPI_Errhandler replace_handler(void)
{
    MPI_Errhandler before = MPI_ERRHANDLER_NULL;
    if (!alone || PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before) != MPI_SUCCESS)
        return MPI_ERRHANDLER_NULL;
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return before;
}

static int restore_handler(MPI_Errhandler before, int code)
{
    if (before == MPI_ERRHANDLER_NULL)
        return code;
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
    PMPI_Errhandler_free(&before);
    return code;
}

#define SHIELDED(name, formals, actuals)                                                           \
    static int name formals                                                                        \
    {                                                                                              \
        const MPI_Errhandler before = replace_handler();                                           \
        return restore_handler(before, real.name actuals);                                         \
    }
SHIELDED(test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status))
SHIELDED(testall, (int n, MPI_Request requests[], int *flag, MPI_Status statuses[]),
         (n, requests, flag, statuses))
SHIELDED(testsome,
         (int n, MPI_Request requests[], int *count, int indices[], MPI_Status statuses[]),
         (n, requests, count, indices, statuses))
SHIELDED(waitall, (int n, MPI_Request requests[], MPI_Status statuses[]), (n, requests, statuses))
SHIELDED(waitsome,
         (int n, MPI_Request requests[], int *count, int indices[], MPI_Status statuses[]),
         (n, requests, count, indices, statuses))

void atn_exec_complete_by(const atn_completions *routines, bool threads)
{
    real = *routines;
    alone = !threads;
    atn_real_complete = (atn_completions){.test = test,
                                          .testall = testall,
                                          .testsome = testsome,
                                          .wait = real.wait,
                                          .waitall = waitall,
                                          .waitany = real.waitany,
                                          .waitsome = waitsome};
}

#else

void atn_exec_complete_by(const atn_completions *routines, bool threads)
{
    (void)threads;
    atn_real_complete = *routines;
}

#endif
