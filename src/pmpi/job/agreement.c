/* agreement.c - see agreement.h.
 *
 * The first ballot has a fixed layout, so that different versions of Attune recognise each other
 * and all stay native.  A rank with ATTUNE=off takes part in it: otherwise ranks with different
 * environments would wait for each other forever. */
#include "pmpi/job/agreement.h"

#include <stdlib.h>

#include "exec/place.h"
#include "interpose/gpu.h"
#include "pmpi/job/broadcast.h"
#include "pmpi/job/calibration.h"
#include "pmpi/job/identity.h"
#include "pmpi/job/machine.h"
#include "pmpi/job/placement.h"
#include "pmpi/job/settings.h"
#include "pmpi/own.h"

/* Minimum over the ranks.  A value and its complement are both minimal only if all ranks hold the
 * same value.  OTHER_MPI is the first rank with another MPI version; if there is none, it is the
 * number of ranks plus the number of bytes that rank 0 will send. */
enum { PROTOCOL, PROTOCOL_NOT, BUILD, BUILD_NOT, ENABLED, HOST_ONLY, OTHER_MPI, BALLOT };

static bool reduce_min(int64_t *ballot, int n)
{
    return atn_pmpi_own_allreduce(MPI_IN_PLACE, ballot, n, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD) ==
           MPI_SUCCESS;
}

/* One rank reports why the ballot fails. */
static bool ballot_passes(const atn_job *job, const int64_t *ballot)
{
    if (!ballot[ENABLED])
        return false;
    if (ballot[PROTOCOL] != ~ballot[PROTOCOL_NOT] || ballot[BUILD] != ~ballot[BUILD_NOT]) {
        if (job->r == 0)
            atn_interpose_print_line(
                "ranks run different builds of Attune; everything stays native");
        return false;
    }
    if (ballot[OTHER_MPI] < job->p) {
        if (ballot[OTHER_MPI] == job->r)
            atn_interpose_print_line(
                "this library is built for %s and the program runs on another version; "
                "everything stays native.  Rebuild Attune with the program's MPI",
                atn_job_mpi_name());
        return false;
    }
    return true;
}

/* `bytes`: the size of rank 0's broadcast; -1: this rank does not serve.  Returns the size on all
 * ranks, or -1. */
static int64_t first_ballot(const atn_job *job, bool same_version, int64_t bytes, bool *host_only_p)
{
    static const char build[] = ATN_BUILD_ID;
    const int64_t hash = (int64_t)atn_hash(build, sizeof build, 0);
    int64_t ballot[BALLOT] = {
        [PROTOCOL] = 1,
        [PROTOCOL_NOT] = ~INT64_C(1),
        [BUILD] = hash,
        [BUILD_NOT] = ~hash,
        [ENABLED] = bytes >= 0,
        [HOST_ONLY] = !atn_interpose_mpi_takes_gpu_memory(),
        [OTHER_MPI] = !same_version ? job->r
                      : job->r == 0 ? job->p + (bytes > 0 ? bytes : 0)
                                    : INT64_MAX,
    };
    if (!reduce_min(ballot, BALLOT) || !ballot_passes(job, ballot))
        return -1;
    *host_only_p = ballot[HOST_ONLY] != 0;
    return ballot[OTHER_MPI] - job->p;
}

/* Receives the broadcast and exchanges placements; each rank derives the rest locally. */
static bool share_settings(atn_job *job, int64_t bytes, atn_broadcast *q, atn_location *locations)
{
    const bool opened = atn_job_broadcast_run(job, bytes, q);
    const bool placed = opened && q->head.size[ATN_PART_TOPOLOGY] > 0;
    int64_t ballot[] = {opened, (int64_t)job->hash, ~(int64_t)job->hash};
    const bool alike = q->head.places
                           ? atn_job_place_ranks(job, placed ? q->part[ATN_PART_TOPOLOGY] : "",
                                                 opened ? job->hash | 1 : 0, locations)
                           : reduce_min(ballot, 3) && ballot[0] && ballot[1] == ~ballot[2];
    if (!alike)
        return false;
    atn_job_calibration_open(job, q->part[ATN_PART_CALIBRATION],
                             (size_t)q->head.size[ATN_PART_CALIBRATION], locations);
    atn_job_machine_open(job, q->part[ATN_PART_MACHINE], (size_t)q->head.size[ATN_PART_MACHINE]);
    /* A rank that could not derive all of it is detected by all later agreements. */
    const uint64_t parts[] = {job->hash,     job->topo != NULL,
                              job->measured, (uint64_t)job->entry,
                              job->switches, (uint64_t)job->sharing};
    job->hash = atn_hash(parts, sizeof parts, 0);
    return true;
}

bool atn_job_topology_agreed(const atn_job *job)
{
    int64_t ballot[] = {(int64_t)job->hash, ~(int64_t)job->hash};
    return atn_job_topology_name(job) == NULL || (reduce_min(ballot, 2) && ballot[0] == ~ballot[1]);
}

/* Memory for the placements of all ranks is allocated first: if a rank has none, all stay native.
 */
static bool agree(atn_job *job, bool same_version, bool *host_only_p)
{
    atn_location *const locations = malloc((size_t)job->p * sizeof *locations);
    atn_broadcast q = {0};
    const bool enabled = atn_job_enabled();
    if (enabled && locations == NULL)
        atn_interpose_print_line("out of memory; everything stays native");
    int64_t own = enabled && locations != NULL ? 0 : -1;
    if (own == 0 && job->r == 0)
        own = atn_job_broadcast_read(job, &q);
    const int64_t bytes = first_ballot(job, same_version, own, host_only_p);
    job->began_ns = atn_clock_kernel_ns();
    const bool agreed = bytes >= 0 && share_settings(job, bytes, &q, locations);
    atn_job_broadcast_free(&q);
    free(locations);
    return agreed;
}

bool atn_job_agree(atn_job *job, bool same_version)
{
    bool host_only;
    PMPI_Comm_size(MPI_COMM_WORLD, &job->p);
    PMPI_Comm_rank(MPI_COMM_WORLD, &job->r);
    if (!agree(job, same_version, &host_only))
        return false;
    const bool gpu =
        !host_only && atn_plan_setting_number(&job->settings, ATN_SET_GPU) != ATN_GPU_SERVE;
    const bool would_serve =
        job->verbose > 0 || job->reproducible || atn_plan_rules_operations(job->rules) != 0;
    if (gpu && would_serve && job->r == 0)
        atn_interpose_print_line(
            "MPI is GPU-aware; everything stays native (ATTUNE_GPU=serve changes that)");
    return !gpu;
}
