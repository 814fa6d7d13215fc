/* vote.c - MPI_Init: the ranks of MPI_COMM_WORLD agree on what they run and how it is set.
 *
 * The first ballot has a fixed form, so that different versions of Attune understand each other
 * well enough to step aside together.  A rank with ATTUNE=off takes part in it: if it did not,
 * ranks with different environments would wait for each other for ever. */
#include <stdlib.h>
#include <string.h>

#include "pmpi/gpu.h"
#include "pmpi/tuned.h"
#include "pmpi/wise.h"

extern char **environ;

/* Minimum over the ranks.  A value and its complement together tell whether all are alike. */
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

static bool ranks_fit(const atn_job *job, bool same_version, bool *host_only_p)
{
    static const char build[] = ATN_BUILD_ID;
    const int64_t hash = (int64_t)atn_hash(build, sizeof build, 0);
    int64_t ballot[BALLOT] = {
        [PROTOCOL] = 1,
        [PROTOCOL_NOT] = ~INT64_C(1),
        [BUILD] = hash,
        [BUILD_NOT] = ~hash,
        [AWAKE] = atn_is_awake(),
        [HOST_ONLY] = !atn_mpi_takes_gpu_memory(),
        [MISFIT] = same_version ? job->p : job->r,
    };
    if (!vote_min(ballot, BALLOT) || !ballot_passes(job, ballot))
        return false;
    *host_only_p = ballot[HOST_ONLY] != 0;
    return true;
}

/* ---- settings and rules: one rank reads, all get the same bytes ---- */

enum { SETTINGS, RULES, WISDOM, PARTS };

typedef struct {
    char *bytes[PARTS];
    int64_t size[PARTS];
} parcel;

static void parcel_free(parcel *q)
{
    for (int i = 0; i < PARTS; i++)
        free(q->bytes[i]);
}

/* Bad rules leave native everywhere, but other settings hold. */
static atn_status pack_rules(const atn_settings *s, parcel *q, atn_error *err)
{
    atn_rules *rules = NULL;
    atn_error bad = {0};
    size_t size = 0;
    if (atn_rules_load(atn_setting_given(s, ATN_SET_RULES), atn_setting_given(s, ATN_SET_ALGORITHM),
                       atn_setting_text(s, ATN_SET_SELECT), &rules, &bad) != ATN_OK) {
        atn_say("%s; native algorithms are used", bad.text);
        rules = atn_rules_empty();
    }
    const atn_status status = rules == NULL ? atn_fail(err, ATN_MEMORY, "out of memory")
                                            : atn_rules_pack(rules, &q->bytes[RULES], &size, err);
    q->size[RULES] = (int64_t)size;
    atn_rules_free(rules);
    return status;
}

static atn_status pack_all(parcel *q, atn_error *err)
{
    atn_settings s;
    char *warning = NULL;
    size_t size = 0;
    atn_settings_default(&s);
    atn_status status = atn_settings_environ(&s, environ, &warning, err);
    if (warning != NULL)
        fputs(warning, stderr);
    if (status == ATN_OK)
        status = atn_settings_pack(&s, &q->bytes[SETTINGS], &size, err);
    q->size[SETTINGS] = (int64_t)size;
    if (status == ATN_OK)
        status = pack_rules(&s, q, err);
    if (status == ATN_OK)
        status = atn_wise_pack(&s, &q->bytes[WISDOM], &size, err);
    q->size[WISDOM] = (int64_t)size;
    free(warning);
    atn_settings_free(&s);
    return status;
}

/* Sizes are -1 when the reading rank failed; it has said why. */
static void read_parcel(parcel *q)
{
    atn_error err = {0};
    if (pack_all(q, &err) == ATN_OK)
        return;
    atn_say("%s; everything stays native", err.text);
    q->size[SETTINGS] = -1;
}

static bool send_parcel(const atn_job *job, parcel *q)
{
    if (job->r == 0)
        read_parcel(q);
    if (atn_real.Bcast(q->size, PARTS, MPI_INT64_T, 0, MPI_COMM_WORLD) != MPI_SUCCESS ||
        q->size[SETTINGS] < 0)
        return false;
    bool room = true;
    for (int i = 0; i < PARTS; i++) {
        if (job->r != 0)
            q->bytes[i] = malloc((size_t)q->size[i] + 1);
        room = room && q->bytes[i] != NULL;
    }
    int64_t all_have_room = room;
    if (!vote_min(&all_have_room, 1) || !all_have_room)
        return false;
    for (int i = 0; i < PARTS; i++)
        if (atn_real.Bcast(q->bytes[i], (int)q->size[i], MPI_CHAR, 0, MPI_COMM_WORLD) !=
            MPI_SUCCESS)
            return false;
    return true;
}

static bool open_parcel(atn_job *job, const parcel *q)
{
    atn_error err = {0};
    if (atn_settings_unpack(&job->settings, q->bytes[SETTINGS], (size_t)q->size[SETTINGS], &err) !=
            ATN_OK ||
        atn_rules_unpack(q->bytes[RULES], (size_t)q->size[RULES], &job->rules, &err) != ATN_OK ||
        !atn_wise_open(job, q->bytes[WISDOM], (size_t)q->size[WISDOM]))
        return false;
    const uint64_t parts[] = {atn_settings_hash(&job->settings), atn_rules_hash(job->rules),
                              atn_rules_hash(job->wisdom)};
    job->hash = atn_hash(parts, sizeof parts, 0);
    return true;
}

static bool share_settings(atn_job *job)
{
    parcel q = {0};
    bool alike = send_parcel(job, &q);
    if (alike) {
        const int64_t opened = open_parcel(job, &q), hash = (int64_t)job->hash;
        int64_t ballot[] = {opened, hash, ~hash};
        alike = vote_min(ballot, 3) && ballot[0] && ballot[1] == ~ballot[2];
    }
    parcel_free(&q);
    return alike;
}

static void take_settings(atn_job *job)
{
    const atn_settings *const s = &job->settings;
    job->first = (int)atn_setting_number(s, ATN_SET_FIRST);
    job->check = atn_setting_number(s, ATN_SET_CHECK) != 0;
    job->reproducible = atn_setting_number(s, ATN_SET_REPRODUCIBLE) != 0;
    job->watchdog = (int)atn_setting_number(s, ATN_SET_WATCHDOG);
    job->verbose = (int)atn_setting_number(s, ATN_SET_VERBOSE);
    job->report = atn_setting_report(s);
    job->record = atn_setting_given(s, ATN_SET_RECORD);
    job->foresees = atn_setting_number(s, ATN_SET_FORESEE) != 0;
    job->observed = job->check || job->watchdog > 0 || job->report != NULL || job->record != NULL;
    job->forced = atn_rules_forced(job->rules) | atn_reproducible_operations();
    job->lasting = !atn_rules_per_call(job->rules);
}

bool atn_job_vote(atn_job *job, bool same_version)
{
    bool host_only;
    PMPI_Comm_size(MPI_COMM_WORLD, &job->p);
    PMPI_Comm_rank(MPI_COMM_WORLD, &job->r);
    if (!ranks_fit(job, same_version, &host_only) || !share_settings(job))
        return false;
    take_settings(job);
    atn_tuned_settle(job);
    const bool gpu = !host_only && atn_setting_number(&job->settings, ATN_SET_GPU) != ATN_GPU_SERVE;
    const bool asked =
        job->verbose > 0 || job->reproducible || atn_rules_operations(job->rules) != 0;
    if (gpu && asked && job->r == 0)
        atn_say("MPI is GPU-aware; everything stays native (ATTUNE_GPU=serve changes that)");
    return !gpu;
}
