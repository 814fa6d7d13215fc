/* observe.h - execution of calls while a report, a record, a check of arguments or the watchdog is
 * requested; otherwise nothing of it runs. */
#ifndef ATN_PMPI_OBSERVE_OBSERVE_H
#define ATN_PMPI_OBSERVE_OBSERVE_H

#include "pmpi/comm/state.h"

/* Starts what the settings request; stopping prints the report (collective over MPI_COMM_WORLD). */
void atn_observe_start(void);
void atn_observe_stop(void);

/* An observed call. */
typedef struct {
    atn_comm *c;
    const atn_call *call;
    atn_choice choice;
    atn_turn turn;
    bool declined; /* a plan could not serve this call on all ranks */
    double start;
} atn_observed_call;

/* Executes the call; false: call the native routine, then atn_observe_end. */
bool atn_observe_begin(atn_observed_call *o, atn_comm *c, const atn_call *call, int *code_p);
int atn_observe_end(atn_observed_call *o, int code);
/* A call on a communicator without a state, if it succeeds, for the report; times of
 * atn_job_seconds. */
double atn_observe_stateless_begin(void);
void atn_observe_stateless_end(MPI_Comm comm, atn_operation op, double start);
/* The native routine starts a nonblocking or persistent reduction; `reported`: with its time.
 * Attune starts its own through atn_pmpi_real (tools/check_interposed). */
void atn_observe_nonblocking(MPI_Comm comm, bool reported);

#endif
