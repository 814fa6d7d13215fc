/* native.h - the native routine for a call that was started earlier. */
#ifndef ATN_PMPI_NONBLOCKING_NATIVE_H
#define ATN_PMPI_NONBLOCKING_NATIVE_H

#include "exec/exec.h"

/* Starts the call by the nonblocking routine of the MPI library. */
int atn_nonblocking_native(const atn_call *call, MPI_Comm comm, MPI_Request *request);

#endif
