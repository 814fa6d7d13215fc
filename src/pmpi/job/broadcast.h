/* broadcast.h - what rank 0 reads for all ranks in MPI_Init: settings, rules, wisdom, topology,
 * machine and calibrations.  One broadcast carries it; the first agreement carries its size. */
#ifndef ATN_PMPI_JOB_BROADCAST_H
#define ATN_PMPI_JOB_BROADCAST_H

#include "pmpi/job/job.h"

enum {
    ATN_PART_SETTINGS,
    ATN_PART_RULES,
    ATN_PART_WISDOM,
    ATN_PART_TOPOLOGY,    /* with the terminating zero; empty: none */
    ATN_PART_MACHINE,     /* empty: the built-in one */
    ATN_PART_CALIBRATION, /* entries of the store; empty: none */
    ATN_PARTS
};

typedef struct {
    int64_t size[ATN_PARTS];
    int64_t places; /* whether ranks exchange where they run */
} atn_broadcast_head;

typedef struct {
    atn_broadcast_head head;
    const char *part[ATN_PARTS];
    char *bytes; /* the head and all parts; NULL: no memory */
} atn_broadcast;

/* Rank 0: reads and opens everything.  Returns the number of bytes to send, or -1 after a failure,
 * which has been reported. */
int64_t atn_job_broadcast_read(atn_job *job, atn_broadcast *q);
/* Collective: sends rank 0's bytes to all ranks and opens them.  False: this rank could not; the
 * head is valid nevertheless. */
bool atn_job_broadcast_run(atn_job *job, int64_t bytes, atn_broadcast *q);
void atn_job_broadcast_free(atn_broadcast *q);

#endif
