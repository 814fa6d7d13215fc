/* calibration.h - topology and machine of a job that names neither: from the store of calibrations
 * (plan/store.h).
 *
 * Rank 0 reads the store before the hosts of the job are known and sends the entries for its own
 * host; after the exchange of locations every rank selects the same one. */
#ifndef ATN_PMPI_JOB_CALIBRATION_H
#define ATN_PMPI_JOB_CALIBRATION_H

#include "exec/place.h"
#include "plan/store.h"
#include "pmpi/job/job.h"

/* The files that hold calibrations for the job. */
void atn_job_calibration_files(const atn_job *job, atn_wisdom_files *files_p);
/* Rank 0: these entries as text; NULL: none.  Unusable files are reported. */
char *atn_job_calibration_text(atn_job *job, size_t *bytes_p);
/* Every rank: takes topology and machine from the entry that serves all hosts, if there is one. */
void atn_job_calibration_open(atn_job *job, const char *text, size_t bytes,
                              const atn_location *locations);

#endif
