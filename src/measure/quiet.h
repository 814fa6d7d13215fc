/* quiet.h - messages of the rank that directs an experiment, waited for asleep: those who wait take
 * no processor time away from those who measure. */
#ifndef ATN_QUIET_H
#define ATN_QUIET_H

#include <mpi.h>
#include <stddef.h>

/* Longest nap of one who waits: for what comes soon, for what takes some time, and for its turn. */
extern const double atn_soon, atn_some_time, atn_long_time;

void atn_sleep(double seconds);
void atn_wait_asleep(MPI_Request *requests, int n, double longest);
void atn_hear(MPI_Comm comm, void *data, size_t bytes, int from, int tag, double longest);
void atn_tell(MPI_Comm comm, const void *data, size_t bytes, int to, int tag);

#endif
