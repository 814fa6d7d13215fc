/* machine_update.h - the machine model is corrected by measured calls, so that later plans of the
 * job, and with ATTUNE_MACHINE_LEARN later jobs, predict better.
 *
 * Each process corrects its own copy with the communicators that it plans for.  The copies may
 * differ between ranks: they act only through plans, which are broadcast. */
#ifndef ATN_PMPI_SELECT_MACHINE_UPDATE_H
#define ATN_PMPI_SELECT_MACHINE_UPDATE_H

#include "plan/planner.h"
#include "pmpi/job/job.h"

typedef struct {
    atn_problem q;
    atn_choice choice;
    double seconds; /* on the slowest rank */
} atn_timed_call;

/* The machine with its corrections so far.  A machine is large and plans may be many, so all that
 * begin before the next correction share one. */
typedef struct {
    atn_machine *machine;
    int users, updates;
} atn_shared_machine;
/* NULL: none, or no memory. */
atn_shared_machine *atn_select_machine_take(void);
void atn_select_machine_give(atn_shared_machine *x); /* NULL is fine */
/* Corrects the machine by the time of a call; takes about as long as a plan. */
void atn_select_machine_update(const atn_timed_call *call);
/* Whether this process writes the corrected machine to a file. */
bool atn_select_machine_is_written(void);
/* Writes it, if so, at the end of the job. */
void atn_select_machine_stop(const atn_job *job);

#endif
