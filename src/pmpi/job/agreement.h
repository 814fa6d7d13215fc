/* agreement.h - MPI_Init: the ranks of MPI_COMM_WORLD agree on build, settings and rules. */
#ifndef ATN_PMPI_JOB_AGREEMENT_H
#define ATN_PMPI_JOB_AGREEMENT_H

#include "pmpi/job/job.h"

/* Collective over MPI_COMM_WORLD: fills in the job; false: everything stays native. */
bool atn_job_agree(atn_job *job, bool same_version);
/* Collective over MPI_COMM_WORLD: whether all ranks have the same topology, or none has one. */
bool atn_job_topology_agreed(const atn_job *job);

#endif
