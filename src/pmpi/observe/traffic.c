/* traffic.c - see traffic.h. */
#include "pmpi/observe/traffic.h"

#include "exec/traffic.h"
#include "pmpi/job/job.h"

static atn_own_traffic start;

void atn_observe_traffic_start(void) { start = atn_exec_traffic_get(); }

enum { START, END = 3, MEASURES = 6 };

static void put(const atn_own_traffic *t, int64_t v[3])
{
    v[0] = t->collectives;
    v[1] = t->messages;
    v[2] = t->bytes;
}

void atn_observe_traffic_print(void)
{
    const atn_own_traffic end = atn_exec_traffic_get();
    int64_t own[MEASURES], most[MEASURES] = {0};
    put(&start, own + START);
    put(&end, own + END);
    atn_pmpi_real.Reduce(own, most, MEASURES, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    if (atn_job_current.r != 0)
        return;
    static const char *const until[] = {"start", "whole job"};
    for (int i = 0; i < 2; i++)
        atn_interpose_print_line("own communication of a rank, %s: at most %lld collectives, %lld "
                                 "messages, %lld bytes",
                                 until[i], (long long)most[3 * i], (long long)most[3 * i + 1],
                                 (long long)most[3 * i + 2]);
}
