/* placement.h - where the ranks of the job run: topology and oversubscription. */
#ifndef ATN_PMPI_JOB_PLACEMENT_H
#define ATN_PMPI_JOB_PLACEMENT_H

#include "exec/place.h"
#include "pmpi/job/job.h"

/* Name of the topology; NULL: none.  Wisdom is filed by rank mapping, for which it suffices which
 * ranks share a host. */
const char *atn_job_topology_name(const atn_job *job);
/* Whether the job has to find out whether cores are oversubscribed. */
bool atn_job_checks_oversubscription(const atn_job *job);
/* Whether it has to find out whether every rank has a core for one more thread. */
bool atn_job_checks_spare_cores(const atn_job *job);
/* Collective over MPI_COMM_WORLD: ranks exchange where they run (`locations` has room for all),
 * so that each derives topology and waiting mode from rank 0's topology text ("": none).  False,
 * on all ranks alike: the values of `word` differ, or one is 0. */
bool atn_job_place_ranks(atn_job *job, const char *topology, uint64_t word,
                         atn_location *locations);

#endif
