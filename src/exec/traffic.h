/* traffic.h - counts the communication that Attune causes on its own: agreements, exchanges and
 * reports, not the messages of collectives that it executes for the program, nor measurements. */
#ifndef ATN_EXEC_TRAFFIC_H
#define ATN_EXEC_TRAFFIC_H

#include <mpi.h>
#include <stdint.h>

/* Of this rank. */
typedef struct {
    int64_t collectives; /* of the MPI library */
    int64_t messages;    /* sent point to point */
    int64_t bytes;       /* of these messages, and of the buffers of collectives */
} atn_own_traffic;

void atn_exec_traffic_collective(int count, MPI_Datatype type);
void atn_exec_traffic_message(int64_t bytes);
/* Since the beginning. */
atn_own_traffic atn_exec_traffic_get(void);

#endif
