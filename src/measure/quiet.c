/* quiet.c - see quiet.h. */
#include "measure/quiet.h"

#include <math.h>
#include <time.h>

const double atn_soon = 100e-6, atn_some_time = 1e-3, atn_long_time = 4e-3;

void atn_sleep(double seconds)
{
    const time_t whole = (time_t)seconds;
    const struct timespec t = {.tv_sec = whole, .tv_nsec = (long)((seconds - (double)whole) * 1e9)};
    nanosleep(&t, NULL);
}

/* Longer and longer naps. */
void atn_wait_asleep(MPI_Request *requests, int n, double longest)
{
    double nap = 20e-6;
    int done;
    for (;;) {
        MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE);
        if (done)
            return;
        atn_sleep(nap);
        nap = fmin(longest, 1.5 * nap);
    }
}

void atn_hear(MPI_Comm comm, void *data, size_t bytes, int from, int tag, double longest)
{
    MPI_Request request;
    MPI_Irecv(data, (int)bytes, MPI_BYTE, from, tag, comm, &request);
    atn_wait_asleep(&request, 1, longest);
}

void atn_tell(MPI_Comm comm, const void *data, size_t bytes, int to, int tag)
{
    MPI_Request request;
    MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, comm, &request);
    atn_wait_asleep(&request, 1, atn_soon);
}
