/* testbed.c - see testbed.h. */
#include "measure/testbed.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "exec/host.h"
#include "exec/oversubscribed.h"
#include "measure/coordinator.h"

enum { SLOTS = 17, SENT_SLOTS = 9 }; /* messages of a pattern; those that are sent */
static const size_t beyond_cache = (size_t)96 << 20;

typedef enum { MICROBENCH, TRANSFER, ROUND_TRIP, REFLECT, STOP } command_kind;

typedef struct {
    command_kind kind;
    int peer; /* of a round trip */
    atn_ends ends;
    atn_microbench bench;
} command;

struct atn_testbed {
    atn_coordinator c;
    atn_mb_memory m;
    bool spread;
    cpu_set_t allowed; /* processors of this rank */
    atn_ends *ends;    /* of each rank in the transfers under way; on rank 0 */
    int *ranks;        /* that take part */
    uint64_t calls;    /* executions of patterns so far; on rank 0 */
};

/* ---- what a participant does ---- */

static int index_of(const atn_testbed *t, const atn_microbench *b)
{
    int i = 0;
    while (i < b->n && b->rank[i] != t->c.r)
        i++;
    return i < b->n ? i : -1;
}

void atn_measure_testbed_spread(atn_testbed *t)
{
    t->spread = !ATN_SIMULATED && sched_getaffinity(0, sizeof t->allowed, &t->allowed) == 0 &&
                CPU_COUNT(&t->allowed) > 1;
}

static cpu_set_t processor_of(const atn_testbed *t, int me)
{
    cpu_set_t set;
    int nth = me % CPU_COUNT(&t->allowed), at = 0;
    CPU_ZERO(&set);
    while (!CPU_ISSET(at, &t->allowed) || nth-- > 0)
        at++;
    CPU_SET(at, &set);
    return set;
}

static void run_microbench(atn_testbed *t, const atn_microbench *b, int me, double *times)
{
    const bool spread = t->spread && b->n < t->c.p;
    if (spread) {
        const cpu_set_t set = processor_of(t, me);
        sched_setaffinity(0, sizeof set, &set);
    }
    t->m.call = b->call;
    atn_measure_microbench_prepare(&t->m, b);
    atn_measure_start_together(&t->c, b->rank[0], b->rank, b->n, atn_pause_short / 4);
    for (int i = 0; i < b->reps; i++)
        times[i] = atn_measure_microbench_run(&t->m, b, me);
    if (spread)
        sched_setaffinity(0, sizeof t->allowed, &t->allowed);
}

static void run_transfers(atn_testbed *t, const atn_ends *e, atn_arrivals *arrivals)
{
    atn_measure_transfer_run(t->m.comm, e, t->m.out, t->m.in, arrivals);
}

static void serve_microbench(atn_testbed *t, const atn_microbench *b)
{
    double times[ATN_REPETITIONS];
    run_microbench(t, b, index_of(t, b), times);
    atn_measure_result_send(&t->c, times, sizeof *times * (size_t)b->reps);
}

static void serve_transfers(atn_testbed *t, const atn_ends *e)
{
    atn_arrivals arrivals;
    atn_measure_transfer_connect(t->m.comm, e);
    atn_measure_start_together(&t->c, ATN_COORDINATOR_RANK, NULL, 0, atn_pause_short);
    run_transfers(t, e, &arrivals);
    if (e->from >= 0)
        atn_measure_result_send(&t->c, &arrivals, sizeof arrivals);
}

static bool execute(void *context, void *data)
{
    atn_testbed *t = context;
    const command *x = data;
    atn_round_trip trip;
    switch (x->kind) {
    case MICROBENCH:
        serve_microbench(t, &x->bench);
        return true;
    case TRANSFER:
        serve_transfers(t, &x->ends);
        return true;
    case ROUND_TRIP:
        trip = atn_measure_round_trip_measure(t->m.comm, x->peer);
        atn_measure_result_send(&t->c, &trip, sizeof trip);
        return true;
    case REFLECT:
        atn_measure_round_trip_reflect(t->m.comm, x->peer);
        return true;
    case STOP:
        break;
    }
    return false;
}

void atn_measure_testbed_serve(atn_testbed *t) { atn_measure_coordinator_serve(&t->c); }

/* ---- rank 0 ---- */

static void combine(const atn_microbench *b, const double *one, double *times)
{
    for (int i = 0; i < b->reps; i++)
        times[i] = b->pattern == ATN_MB_BUSY ? times[i] + one[i] / b->n : fmax(times[i], one[i]);
}

void atn_measure_testbed_run(atn_testbed *t, const atn_microbench *b, double *times)
{
    double one[ATN_REPETITIONS];
    const int me = index_of(t, b);
    command x = {.kind = MICROBENCH, .bench = *b};
    x.bench.call = t->calls;
    t->calls += (uint64_t)b->reps * (uint64_t)b->loops;
    for (int i = 0; i < b->reps; i++)
        times[i] = 0;
    for (int i = 0; i < b->n; i++)
        if (i != me)
            atn_measure_send_command(&t->c, b->rank[i], &x);
    if (me >= 0) {
        run_microbench(t, &x.bench, me, one);
        combine(b, one, times);
    }
    for (int i = 0; i < b->n; i++)
        if (i != me) {
            atn_measure_result_recv(&t->c, b->rank[i], one, sizeof *one * (size_t)b->reps);
            combine(b, one, times);
        }
}

/* Returns how many workers take part. */
static int assign_ends(atn_testbed *t, const atn_bulk_transfer *list, int n)
{
    int workers = 0;
    for (int r = 0; r < t->c.p; r++)
        t->ends[r] = (atn_ends){.to = -1, .from = -1};
    for (int i = 0; i < n; i++) {
        atn_ends *from = &t->ends[list[i].from], *to = &t->ends[list[i].to];
        from->to = list[i].to;
        from->to_chunk = list[i].chunk;
        to->from = list[i].from;
        to->from_chunk = list[i].chunk;
    }
    for (int r = 1; r < t->c.p; r++)
        if (t->ends[r].to >= 0 || t->ends[r].from >= 0)
            t->ranks[workers++] = r;
    return workers;
}

void atn_measure_testbed_transfer(atn_testbed *t, const atn_bulk_transfer *list, int n,
                                  atn_arrivals *arrivals)
{
    atn_arrivals own;
    const int workers = assign_ends(t, list, n);
    const atn_ends *mine = &t->ends[ATN_COORDINATOR_RANK];
    for (int i = 0; i < workers; i++)
        atn_measure_send_command(&t->c, t->ranks[i],
                                 &(command){.kind = TRANSFER, .ends = t->ends[t->ranks[i]]});
    atn_measure_transfer_connect(t->m.comm, mine);
    atn_measure_start_together(&t->c, ATN_COORDINATOR_RANK, t->ranks, workers, atn_pause_short);
    run_transfers(t, mine, &own);
    for (int i = 0; i < n; i++)
        if (list[i].to == ATN_COORDINATOR_RANK)
            arrivals[i] = own;
        else
            atn_measure_result_recv(&t->c, list[i].to, &arrivals[i], sizeof *arrivals);
}

atn_round_trip atn_measure_testbed_round_trip(atn_testbed *t, int a, int b)
{
    atn_round_trip trip;
    if (b == ATN_COORDINATOR_RANK) { /* it cannot reflect and wait for a result */
        b = a;
        a = ATN_COORDINATOR_RANK;
    }
    atn_measure_send_command(&t->c, b, &(command){.kind = REFLECT, .peer = a});
    if (a == ATN_COORDINATOR_RANK)
        return atn_measure_round_trip_measure(t->m.comm, b);
    atn_measure_send_command(&t->c, a, &(command){.kind = ROUND_TRIP, .peer = b});
    atn_measure_result_recv(&t->c, a, &trip, sizeof trip);
    return trip;
}

void atn_measure_testbed_stop(atn_testbed *t)
{
    atn_measure_command_all(&t->c, &(command){.kind = STOP});
}

/* ---- set-up ---- */

static void release(atn_testbed *t)
{
    if (!t)
        return;
    free(t->m.out);
    free(t->m.in);
    free(t->ends);
    free(t->ranks);
    free(t);
}

static atn_testbed *allocate(int p, const atn_testbed_options *o)
{
    const size_t messages = SLOTS * ((size_t)o->max_bytes + 128);
    const size_t chunks = ATN_CHUNK_WINDOW * (size_t)o->max_chunk;
    atn_testbed *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->m.off_cache = o->off_cache;
    t->m.area = o->off_cache && messages < beyond_cache ? beyond_cache : messages;
    t->m.area = chunks > t->m.area ? chunks : t->m.area;
    t->m.out = calloc(1, t->m.area);
    t->m.in = calloc(1, t->m.area);
    t->ends = calloc((size_t)p, sizeof *t->ends);
    t->ranks = calloc((size_t)p, sizeof *t->ranks);
    if (t->m.out && t->m.in && t->ends && t->ranks)
        return t;
    release(t);
    return NULL;
}

/* Pages that were never written would all be one page of zeros; ones, because no operator turns
 * them into numbers that are slow to process. */
static void fill(atn_testbed *t, const atn_testbed_options *o)
{
    atn_measure_fill_ones(t->m.out,
                          o->off_cache ? t->m.area : SENT_SLOTS * ((size_t)o->max_bytes + 128));
}

atn_testbed *atn_measure_testbed_new(MPI_Comm comm, const atn_testbed_options *o)
{
    const atn_place_mpi library = {MPI_Bcast, MPI_Allreduce};
    int p;
    MPI_Comm_size(comm, &p);
    atn_testbed *t = allocate(p, o);
    if (!atn_measure_on_all_ranks(comm, t != NULL)) {
        release(t);
        return NULL;
    }
    fill(t, o);
    t->m.shared = o->shared;
    t->c = (atn_coordinator){
        .bytes = sizeof(command), .pause = o->pause, .execute = execute, .context = t};
    atn_measure_coordinator_begin(&t->c, comm);
    MPI_Comm_dup(comm, &t->m.comm);
    MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &t->m.scattered);
    MPI_Type_commit(&t->m.scattered);
    t->m.yield = atn_exec_ranks_oversubscribed(&library, comm) && !atn_exec_library_yields();
    return t;
}

void atn_measure_testbed_free(atn_testbed *t)
{
    if (!t)
        return;
    MPI_Type_free(&t->m.scattered);
    atn_measure_coordinator_end(&t->c);
    MPI_Comm_free(&t->m.comm);
    release(t);
}
