/* wisdom.h - the wisdom of a job: rank 0 reads it, all ranks share it. */
#ifndef ATN_PMPI_JOB_WISDOM_H
#define ATN_PMPI_JOB_WISDOM_H

#include "pmpi/job/job.h"

/* On rank 0: the rules of the wisdom files for this machine, packed for all ranks.  A file that
 * cannot be used is reported once and skipped. */
atn_status atn_job_wisdom_pack(const atn_settings *s, char **bytes_p, size_t *size_p,
                               atn_error *err);
/* Unpacks them into the job, with the name of the machine. */
bool atn_job_wisdom_open(atn_job *job, const char *bytes, size_t size);
/* Operations for which it has algorithms other than native. */
uint32_t atn_job_wisdom_operations(const atn_rules *wisdom);

#endif
