/* measure_exec.c - the MPI program behind `attune measure`: measures the parameters of models
 * (docs/calibration.md).
 *
 *   measure_exec [--topology T] [--time SECONDS] [--from NUMBER] [--off-cache 0|1]
 *
 * Rank 0 coordinates and prints the format of model/survey.h.  An error is written as a `failed`
 * line and the job ends normally, because launchers bury the message of a failed job under their
 * own output. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "exec/host.h"
#include "exec/oversubscribed.h"
#include "exec/shared.h"
#include "measure/coordinator.h"
#include "measure/observe.h"
#include "measure/program.h"
#include "plan/settings.h"
#include "topo/node.h"

enum { MAX_BYTES = 1 << 20, MAX_CHUNK = 256 << 10 };

typedef struct {
    int p, r;
    const char *topology;
    double seconds;
    int from, off_cache;
    int placed; /* a topology was given */
    atn_topo *topo;
    atn_survey head;
    atn_experiments plan;
    atn_testbed *testbed;
    atn_shared *shared;
} job;

static bool failed(const job *j, atn_status status, const char *text)
{
    if (j->r == 0)
        printf("attune-survey 1\nfailed %d %s\n", (int)status, text);
    fflush(stdout);
    return false;
}

/* ---- the machine ---- */

static const atn_place_mpi library = {MPI_Bcast, MPI_Allreduce};

/* Without a topology: all hosts on one switch. */
static bool place_by_name(job *j, atn_error *err)
{
    char *all = atn_measure_program_hosts(j->p);
    const char **names = malloc((size_t)j->p * sizeof *names);
    if (!names)
        atn_measure_abort_memory();
    for (int r = 0; r < j->p; r++)
        names[r] = all + (size_t)r * ATN_HOST_ROOM;
    const atn_status status = atn_topo_from_hosts(names, j->p, &j->topo, err);
    free(names);
    free(all);
    return status == ATN_OK;
}

static bool place_ranks(job *j)
{
    atn_error err = {0};
    j->placed = j->topology != NULL && *j->topology != '\0';
    MPI_Bcast(&j->placed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (j->placed)
        atn_exec_place_ranks(&library, MPI_COMM_WORLD, j->topology, &j->topo, &err);
    else
        place_by_name(j, &err);
    return j->topo != NULL || failed(j, err.status ? err.status : ATN_INPUT, err.text);
}

static uint64_t hash_file(const char *path)
{
    char text[256];
    FILE *f = fopen(path, "r");
    const size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    return n > 0 ? atn_hash(text, n, 0) : 0;
}

/* Number of processors that all hosts share, because they are emulated on one machine; 0: each has
 * its own. */
static int shared_processors(const job *j)
{
    const uint64_t own = hash_file("/proc/sys/kernel/random/boot_id");
    uint64_t ends[2] = {own, ~own};
    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    const bool same = own != 0 && ends[0] == ~ends[1];
    static atn_pus pus;
    static atn_node node;
    int n = 0;
    atn_topo_pus_own(&pus);
    atn_topo_node_read(&pus, &node);
    for (int i = 0; i < ATN_MAX_PUS; i++)
        n += atn_topo_pus_has(&pus, i);
    n = node.quota > 0 ? atn_min(n, node.quota) : n;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return same && !ATN_SIMULATED && j->head.hosts > 1 ? n : 0;
}

static bool describe_mpi(job *j)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    atn_measure_mpi_version(version);
    j->head.mpi = strdup(version);
    return j->head.mpi != NULL;
}

/* ---- agreement ---- */

/* Ranks with different options or builds would deadlock. */
static bool agree(const job *j)
{
    uint64_t id = j->head.plan ^ (uint64_t)j->off_cache, ends[2];
    id = atn_hash(ATN_VERSION, strlen(ATN_VERSION), id);
    ends[0] = id;
    ends[1] = ~id;
    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    return ends[0] == ~ends[1] ||
           failed(j, ATN_ENVIRONMENT,
                  "ranks disagree about the plan: they were started with different options, or "
                  "by different builds of Attune");
}

/* Whether every rank that the topology has on this host shares memory with this one. */
static bool host_shares(const job *j)
{
    for (int i = 0; i < j->p; i++)
        if (i != j->r && atn_topo_hops(j->topo, j->r, i) == 0 &&
            atn_exec_shared_index(j->shared, i) < 0)
            return false;
    return true;
}

/* The memory that ranks of a host share, if all hosts can and may. */
static bool share_memory(job *j)
{
    atn_sharing sharing = ATN_SHARED_NONE;
    const bool wanted = atn_plan_setting_own(ATN_SET_TRANSPORT) != ATN_TRANSPORT_MPI;
    const bool yields = atn_exec_ranks_oversubscribed(&library, MPI_COMM_WORLD);
    j->shared = atn_exec_shared_open(&library, MPI_COMM_WORLD, wanted, yields, &sharing);
    int all = sharing != ATN_SHARED_NONE && host_shares(j);
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
}

static bool prepare(job *j)
{
    atn_error err = {0};
    if (!place_ranks(j))
        return false;
    const atn_survey_conditions conditions = {.off_cache = j->off_cache != 0,
                                              .shared = share_memory(j)};
    if (atn_model_survey_plan(j->topo, conditions, &j->plan, &j->head, &err) != ATN_OK)
        return failed(j, err.status, err.text);
    if (!j->placed)
        j->head.topology = 0;
    j->head.rounds = j->seconds < 10 ? 1 : ATN_SURVEY_ROUNDS;
    j->head.processors = shared_processors(j);
    if (!describe_mpi(j) || !agree(j))
        return false;
    j->testbed = atn_measure_testbed_new(MPI_COMM_WORLD,
                                         &(atn_testbed_options){.max_bytes = MAX_BYTES,
                                                                .max_chunk = MAX_CHUNK,
                                                                .off_cache = j->off_cache != 0,
                                                                .pause = atn_pause_long,
                                                                .shared = j->shared});
    if (j->testbed && j->head.processors > 0 && j->p > j->head.processors)
        atn_measure_testbed_spread(j->testbed);
    return j->testbed != NULL || failed(j, ATN_ENVIRONMENT, "no memory for the buffers");
}

/* ---- measuring ---- */

/* Long messages vary little and take long, so the last rounds omit them; the eager limit is a
 * constant of the library, so it is measured once. */
static double weight_of(const job *j, int number)
{
    const atn_experiment *e = &j->plan.v[number % j->plan.n];
    const int round = number / j->plan.n;
    const bool enough =
        e->of.kind == ATN_OBS_EAGER ? round > 0 : round >= ATN_SURVEY_LONG_ROUNDS && e->weight > 1;
    return enough ? 0 : e->weight;
}

static double weight_between(const job *j, int first, int end)
{
    double sum = 0;
    for (int i = first; i < end; i++)
        sum += weight_of(j, i);
    return sum;
}

/* Time that an experiment does not use goes to the following ones. */
static void coordinate(job *j)
{
    const int n = j->plan.n, all = n * j->head.rounds;
    const double began = MPI_Wtime();
    double left = weight_between(j, j->from, all);
    const double seconds = j->seconds * left / weight_between(j, 0, all);
    atn_observe_state *states = calloc((size_t)n, sizeof *states);
    if (!states)
        atn_measure_abort_memory();
    atn_model_survey_put_head(stdout, &j->head);
    fflush(stdout);
    for (int i = j->from; i < all; i++) {
        atn_observation o;
        const double weight = weight_of(j, i);
        const double share = (seconds - (MPI_Wtime() - began)) * weight / left;
        if (weight > 0 &&
            atn_measure_observe(j->testbed, &j->plan.v[i % n], share, &states[i % n], &o))
            atn_model_survey_put(stdout, i, &o);
        else
            printf("skip %d\n", i);
        left -= weight;
        fflush(stdout);
    }
    free(states);
    atn_measure_testbed_stop(j->testbed);
    printf("end\n");
    fflush(stdout);
}

static bool read_option(job *j, const char *name, const char *value)
{
    if (strcmp(name, "--topology") == 0)
        j->topology = value;
    else if (strcmp(name, "--time") == 0)
        j->seconds = atof(value);
    else if (strcmp(name, "--from") == 0)
        j->from = atoi(value);
    else if (strcmp(name, "--off-cache") == 0)
        j->off_cache = atoi(value);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    job j = {.seconds = 60, .topology = getenv("ATTUNE_TOPOLOGY")};
    bool ok = true;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &j.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &j.r);
    for (int i = 1; i + 1 < argc && ok; i += 2)
        ok = read_option(&j, argv[i], argv[i + 1]);
    if (!ok)
        failed(&j, ATN_USAGE, "unknown option");
    else if (prepare(&j) && j.r == 0)
        coordinate(&j);
    else if (j.testbed)
        atn_measure_testbed_serve(j.testbed);
    atn_measure_testbed_free(j.testbed);
    atn_exec_shared_close(j.shared);
    atn_vec_free(&j.plan);
    atn_model_survey_free(&j.head);
    atn_topo_free(j.topo);
    MPI_Finalize();
    return 0;
}
