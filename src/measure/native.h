/* native.h - the collectives of the MPI library in their three forms: blocking, nonblocking,
 * persistent.  MPI libraries before version 4 of the standard have persistent collectives as
 * MPIX_Name_init or not at all, so they are looked up while the program runs. */
#ifndef ATN_MEASURE_NATIVE_H
#define ATN_MEASURE_NATIVE_H

#include "measure/call.h"

/* Each returns an MPI error code. */
int atn_measure_native_call(const atn_caller *c);
int atn_measure_native_start(const atn_caller *c, MPI_Request *request_p);
int atn_measure_native_init(const atn_caller *c, MPI_Request *request_p);
/* Whether the library has the persistent form of this operation. */
bool atn_measure_native_persists(atn_operation op);

#endif
