/* complete.c - see complete.h. */
#include "pmpi/nonblocking/complete.h"

#include "pmpi/nonblocking/progress.h"
#include "pmpi/real.h"

/* ---- one request ---- */

/* NULL: the MPI library's. */
static atn_open_request *find(const MPI_Request *request)
{
    atn_open_request *const q = request != NULL ? atn_nonblocking_request_find(*request) : NULL;
    return q != NULL && atn_nonblocking_request_is_own(q) ? q : NULL;
}

/* The error field is not that of one request. */
void atn_nonblocking_set_empty(MPI_Status *status)
{
    static MPI_Status empty;
    static bool known;
    MPI_Request none = MPI_REQUEST_NULL;
    if (!known)
        known = atn_pmpi_real.Wait(&none, &empty) == MPI_SUCCESS;
    const int error = status->MPI_ERROR;
    *status = empty;
    status->MPI_ERROR = error;
}

static void await(atn_open_request *q)
{
    if (q->state == ATN_REQUEST_ACTIVE)
        atn_nonblocking_request_wait(q);
}

static inline bool has_failed(const atn_open_request *q)
{
    return q->state == ATN_REQUEST_ENDED && q->code != MPI_SUCCESS;
}

static void complete(atn_open_request *q, MPI_Request *request, MPI_Status *status)
{
    if (!q->persistent)
        *request = MPI_REQUEST_NULL;
    if (status != MPI_STATUS_IGNORE)
        atn_nonblocking_set_empty(status);
    atn_nonblocking_request_complete(q);
}

bool atn_nonblocking_wait(MPI_Request *request, MPI_Status *status, int *code_p)
{
    atn_open_request *const q = find(request);
    if (q == NULL)
        return false;
    await(q);
    if (has_failed(q)) {
        atn_nonblocking_request_settle(q);
        return false;
    }
    complete(q, request, status);
    *code_p = MPI_SUCCESS;
    return true;
}

/* The library advances, too. */
static int look(const atn_open_request *q, MPI_Request request)
{
    int flag, code = MPI_SUCCESS;
    if (q->state != ATN_REQUEST_ACTIVE)
        return code;
    atn_nonblocking_progress();
    atn_nonblocking_withheld = true;
    if (!q->ended && !atn_exec_tests_requests())
        code = atn_pmpi_real.Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    atn_nonblocking_withheld = false;
    return code;
}

bool atn_nonblocking_test(MPI_Request *request, int *flag, MPI_Status *status, int *code_p)
{
    atn_open_request *const q = find(request);
    if (q == NULL || flag == NULL)
        return false;
    *code_p = look(q, *request);
    *flag = q->state != ATN_REQUEST_ACTIVE;
    if (has_failed(q)) {
        atn_nonblocking_request_settle(q);
        return false;
    }
    if (*flag)
        complete(q, request, status);
    return true;
}

bool atn_nonblocking_get_status(MPI_Request request, int *flag, MPI_Status *status, int *code_p)
{
    atn_open_request *const q = find(&request);
    if (q == NULL || flag == NULL)
        return false;
    *code_p = look(q, request);
    *flag = q->state != ATN_REQUEST_ACTIVE;
    if (has_failed(q)) {
        atn_nonblocking_request_settle(q);
        return false;
    }
    if (*flag && status != MPI_STATUS_IGNORE)
        atn_nonblocking_set_empty(status);
    return true;
}

/* ---- several ---- */

void atn_nonblocking_settle(int n, const MPI_Request *requests)
{
    for (int i = 0; i < n && requests != NULL; i++) {
        atn_open_request *const q = find(&requests[i]);
        if (q != NULL)
            atn_nonblocking_request_settle(q);
    }
}

/* Whether all that are not null are Attune's. */
static bool are_own(int n, const MPI_Request *requests)
{
    for (int i = 0; i < n; i++)
        if (requests[i] != MPI_REQUEST_NULL && find(&requests[i]) == NULL)
            return false;
    return true;
}

/* The same request twice would be an error, which the MPI library reports. */
static bool await_all(int n, const MPI_Request *requests)
{
    bool failed = false;
    for (int i = 0; i < n; i++) {
        atn_open_request *const q = find(&requests[i]);
        if (q == NULL)
            continue;
        await(q);
        failed = failed || has_failed(q);
    }
    return !failed;
}

/* Those that have ended stay Attune's until the last one is completed. */
static void complete_all(int n, MPI_Request *requests, MPI_Status *statuses)
{
    atn_nonblocking_withheld = true;
    for (int i = 0; i < n; i++) {
        atn_open_request *const q = find(&requests[i]);
        MPI_Status *const status =
            statuses != MPI_STATUSES_IGNORE ? &statuses[i] : MPI_STATUS_IGNORE;
        if (q != NULL)
            complete(q, &requests[i], status);
        else if (status != MPI_STATUS_IGNORE)
            atn_nonblocking_set_empty(status);
    }
    atn_nonblocking_withheld = false;
}

bool atn_nonblocking_wait_all(int n, MPI_Request *requests, MPI_Status *statuses, int *code_p)
{
    if (n < 0 || requests == NULL || !are_own(n, requests) || !await_all(n, requests)) {
        atn_nonblocking_settle(n, requests);
        return false;
    }
    complete_all(n, requests, statuses);
    *code_p = MPI_SUCCESS;
    return true;
}
