/* discover_exec.c - the MPI program behind `attune topo discover`: measures transfers between hosts
 * and infers the tree of switches from them (docs/topology-discovery.md).
 *
 *   discover_exec [--seed N] [--flows N] [--time MILLISECONDS] [--trace] [--identify]
 *
 * The first rank of each host measures; rank 0 prints the format of topo/discovery.h.  With
 * --identify nothing is measured. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/flavour.h"
#include "measure/coordinator.h"
#include "measure/program.h"
#include "measure/testbed.h"
#include "plan/here.h"
#include "topo/discovery.h"

enum { MIN_CHUNK = 4 << 10, MAX_CHUNK = 2 << 20 };

typedef struct {
    int p, r;
    int hosts;
    char *names;  /* ATN_HOST_ROOM for each rank */
    int *host_of; /* rank -> host */
    int *rank_of; /* host -> the rank that measures */
    atn_testbed *testbed;
    double *rate;     /* from * hosts + to: of the last transfer without others; 0: none yet */
    double *trip;     /* the same for round trips; 0: not measured */
    double *out, *in; /* best of each host */
    double seconds;   /* target duration of a transfer without others */
    double printed;   /* progress printed last */
    bool trace, identify;
    atn_infer_options options;
} job;

/* ---- measuring ---- */

/* Round trip between two hosts: measured, or via the third host that gives the shortest. */
static double trip_of(const job *j, int a, int b)
{
    double best = j->trip[a * j->hosts + b];
    for (int c = 0; c < j->hosts; c++) {
        const double first = j->trip[a * j->hosts + c], second = j->trip[c * j->hosts + b];
        if (first > 0 && second > 0 && (best == 0 || first + second < best))
            best = first + second;
    }
    return best;
}

/* Target duration of the transfers of a set, each without the others: long compared with the round
 * trip, else only the start of a connection would be measured.  The same for all, so that they
 * overlap. */
static double duration_of(const job *j, const atn_infer_flow *flows, int n)
{
    double seconds = j->seconds;
    for (int i = 0; i < n; i++)
        seconds = fmax(seconds, 16 * trip_of(j, flows[i].from, flows[i].to));
    return seconds;
}

static int chunk_of(const job *j, const atn_infer_flow *f, double seconds)
{
    double rate = j->rate[f->from * j->hosts + f->to];
    if (rate == 0)
        rate = fmin(j->out[f->from], j->in[f->to]);
    if (rate == 0)
        rate = 50e6;
    return (int)fmax(MIN_CHUNK, fmin(MAX_CHUNK, rate / 8 * seconds / ATN_CHUNKS));
}

static void measure(job *j, const atn_infer_flow *flows, int n, double *rates)
{
    enum { TRIES = 3 };
    atn_bulk_transfer list[n];
    atn_arrivals *arrivals = malloc(sizeof *arrivals * (size_t)n);
    if (!arrivals)
        atn_measure_abort_memory();
    const double seconds = duration_of(j, flows, n);
    for (int i = 0; i < n; i++)
        list[i] = (atn_bulk_transfer){j->rank_of[flows[i].from], j->rank_of[flows[i].to],
                                      chunk_of(j, &flows[i], seconds)};
    double overlap = 0;
    for (int i = 0; i < TRIES && overlap < 0.6; i++) {
        atn_measure_testbed_transfer(j->testbed, list, n, arrivals);
        overlap = atn_measure_transfer_rates(list, n, arrivals, rates);
        if (j->trace && overlap < 0.6)
            fprintf(stderr, "%10.3f   overlap only %.2f\n", MPI_Wtime(), overlap);
    }
    free(arrivals);
}

/* The first transfer between two hosts may be far too short; then it only determines the size of
 * the next one. */
static void measure_alone(job *j, const atn_infer_flow *f, double *rate)
{
    enum { TRIES = 6 };
    for (int i = 0; i < TRIES; i++) {
        const int chunk = chunk_of(j, f, duration_of(j, f, 1));
        measure(j, f, 1, rate);
        j->rate[f->from * j->hosts + f->to] = *rate;
        j->out[f->from] = fmax(j->out[f->from], *rate);
        j->in[f->to] = fmax(j->in[f->to], *rate);
        if (chunk_of(j, f, duration_of(j, f, 1)) <= 2 * chunk)
            return;
    }
}

static void trace(const atn_infer_flow *flows, int n, const double *rates)
{
    fprintf(stderr, "%10.3f ", MPI_Wtime());
    for (int i = 0; i < n; i++)
        fprintf(stderr, " %d>%d %.1f", flows[i].from, flows[i].to, rates[i] / 1e6);
    fprintf(stderr, "\n");
}

static bool rates_of(void *context, const atn_infer_flow *flows, int n, double *rates)
{
    job *j = context;
    if (n == 1)
        measure_alone(j, flows, rates);
    else
        measure(j, flows, n, rates);
    if (j->trace)
        trace(flows, n, rates);
    return true;
}

static bool round_trip(void *context, int a, int b, double *best, double *spread)
{
    job *j = context;
    const atn_round_trip trip =
        atn_measure_testbed_round_trip(j->testbed, j->rank_of[a], j->rank_of[b]);
    *best = trip.best;
    *spread = trip.spread;
    j->trip[a * j->hosts + b] = j->trip[b * j->hosts + a] = *best;
    if (j->trace)
        fprintf(stderr, "ping %d %d %.1f us +%.1f\n", a, b, *best * 1e6, *spread * 1e6);
    return true;
}

static void progress(void *context, double done)
{
    job *j = context;
    if (done < j->printed + 0.01)
        return;
    j->printed = done;
    printf("progress %.2f\n", done);
    fflush(stdout);
}

/* ---- hosts ---- */

static void find_hosts(job *j)
{
    j->names = atn_measure_program_hosts(j->p);
    for (int r = 0; r < j->p; r++) {
        int h = 0;
        while (h < j->hosts && strcmp(j->names + (size_t)r * ATN_HOST_ROOM,
                                      j->names + (size_t)j->rank_of[h] * ATN_HOST_ROOM) != 0)
            h++;
        if (h == j->hosts)
            j->rank_of[j->hosts++] = r;
        j->host_of[r] = h;
    }
}

static void *room(size_t n, size_t bytes)
{
    void *memory = calloc(n, bytes);
    if (!memory)
        atn_measure_abort_memory();
    return memory;
}

static void set_up(job *j)
{
    MPI_Comm_size(MPI_COMM_WORLD, &j->p);
    MPI_Comm_rank(MPI_COMM_WORLD, &j->r);
    const size_t p = (size_t)j->p;
    j->host_of = room(p, sizeof *j->host_of);
    j->rank_of = room(p, sizeof *j->rank_of);
    find_hosts(j);
    const size_t n = (size_t)j->hosts;
    j->rate = room(n * n, sizeof *j->rate);
    j->trip = room(n * n, sizeof *j->trip);
    j->out = room(n, sizeof *j->out);
    j->in = room(n, sizeof *j->in);
    j->testbed = atn_measure_testbed_new(
        MPI_COMM_WORLD, &(atn_testbed_options){.max_chunk = MAX_CHUNK, .pause = atn_pause_medium});
    if (!j->testbed)
        atn_measure_abort_memory();
}

static void tear_down(job *j)
{
    atn_measure_testbed_free(j->testbed);
    free(j->names);
    free(j->host_of);
    free(j->rank_of);
    free(j->rate);
    free(j->trip);
    free(j->out);
    free(j->in);
}

/* ---- output of rank 0 ---- */

static void print_job(const job *j)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    const char **names = room((size_t)j->hosts, sizeof *names);
    atn_measure_mpi_version(version);
    for (int h = 0; h < j->hosts; h++)
        names[h] = j->names + (size_t)j->rank_of[h] * ATN_HOST_ROOM;
    atn_topo_discovery_put_job(stdout, version, names, j->hosts, j->host_of, j->p);
    fflush(stdout);
    free(names);
}

static void identify(void)
{
    char machine[ATN_HERE_ROOM], fabric[ATN_HERE_ROOM];
    atn_plan_here_machine(ATN_MPI_BUILT_FOR, machine);
    atn_plan_here_fabric(fabric);
    atn_topo_discovery_put_place(stdout, machine, fabric);
}

static atn_status infer(job *j)
{
    const atn_prober prober = {
        .context = j, .rates = rates_of, .round_trip = round_trip, .progress = progress};
    atn_inferred *r = NULL;
    atn_error err = {0};
    const atn_status status = atn_topo_infer(&prober, j->hosts, &j->options, &r, &err);
    if (status == ATN_OK)
        atn_topo_discovery_put_result(stdout, r);
    else
        fprintf(stderr, "attune-discover: %s\n", err.text);
    atn_topo_inferred_free(r);
    return status;
}

static atn_status coordinate(job *j)
{
    atn_status status = ATN_OK;
    print_job(j);
    if (j->identify)
        identify();
    else
        status = infer(j);
    atn_measure_testbed_stop(j->testbed);
    return status;
}

static void read_options(int argc, char **argv, job *j)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "0";
        if (strcmp(argv[i], "--trace") == 0)
            j->trace = true;
        else if (strcmp(argv[i], "--identify") == 0)
            j->identify = true;
        else if (strcmp(argv[i], "--seed") == 0)
            j->options.seed = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--flows") == 0)
            j->options.max_flows = atoi(value);
        else if (strcmp(argv[i], "--time") == 0)
            j->seconds = atof(value) / 1000;
    }
}

int main(int argc, char **argv)
{
    job j = {.seconds = 0.04};
    atn_status status = ATN_OK;
    MPI_Init(&argc, &argv);
    read_options(argc, argv, &j);
    set_up(&j);
    if (j.r == 0)
        status = coordinate(&j);
    else
        atn_measure_testbed_serve(j.testbed);
    tear_down(&j);
    MPI_Finalize();
    return status;
}
