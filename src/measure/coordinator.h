/* coordinator.h - rank 0 coordinates an experiment: it sends commands, and the other ranks, the
 * workers, execute them until the last one.
 *
 * A rank that waits sleeps between polls, so that it takes no processor time from those that
 * measure. */
#ifndef ATN_MEASURE_COORDINATOR_H
#define ATN_MEASURE_COORDINATOR_H

#include <mpi.h>

#include "base/base.h"

/* ---- waiting ---- */

/* Longest pause between two polls, in seconds: for a message that is due, for a result, for the
 * next command of a long experiment. */
extern const double atn_pause_short, atn_pause_medium, atn_pause_long;

void atn_measure_sleep(double seconds);
void atn_measure_busy_wait(double seconds); /* keeps the processor, outside of MPI */
void atn_measure_wait_asleep(MPI_Request *requests, int n, double pause);
void atn_measure_send_asleep(MPI_Comm comm, const void *data, size_t bytes, int to, int tag);
void atn_measure_recv_asleep(MPI_Comm comm, void *data, size_t bytes, int from, int tag,
                             double pause);

/* ---- failures ---- */

/* Collective: whether `mine` is true on all ranks. */
bool atn_measure_on_all_ranks(MPI_Comm comm, bool mine);
/* Ends the job, for a rank that the others cannot wait for. */
_Noreturn void atn_measure_abort_memory(void);

/* ---- commands ---- */

enum { ATN_COORDINATOR_RANK = 0 };

typedef struct {
    size_t bytes;   /* of a command */
    bool broadcast; /* every command goes to all ranks, in one broadcast */
    double pause;   /* of workers that wait for a command */
    /* Executes a command on the rank that received it.  False: it was the last one. */
    bool (*execute)(void *context, void *command);
    void *context;
    int p, r;
    MPI_Comm comm; /* a duplicate */
} atn_coordinator;

/* Collective.  The caller fills in the fields before p. */
void atn_measure_coordinator_begin(atn_coordinator *c, MPI_Comm comm);
void atn_measure_coordinator_end(atn_coordinator *c);

/* Workers: executes commands until the last one. */
void atn_measure_coordinator_serve(const atn_coordinator *c);
/* Workers: sends a result to rank 0. */
void atn_measure_result_send(const atn_coordinator *c, const void *result, size_t bytes);

/* Rank 0: sends a command to one worker, or to all of them. */
void atn_measure_send_command(const atn_coordinator *c, int worker, const void *command);
void atn_measure_command_all(const atn_coordinator *c, void *command);
void atn_measure_result_recv(const atn_coordinator *c, int worker, void *result, size_t bytes);

/* Ranks leave together: the leader waits until all others of the list are ready, then releases
 * them.  Only the leader needs the list, which may contain the leader. */
void atn_measure_start_together(const atn_coordinator *c, int leader, const int *ranks, int n,
                                double pause);

#endif
