/* context.h - contexts by info key. */
#ifndef ATN_PMPI_ENTRY_CONTEXT_H
#define ATN_PMPI_ENTRY_CONTEXT_H

#include <mpi.h>

/* The program has set info keys of a communicator. */
void atn_entry_context_info(MPI_Comm comm, MPI_Info info);

#endif
