/* coordinator.c - see coordinator.h. */
#include "measure/coordinator.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "exec/host.h"

enum { TAG_COMMAND, TAG_READY, TAG_START, TAG_RESULT };

const double atn_pause_short = 100e-6, atn_pause_medium = 1e-3, atn_pause_long = 4e-3;

/* ---- waiting ---- */

void atn_measure_sleep(double seconds)
{
    const time_t whole = (time_t)seconds;
    const struct timespec t = {.tv_sec = whole, .tv_nsec = (long)((seconds - (double)whole) * 1e9)};
    nanosleep(&t, NULL);
}

void atn_measure_busy_wait(double seconds)
{
    const double until = MPI_Wtime() + seconds;
    if (ATN_SIMULATED) /* time passes only in calls of the library */
        atn_measure_sleep(seconds);
    while (MPI_Wtime() < until)
        ;
}

/* Each pause is longer than the one before, up to `pause`. */
void atn_measure_wait_asleep(MPI_Request *requests, int n, double pause)
{
    double next = 20e-6;
    int done;
    if (ATN_SIMULATED) {
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        return;
    }
    for (;;) {
        MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE);
        if (done)
            return;
        atn_measure_sleep(next);
        next = fmin(pause, 1.5 * next);
    }
}

void atn_measure_recv_asleep(MPI_Comm comm, void *data, size_t bytes, int from, int tag,
                             double pause)
{
    MPI_Request request;
    MPI_Irecv(data, (int)bytes, MPI_BYTE, from, tag, comm, &request);
    atn_measure_wait_asleep(&request, 1, pause);
}

void atn_measure_send_asleep(MPI_Comm comm, const void *data, size_t bytes, int to, int tag)
{
    MPI_Request request;
    MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, comm, &request);
    atn_measure_wait_asleep(&request, 1, atn_pause_short);
}

/* ---- failures ---- */

bool atn_measure_on_all_ranks(MPI_Comm comm, bool mine)
{
    int all = mine;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
    return all != 0;
}

void atn_measure_abort_memory(void)
{
    fprintf(stderr, "attune: out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, ATN_ENVIRONMENT);
    abort();
}

/* ---- commands ---- */

void atn_measure_coordinator_begin(atn_coordinator *c, MPI_Comm comm)
{
    MPI_Comm_size(comm, &c->p);
    MPI_Comm_rank(comm, &c->r);
    MPI_Comm_dup(comm, &c->comm);
}

void atn_measure_coordinator_end(atn_coordinator *c) { MPI_Comm_free(&c->comm); }

static void broadcast(const atn_coordinator *c, void *command)
{
    MPI_Request request;
    MPI_Ibcast(command, (int)c->bytes, MPI_BYTE, ATN_COORDINATOR_RANK, c->comm, &request);
    atn_measure_wait_asleep(&request, 1, c->pause);
}

void atn_measure_coordinator_serve(const atn_coordinator *c)
{
    void *const command = malloc(c->bytes);
    if (command == NULL)
        atn_measure_abort_memory();
    do {
        if (c->broadcast)
            broadcast(c, command);
        else
            atn_measure_recv_asleep(c->comm, command, c->bytes, ATN_COORDINATOR_RANK, TAG_COMMAND,
                                    c->pause);
    } while (c->execute(c->context, command));
    free(command);
}

void atn_measure_send_command(const atn_coordinator *c, int worker, const void *command)
{
    atn_measure_send_asleep(c->comm, command, c->bytes, worker, TAG_COMMAND);
}

void atn_measure_command_all(const atn_coordinator *c, void *command)
{
    if (c->broadcast)
        broadcast(c, command);
    for (int r = 1; r < c->p && !c->broadcast; r++)
        atn_measure_send_command(c, r, command);
}

void atn_measure_result_send(const atn_coordinator *c, const void *result, size_t bytes)
{
    atn_measure_send_asleep(c->comm, result, bytes, ATN_COORDINATOR_RANK, TAG_RESULT);
}

void atn_measure_result_recv(const atn_coordinator *c, int worker, void *result, size_t bytes)
{
    atn_measure_recv_asleep(c->comm, result, bytes, worker, TAG_RESULT, atn_pause_medium);
}

void atn_measure_start_together(const atn_coordinator *c, int leader, const int *ranks, int n,
                                double pause)
{
    if (c->r != leader) {
        atn_measure_send_asleep(c->comm, NULL, 0, leader, TAG_READY);
        atn_measure_recv_asleep(c->comm, NULL, 0, leader, TAG_START, pause);
        return;
    }
    for (int i = 0; i < n; i++)
        if (ranks[i] != leader)
            atn_measure_recv_asleep(c->comm, NULL, 0, ranks[i], TAG_READY, pause);
    for (int i = 0; i < n; i++)
        if (ranks[i] != leader)
            atn_measure_send_asleep(c->comm, NULL, 0, ranks[i], TAG_START);
}
