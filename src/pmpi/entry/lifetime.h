/* lifetime.h - from MPI_Init to MPI_Finalize. */
#ifndef ATN_PMPI_ENTRY_LIFETIME_H
#define ATN_PMPI_ENTRY_LIFETIME_H

/* Called by the entry points of MPI_Init and MPI_Finalize, once each. */
void atn_entry_job_start(void);
void atn_entry_job_stop(void);

#endif
