/* machine.h - the machine that plans are made for: rank 0 reads it, all ranks open the same text.
 */
#ifndef ATN_PMPI_JOB_MACHINE_H
#define ATN_PMPI_JOB_MACHINE_H

#include "pmpi/job/job.h"

/* Rank 0: the text of the machine file that settings name; NULL: none, or invalid, which is
 * reported. */
char *atn_job_machine_text(const atn_job *job);
/* Opens that text, unless a calibration has supplied a machine; without one, or with a machine that
 * does not fit the topology, plans use the built-in machine. */
void atn_job_machine_open(atn_job *job, const char *text, size_t bytes);

#endif
