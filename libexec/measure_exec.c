/* measure_exec.c - the MPI program behind `attune measure`: observes what models want to know about
 * a machine (docs/calibration.md).
 *
 *   measure_exec [--topology T] [--time SECONDS] [--from NUMBER] [--off-cache 0|1]
 *
 * Rank 0 directs and prints what model/survey.h describes.  A mistake is written as a `failed` line
 * and is no failure of the job, because launchers bury those under words of their own. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/place.h"
#include "measure/observe.h"
#include "measure/program.h"
#include "topo/node.h"

enum { NAME_BYTES = 256, MAX_BYTES = 1 << 20 };

typedef struct {
    int p, r;
    const char *topology;
    double seconds;
    int from, off_cache;
    int known; /* a topology was given */
    atn_topo *topo;
    atn_survey head;
    atn_experiments plan;
    atn_theatre *theatre;
} job;

static bool failed(const job *j, atn_status status, const char *text)
{
    if (j->r == 0)
        printf("attune-survey 1\nfailed %d %s\n", (int)status, text);
    fflush(stdout);
    return false;
}

/* ---- what there is ---- */

static const atn_place_mpi library = {MPI_Bcast, MPI_Allgather, MPI_Allreduce};

/* Without a topology: all hosts on one switch. */
static bool place_by_name(job *j, atn_error *err)
{
    char own[NAME_BYTES] = "";
    char *all = malloc((size_t)j->p * NAME_BYTES);
    const char **names = malloc((size_t)j->p * sizeof *names);
    if (!all || !names)
        MPI_Abort(MPI_COMM_WORLD, ATN_ENVIRONMENT);
    gethostname(own, sizeof own - 1);
    MPI_Allgather(own, NAME_BYTES, MPI_CHAR, all, NAME_BYTES, MPI_CHAR, MPI_COMM_WORLD);
    for (int r = 0; r < j->p; r++)
        names[r] = all + (size_t)r * NAME_BYTES;
    const atn_status status = atn_topo_from_hosts(names, j->p, &j->topo, err);
    free(names);
    free(all);
    return status == ATN_OK;
}

static bool place_ranks(job *j)
{
    atn_error err = {0};
    j->known = j->topology != NULL && *j->topology != '\0';
    MPI_Bcast(&j->known, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (j->known)
        atn_place_ranks(&library, MPI_COMM_WORLD, j->topology, &j->topo, &err);
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

/* Processors that all hosts share, because they are one machine in truth; 0: each has its own. */
static int shared_processors(const job *j)
{
    const uint64_t own = hash_file("/proc/sys/kernel/random/boot_id");
    uint64_t ends[2] = {own, ~own};
    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    const bool same = own != 0 && ends[0] == ~ends[1];
    static atn_pus pus;
    static atn_node node;
    int n = 0;
    atn_pus_own(&pus);
    atn_node_read(&pus, &node);
    for (int i = 0; i < ATN_MAX_PUS; i++)
        n += atn_pus_has(&pus, i);
    n = node.quota > 0 ? atn_min(n, node.quota) : n;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return same && j->head.hosts > 1 ? n : 0;
}

static bool describe_mpi(job *j)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    atn_mpi_version(version);
    j->head.mpi = strdup(version);
    return j->head.mpi != NULL;
}

/* ---- agreement ---- */

/* Ranks that were started with other words, or from another build, would wait for each other. */
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

static bool prepare(job *j)
{
    atn_error err = {0};
    if (!place_ranks(j))
        return false;
    if (atn_survey_plan(j->topo, j->off_cache != 0, &j->plan, &j->head, &err) != ATN_OK)
        return failed(j, err.status, err.text);
    if (!j->known)
        j->head.topology = 0;
    j->head.rounds = j->seconds < 10 ? 1 : ATN_SURVEY_ROUNDS;
    j->head.processors = shared_processors(j);
    if (!describe_mpi(j) || !agree(j))
        return false;
    j->theatre = atn_theatre_new(MPI_COMM_WORLD, MAX_BYTES, j->off_cache != 0);
    if (j->theatre && j->head.processors > 0 && j->p > j->head.processors)
        atn_theatre_spread(j->theatre);
    return j->theatre != NULL || failed(j, ATN_ENVIRONMENT, "no memory for the buffers");
}

/* ---- measuring ---- */

/* Long messages repeat well and take their time, so they are left out of the last rounds; the eager
 * limit is a number of the library: once is enough. */
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

/* What an experiment leaves of its share goes to those behind it. */
static void lead(job *j)
{
    const int n = j->plan.n, all = n * j->head.rounds;
    const double began = MPI_Wtime();
    double left = weight_between(j, j->from, all);
    const double seconds = j->seconds * left / weight_between(j, 0, all);
    atn_known *known = calloc((size_t)n, sizeof *known);
    if (!known)
        MPI_Abort(MPI_COMM_WORLD, ATN_ENVIRONMENT);
    atn_survey_put_head(stdout, &j->head);
    fflush(stdout);
    for (int i = j->from; i < all; i++) {
        atn_observation o;
        const double weight = weight_of(j, i);
        const double share = (seconds - (MPI_Wtime() - began)) * weight / left;
        if (weight > 0 && atn_observe(j->theatre, &j->plan.v[i % n], share, &known[i % n], &o))
            atn_survey_put(stdout, i, &o);
        else
            printf("skip %d\n", i);
        left -= weight;
        fflush(stdout);
    }
    free(known);
    atn_theatre_stop(j->theatre);
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
        lead(&j);
    else if (j.theatre)
        atn_theatre_serve(j.theatre);
    atn_theatre_free(j.theatre);
    atn_vec_free(&j.plan);
    atn_survey_free(&j.head);
    atn_topo_free(j.topo);
    MPI_Finalize();
    return 0;
}
