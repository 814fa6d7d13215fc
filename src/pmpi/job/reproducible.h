/* reproducible.h - ATTUNE_REPRODUCIBLE: which operations it concerns, and which reductions are not
 * reproducible although it is set. */
#ifndef ATN_PMPI_JOB_REPRODUCIBLE_H
#define ATN_PMPI_JOB_REPRODUCIBLE_H

#include <mpi.h>
#include <stdint.h>

typedef enum {
    ATN_LOST_INTER,
    ATN_LOST_OUTSIDE,
    ATN_LOST_ROOM,
    ATN_LOST_ARGUMENTS,
    ATN_LOST_NONBLOCKING
} atn_reproducibility_loss;

/* Reports once for each reason why reductions are not reproducible although they should be. */
void atn_job_not_reproducible(atn_reproducibility_loss why, MPI_Comm comm);
/* Operations that must not be native; 0 unless results must be reproducible. */
uint32_t atn_job_reproducible_operations(void);

#endif
