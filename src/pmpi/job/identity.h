/* identity.h - the MPI library underneath. */
#ifndef ATN_PMPI_JOB_IDENTITY_H
#define ATN_PMPI_JOB_IDENTITY_H

#include <stdbool.h>

/* Whether the MPI library has the handles that this build supports; reports it if not.  Makes no
 * call that involves a handle. */
bool atn_job_mpi_check(bool *same_version_p);
/* "Open MPI 4.1.4": the MPI that this build is for. */
const char *atn_job_mpi_name(void);

#endif
