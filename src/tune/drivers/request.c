/* request.c - see request.h. */
#include "tune/drivers/request.h"

#include <stddef.h>
#include <time.h>

#include "base/clock.h"
#include "exec/exec.h"
#include "exec/host.h"
#include "exec/traffic.h"
#include "exec/wait.h"

void atn_tune_request_answer(atn_advice_request *x, atn_advice advice, const atn_candidate_set *set)
{
    x->answer.advice = advice;
    x->answer.bytes = atn_tune_candidate_set_print(set, x->text) + 1;
}

int (*atn_real_ibcast)(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Request *) = PMPI_Ibcast;

int atn_tune_request_begin(atn_advice_request *x, int bytes, MPI_Comm comm)
{
    char *const from = (char *)x + offsetof(atn_advice_request, answer);
    const int all = (int)sizeof x->answer + bytes;
    atn_exec_traffic_collective(all, MPI_BYTE);
    return atn_real_ibcast(from, all, MPI_BYTE, 0, comm, &x->active);
}

int atn_tune_request_end(atn_advice_request *x)
{
    return atn_real_complete.wait(&x->active, MPI_STATUS_IGNORE);
}

static void pause_since(int64_t start)
{
    const int64_t ns = atn_pause_ns(atn_ticks_ns(atn_ticks() - start));
    if (ns > 0)
        nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

/* A message advances by one stage in each test, in Open MPI by less. */
static int test_often(MPI_Request *request, int *done_p)
{
    enum { TESTS = 8 };
    int code = MPI_SUCCESS;
    *done_p = 0;
    for (int i = 0; i < TESTS && code == MPI_SUCCESS && !*done_p; i++)
        code = atn_real_complete.test(request, done_p, MPI_STATUS_IGNORE);
    return code;
}

/* Rank 0 may work for milliseconds: the others release the processor, which they may share. */
int atn_tune_request_wait(atn_advice_request *x, int bytes, MPI_Comm comm)
{
    const int64_t start = atn_ticks();
    int done = 0;
    int code = atn_tune_request_begin(x, bytes, comm);
    if (ATN_SIMULATED && code == MPI_SUCCESS)
        return atn_tune_request_end(x);
    while (code == MPI_SUCCESS && !done) {
        code = test_often(&x->active, &done);
        if (!done)
            pause_since(start);
    }
    return code;
}
