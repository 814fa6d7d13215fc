/* requests.c - the exported routines that start, test or complete requests; control.c has those
 * that cancel and free them.
 *
 * MPI_X calls a tool that follows in link order, if there is one; otherwise it does the same as
 * PMPI_X.  Programs call these routines often: without a request of Attune they do nothing else. */
#include "pmpi/nonblocking/complete.h"
#include "pmpi/nonblocking/request.h"
#include "pmpi/nonblocking/start.h"
#include "pmpi/nonblocking/timing.h"
#include "pmpi/real.h"

static __attribute__((noinline)) int start_unbound(MPI_Request *request)
{
    int code;
    return atn_nonblocking_restart(request, &code) ? code : atn_pmpi_real.Start(request);
}

static inline int do_Start(MPI_Request *request)
{
    atn_open_request *const q = atn_nonblocking_bound(request);
    return q != NULL ? atn_nonblocking_start_bound(q) : start_unbound(request);
}

/* One after the other: none of them waits for another rank. */
static __attribute__((noinline)) int do_Startall(int n, MPI_Request requests[])
{
    int code = MPI_SUCCESS;
    if (atn_nonblocking_requests_kept() == 0 || n < 0 || requests == NULL)
        return atn_pmpi_real.Startall(n, requests);
    for (int i = 0; i < n && code == MPI_SUCCESS; i++)
        code = do_Start(&requests[i]);
    return code;
}

static inline int plain_Wait(MPI_Request *request, MPI_Status *status)
{
    int code;
    return atn_nonblocking_completes() && atn_nonblocking_wait(request, status, &code)
               ? code
               : atn_pmpi_real.Wait(request, status);
}

static inline int plain_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    int code;
    return atn_nonblocking_completes() && atn_nonblocking_test(request, flag, status, &code)
               ? code
               : atn_pmpi_real.Test(request, flag, status);
}

static __attribute__((noinline)) int do_Request_get_status(MPI_Request request, int *flag,
                                                           MPI_Status *status)
{
    int code;
    return atn_nonblocking_completes() && atn_nonblocking_get_status(request, flag, status, &code)
               ? code
               : atn_pmpi_real.Request_get_status(request, flag, status);
}

static inline int plain_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
    int code;
    return atn_nonblocking_completes() && atn_nonblocking_wait_all(n, requests, statuses, &code)
               ? code
               : atn_pmpi_real.Waitall(n, requests, statuses);
}

#define SETTLING(name, formals, actuals)                                                           \
    static inline int plain_##name formals                                                         \
    {                                                                                              \
        if (atn_nonblocking_completes())                                                           \
            atn_nonblocking_settle(n, requests);                                                   \
        return atn_pmpi_real.name actuals;                                                         \
    }
SETTLING(Waitany, (int n, MPI_Request requests[], int *index, MPI_Status *status),
         (n, requests, index, status))
SETTLING(Waitsome,
         (int n, MPI_Request requests[], int *count, int indices[], MPI_Status statuses[]),
         (n, requests, count, indices, statuses))
SETTLING(Testall, (int n, MPI_Request requests[], int *flag, MPI_Status statuses[]),
         (n, requests, flag, statuses))
SETTLING(Testany, (int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
         (n, requests, index, flag, status))
SETTLING(Testsome,
         (int n, MPI_Request requests[], int *count, int indices[], MPI_Status statuses[]),
         (n, requests, count, indices, statuses))

/* Calls that are tuned or reported: timing.h; persistent ones are neither. */
#define TIMED(name, formals, actuals, n, requests, shortcut)                                       \
    static __attribute__((noinline)) int timed_##name formals                                      \
    {                                                                                              \
        atn_seen_requests seen;                                                                    \
        atn_nonblocking_seen((requests) != NULL ? (n) : 0, requests, &seen);                       \
        const int code = plain_##name actuals;                                                     \
        atn_nonblocking_seen_end(requests, &seen);                                                 \
        return code;                                                                               \
    }                                                                                              \
    static __attribute__((noinline)) int look_##name formals                                       \
    {                                                                                              \
        return atn_nonblocking_is_timing() ? timed_##name actuals : plain_##name actuals;          \
    }                                                                                              \
    static __attribute__((noinline)) int do_##name formals                                         \
    {                                                                                              \
        return (shortcut) ? MPI_SUCCESS : look_##name actuals;                                     \
    }
TIMED(Wait, (MPI_Request * request, MPI_Status *status), (request, status), 1, request,
      atn_nonblocking_wait_bound(request, status))
TIMED(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status), 1,
      request, false)
TIMED(Waitall, (int n, MPI_Request requests[], MPI_Status statuses[]), (n, requests, statuses), n,
      requests, false)
TIMED(Waitany, (int n, MPI_Request requests[], int *index, MPI_Status *status),
      (n, requests, index, status), n, requests, false)
TIMED(Waitsome, (int n, MPI_Request requests[], int *count, int indices[], MPI_Status statuses[]),
      (n, requests, count, indices, statuses), n, requests, false)
TIMED(Testall, (int n, MPI_Request requests[], int *flag, MPI_Status statuses[]),
      (n, requests, flag, statuses), n, requests, false)
TIMED(Testany, (int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
      (n, requests, index, flag, status), n, requests, false)
TIMED(Testsome, (int n, MPI_Request requests[], int *count, int indices[], MPI_Status statuses[]),
      (n, requests, count, indices, statuses), n, requests, false)

/* A constructor has looked the tool up (real.c).  The usual call tests one word and jumps. */
#define ENTRY(name, formals, actuals, idle, called)                                                \
    ATN_EXPORT int PMPI_##name formals                                                             \
    {                                                                                              \
        return ATN_LIKELY(idle) ? atn_pmpi_real.name actuals : do_##name actuals;                  \
    }                                                                                              \
    ATN_EXPORT int MPI_##name formals                                                              \
    {                                                                                              \
        if (ATN_LIKELY(called))                                                                    \
            return atn_pmpi_real.name actuals;                                                     \
        return atn_pmpi_tool.name != NULL ? atn_pmpi_tool.name actuals : do_##name actuals;        \
    }
#define GATE atomic_load_explicit(&atn_pmpi_requests_gate, memory_order_relaxed)
#define ATN_START(name, formals, actuals)                                                          \
    ENTRY(name, formals, actuals, atn_nonblocking_requests_kept() == 0,                            \
          atn_nonblocking_requests_kept() == 0 && atn_pmpi_tool.name == NULL)
#define ATN_COMPLETION(name, formals, actuals)                                                     \
    ENTRY(name, formals, actuals, (GATE & ~ATN_REQUESTS_TOOL) == 0, GATE == 0)
#include "interpose/calls.def"
