/* agreement.h - what the ranks of a communicator agree on: a minimum over all of them. */
#ifndef ATN_PMPI_COMM_AGREEMENT_H
#define ATN_PMPI_COMM_AGREEMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* What a rank has for a communicator; the least of all ranks counts.  LATER: it expects no gain
 * from a set-up now. */
typedef enum { ATN_READY_NOTHING, ATN_READY_STATE, ATN_READY_LATER, ATN_READY_ALL } atn_readiness;

typedef struct {
    bool same;        /* all request the same context */
    bool nonblocking; /* all can serve nonblocking collectives */
} atn_agreed;

/* Collective: the readiness of all ranks. */
atn_readiness atn_comm_agree(MPI_Comm comm, atn_readiness own, uint64_t context,
                             atn_agreed *agreed_p);

#endif
