/* settings.h - the fields of the job that follow from settings and rules. */
#ifndef ATN_PMPI_JOB_SETTINGS_H
#define ATN_PMPI_JOB_SETTINGS_H

#include "pmpi/job/job.h"

/* Whether the environment of this rank lacks ATTUNE=off. */
bool atn_job_enabled(void);
/* Derives the fields from settings, rules and wisdom, which all ranks share. */
void atn_job_settings_apply(atn_job *job);

#endif
