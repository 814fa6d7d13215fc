/* vote.c - MPI_Init: the ranks of MPI_COMM_WORLD agree on what they run and how it is set.
 *
 * The first ballot has a fixed form, so that different versions of Attune understand each other
 * well enough to step aside together.  A rank with ATTUNE=off takes part in it: if it did not,
 * ranks with different environments would wait for each other for ever. */
#include <stdlib.h>

#include "base/clock.h"
#include "exec/place.h"
#include "pmpi/gpu.h"
#include "pmpi/parcel.h"

/* Minimum over the ranks.  A value and its complement together tell whether all are alike.  MISFIT
 * is a rank with another MPI; when there is none, it exceeds the number of ranks by the bytes that
 * rank 0 will send. */
enum { PROTOCOL, PROTOCOL_NOT, BUILD, BUILD_NOT, AWAKE, HOST_ONLY, MISFIT, BALLOT };

static bool vote_min(int64_t *ballot, int n)
{
    return atn_real.Allreduce(MPI_IN_PLACE, ballot, n, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD) ==
           MPI_SUCCESS;
}

bool atn_is_awake(void)
{
    atn_settings s;
    const char *const text = getenv(atn_setting_get(ATN_SET_ON)->name);
    atn_settings_default(&s);
    if (text != NULL)
        atn_settings_set(&s, ATN_SET_ON, text, ATN_FROM_ENVIRONMENT, NULL);
    const bool awake = atn_setting_number(&s, ATN_SET_ON) != 0;
    atn_settings_free(&s);
    return awake;
}

/* Says why not, from one rank. */
static bool ballot_passes(const atn_job *job, const int64_t *ballot)
{
    if (!ballot[AWAKE])
        return false;
    if (ballot[PROTOCOL] != ~ballot[PROTOCOL_NOT] || ballot[BUILD] != ~ballot[BUILD_NOT]) {
        if (job->r == 0)
            atn_say("ranks run different builds of Attune; everything stays native");
        return false;
    }
    if (ballot[MISFIT] < job->p) {
        if (ballot[MISFIT] == job->r)
            atn_say("this library is built for %s and the program runs on another version; "
                    "everything stays native.  Rebuild Attune with the program's MPI",
                    atn_mpi_built_for());
        return false;
    }
    return true;
}

/* `bytes`: what rank 0 has to send, -1 when a rank takes no part.  Returns it on all, or -1. */
static int64_t ranks_fit(const atn_job *job, bool same_version, int64_t bytes, bool *host_only_p)
{
    static const char build[] = ATN_BUILD_ID;
    const int64_t hash = (int64_t)atn_hash(build, sizeof build, 0);
    int64_t ballot[BALLOT] = {
        [PROTOCOL] = 1,
        [PROTOCOL_NOT] = ~INT64_C(1),
        [BUILD] = hash,
        [BUILD_NOT] = ~hash,
        [AWAKE] = bytes >= 0,
        [HOST_ONLY] = !atn_mpi_takes_gpu_memory(),
        [MISFIT] = !same_version ? job->r
                   : job->r == 0 ? job->p + (bytes > 0 ? bytes : 0)
                                 : INT64_MAX,
    };
    if (!vote_min(ballot, BALLOT) || !ballot_passes(job, ballot))
        return -1;
    *host_only_p = ballot[HOST_ONLY] != 0;
    return ballot[MISFIT] - job->p;
}

/* Gets the parcel and learns where the others are; the rest each rank works out by itself. */
static bool share_settings(atn_job *job, int64_t bytes, atn_parcel *q, atn_seat *seats)
{
    const bool opened = atn_parcel_share(job, bytes, q);
    const bool placed = opened && q->head.size[ATN_PART_TOPOLOGY] > 0;
    int64_t ballot[] = {opened, (int64_t)job->hash, ~(int64_t)job->hash};
    const bool alike = q->head.meets ? atn_job_meet(job, placed ? q->part[ATN_PART_TOPOLOGY] : "",
                                                    opened ? job->hash | 1 : 0, seats)
                                     : vote_min(ballot, 3) && ballot[0] && ballot[1] == ~ballot[2];
    if (!alike)
        return false;
    atn_job_machine(job, q->part[ATN_PART_MACHINE], (size_t)q->head.size[ATN_PART_MACHINE]);
    /* A rank that could not work out topology or machine shows in all votes that follow. */
    const uint64_t parts[] = {job->hash, job->topo != NULL, job->measured};
    job->hash = atn_hash(parts, sizeof parts, 0);
    return true;
}

bool atn_job_agrees(const atn_job *job)
{
    int64_t ballot[] = {(int64_t)job->hash, ~(int64_t)job->hash};
    return atn_topology_of(job) == NULL || (vote_min(ballot, 2) && ballot[0] == ~ballot[1]);
}

/* Room for what all ranks tell is taken first: who has none steps aside with all others. */
static bool agree(atn_job *job, bool same_version, bool *host_only_p)
{
    atn_seat *const seats = malloc((size_t)job->p * sizeof *seats);
    atn_parcel q = {0};
    const bool awake = atn_is_awake();
    if (awake && seats == NULL)
        atn_say("out of memory; everything stays native");
    int64_t own = awake && seats != NULL ? 0 : -1;
    if (own == 0 && job->r == 0)
        own = atn_parcel_read(job, &q);
    const int64_t bytes = ranks_fit(job, same_version, own, host_only_p);
    job->began_ns = atn_clock_kernel_ns();
    const bool agreed = bytes >= 0 && share_settings(job, bytes, &q, seats);
    atn_parcel_free(&q);
    free(seats);
    return agreed;
}

bool atn_job_vote(atn_job *job, bool same_version)
{
    bool host_only;
    PMPI_Comm_size(MPI_COMM_WORLD, &job->p);
    PMPI_Comm_rank(MPI_COMM_WORLD, &job->r);
    if (!agree(job, same_version, &host_only))
        return false;
    const bool gpu = !host_only && atn_setting_number(&job->settings, ATN_SET_GPU) != ATN_GPU_SERVE;
    const bool asked =
        job->verbose > 0 || job->reproducible || atn_rules_operations(job->rules) != 0;
    if (gpu && asked && job->r == 0)
        atn_say("MPI is GPU-aware; everything stays native (ATTUNE_GPU=serve changes that)");
    return !gpu;
}
