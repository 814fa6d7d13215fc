/* sketch.c - see sketch.h. */
#include "pmpi/select/sketch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exec/wait.h"
#include "pmpi/comm/fastpath.h"
#include "pmpi/comm/group.h"
#include "pmpi/comm/private.h"
#include "pmpi/comm/trees.h"
#include "pmpi/job/calibration.h"
#include "pmpi/own.h"
#include "pmpi/select/candidates.h"
#include "topo/hostlist.h"
#include "topo/sketch.h"
#include "topo/units.h"

/* A transfer is long compared with its start, and a set of them short compared with the budget. */
static const double transfer_seconds = 4e-3;
enum { LEAST_BYTES = 64 << 10, MOST_BYTES = 4 << 20, CHUNKS = 8 };
/* Expected cost: about twenty transfers, one after the other. */
static const int64_t expected_ns = 120000000;

/* ---- whether ---- */

static bool is_whole_job(const atn_comm *c)
{
    int result = MPI_UNEQUAL;
    if (c->p != atn_job_current.p)
        return false;
    PMPI_Comm_compare(c->user, MPI_COMM_WORLD, &result);
    return result == MPI_IDENT || result == MPI_CONGRUENT;
}

/* Neither a topology nor a machine was given, so predictions are worth little. */
static bool is_job_unknown(void)
{
    const atn_job *const job = &atn_job_current;
    return !job->probed && job->online && !atn_select_is_star() && job->budget > 0 &&
           !job->measured && job->topo != NULL && atn_topo_hosts(job->topo) > 1 && !job->threads &&
           atn_plan_setting_given(&job->settings, ATN_SET_TOPOLOGY) == NULL;
}

/* Where ranks do not share sizes, what a rank sends on average, as this advice has found out. */
static int64_t bytes_of(const atn_comm *c, const atn_call_class *x)
{
    const bool row = atn_sched_operation_get(x->subject.q.op)->source == ATN_SIDE_ROW;
    return x->subject.q.bytes >= 0 ? x->subject.q.bytes : x->mean * (row ? c->p : 1);
}

bool atn_select_sketch_is_wanted(const atn_comm *c, const atn_call_class *x)
{
    return is_job_unknown() && bytes_of(c, x) >= ATN_SHORT_BYTES && is_whole_job(c);
}

int64_t atn_select_sketch_wait(void)
{
    const int64_t elapsed = atn_clock_kernel_ns() - atn_job_current.began_ns,
                  missing = expected_ns * 100 / atn_job_current.budget - ATN_CREDIT_NS - elapsed;
    return missing > 0 ? missing : 0;
}

/* ---- hosts ---- */

typedef struct {
    uint64_t kernel;
    int rank, group; /* group: number of its host, in the order of kernels */
} seat;

typedef struct {
    atn_comm *c;
    atn_location *locations; /* of ranks */
    int hosts;
    seat *seats;
    int *place;             /* of a group among hosts */
    int *rank_of, *host_of; /* host -> its first rank; rank -> host */
    const char **names;     /* of hosts */
    void *memory;           /* of the sketch */
    char *out, *in;         /* CHUNKS each */
    int64_t bytes;          /* of a transfer */
    double seconds;         /* of all sets */
} measuring;

static bool all_ranks(const atn_comm *c, bool mine)
{
    const atn_place_mpi mpi = atn_pmpi_own_place();
    return atn_exec_all_have(&mpi, c->user, mine);
}

static int by_kernel(const void *a, const void *b)
{
    const seat *const x = a, *const y = b;
    return x->kernel != y->kernel ? (x->kernel > y->kernel) - (x->kernel < y->kernel)
                                  : x->rank - y->rank;
}

static int by_name(const void *a, const void *b, void *context)
{
    const atn_location *const of = context;
    const seat *const x = a, *const y = b;
    const int order = atn_topo_name_compare(of[x->rank].host, of[y->rank].host);
    return order != 0 ? order : x->rank - y->rank;
}

/* Leaves the seat of the first rank of each host. */
static void group_ranks(measuring *m)
{
    const int p = m->c->p;
    for (int r = 0; r < p; r++)
        m->seats[r] = (seat){.kernel = m->locations[r].kernel, .rank = r};
    qsort(m->seats, (size_t)p, sizeof *m->seats, by_kernel);
    for (int i = 0; i < p; i++) {
        const seat x = m->seats[i];
        if (i == 0 || x.kernel != m->seats[m->hosts - 1].kernel) {
            m->seats[m->hosts] = (seat){x.kernel, x.rank, m->hosts};
            m->hosts++;
        }
        m->host_of[x.rank] = m->hosts - 1;
    }
}

/* The first rank of each host, in the order of host names. */
static void find_hosts(measuring *m)
{
    group_ranks(m);
    qsort_r(m->seats, (size_t)m->hosts, sizeof *m->seats, by_name, m->locations);
    for (int h = 0; h < m->hosts; h++) {
        m->rank_of[h] = m->seats[h].rank;
        m->names[h] = m->locations[m->seats[h].rank].host;
        m->place[m->seats[h].group] = h;
    }
    for (int r = 0; r < m->c->p; r++)
        m->host_of[r] = m->place[m->host_of[r]];
}

static bool allocate(measuring *m)
{
    const size_t p = (size_t)m->c->p;
    m->seats = calloc(p, sizeof *m->seats);
    m->place = calloc(p, sizeof *m->place);
    m->rank_of = calloc(p, sizeof *m->rank_of);
    m->host_of = calloc(p, sizeof *m->host_of);
    m->names = calloc(p, sizeof *m->names);
    m->memory = malloc(atn_topo_sketch_bytes(m->c->p));
    m->out = calloc(1, MOST_BYTES);
    m->in = malloc(MOST_BYTES);
    return m->seats != NULL && m->place != NULL && m->rank_of != NULL && m->host_of != NULL &&
           m->names != NULL && m->memory != NULL && m->out != NULL && m->in != NULL;
}

static void release(measuring *m)
{
    free(m->locations);
    free(m->seats);
    free(m->place);
    free(m->rank_of);
    free(m->host_of);
    free(m->names);
    free(m->memory);
    free(m->out);
    free(m->in);
}

/* ---- transfers ---- */

/* Sends and receives what the flows demand of this rank.  The sends are synchronous: a sender that
 * is late or waits for a late receiver measures too long a time, never one that is too short.
 * Negative: failed. */
static double transfer(const measuring *m, int to, int from)
{
    const int bytes = (int)(m->bytes / CHUNKS);
    MPI_Request requests[2 * CHUNKS];
    int n = 0, code = atn_pmpi_real.Barrier(m->c->private_comm);
    for (int i = 0; i < CHUNKS && from >= 0 && code == MPI_SUCCESS; i++)
        code = PMPI_Irecv(m->in + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, from, 0,
                          m->c->private_comm, &requests[n++]);
    const double start = atn_job_seconds();
    for (int i = 0; i < CHUNKS && to >= 0 && code == MPI_SUCCESS; i++)
        code = PMPI_Issend(m->out + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, to, 0,
                           m->c->private_comm, &requests[n++]);
    const int sends = to >= 0 ? CHUNKS : 0;
    if (code == MPI_SUCCESS)
        code = atn_exec_wait_all(true, sends, requests + n - sends);
    const double took = atn_job_seconds() - start;
    if (code == MPI_SUCCESS)
        code = atn_exec_wait_all(true, n - sends, requests);
    return code == MPI_SUCCESS ? took : -1;
}

/* The time of each flow, the same on all ranks. */
static bool run_flows(measuring *m, const atn_infer_flow *flows, int n, double *seconds)
{
    int to = -1, from = -1, mine = -1;
    for (int i = 0; i < n; i++) {
        if (m->rank_of[flows[i].to] == m->c->r)
            from = m->rank_of[flows[i].from];
        if (m->rank_of[flows[i].from] == m->c->r) {
            to = m->rank_of[flows[i].to];
            mine = i;
        }
        seconds[i] = 0;
    }
    const double took = transfer(m, to, from);
    if (mine >= 0)
        seconds[mine] = took;
    return took >= 0 && atn_pmpi_real.Allreduce(MPI_IN_PLACE, seconds, n, MPI_DOUBLE, MPI_MAX,
                                                m->c->private_comm) == MPI_SUCCESS;
}

/* The first transfer may be far too short: it then determines the size of the next one. */
static bool choose_size(measuring *m, const atn_infer_flow *flow)
{
    double seconds = 0;
    bool ok = true;
    for (m->bytes = LEAST_BYTES; ok; m->bytes *= 4) {
        ok = run_flows(m, flow, 1, &seconds) && run_flows(m, flow, 1, &seconds);
        if (seconds >= transfer_seconds / 2 || m->bytes >= MOST_BYTES)
            break;
    }
    return ok;
}

static bool rates_of(void *context, const atn_infer_flow *flows, int n, double *rates)
{
    measuring *const m = context;
    if ((m->bytes == 0 && !choose_size(m, flows)) || !run_flows(m, flows, n, rates))
        return false;
    for (int i = 0; i < n; i++)
        rates[i] = rates[i] > 0 ? 8.0 * (double)m->bytes / rates[i] : 0;
    return true;
}

/* ---- the result ---- */

/* Plans that were made for the old topology must not be mixed with new ones. */
static atn_exec *new_executor(const atn_comm *c, const atn_topo *topo)
{
    atn_exec *const exec =
        atn_exec_new(c->p, c->r, atn_job_current.yield, atn_comm_hooked->choose, (void *)c);
    if (exec == NULL)
        return NULL;
    atn_exec_set_reproducible(exec, atn_job_current.reproducible);
    atn_exec_set_sharing(exec, atn_job_current.sharing);
    atn_exec_set_shared(exec, c->shared);
    atn_exec_set_topo(exec, topo);
    return exec;
}

/* Communicators that exist keep their topologies; new ones get a part of this one, and their ranks
 * agree on its hash. */
static void install(atn_comm *c, atn_topo *topo, atn_topo *own, atn_exec *exec)
{
    const uint64_t parts[] = {atn_job_current.hash, atn_topo_wires(topo)};
    atn_topo_free(atn_job_current.topo);
    atn_job_current.topo = topo;
    atn_job_current.hash = atn_hash(parts, sizeof parts, 0);
    atn_comm_calls_clear(c);
    atn_exec_free(c->exec);
    c->exec = exec;
    c->first_topo = c->topo;
    c->topo = own;
    atn_tune_driver_restart(c->driver, own);
    atn_job_current.sketched = true;
    c->wake = UINT64_MAX;
}

static atn_topo *part_of(const atn_comm *c, atn_topo *topo)
{
    int *const ranks = atn_comm_world_ranks(c->user);
    atn_topo *const own = ranks != NULL ? atn_comm_tree_take(topo, ranks, c->p) : NULL;
    free(ranks);
    return own;
}

static bool use(const measuring *m, const atn_sketch *s)
{
    atn_comm *const c = m->c;
    atn_topo *topo = NULL, *own = NULL;
    if (s->decided && atn_topo_sketch_topo(s, m->names, m->host_of, c->p, &topo, NULL) == ATN_OK)
        own = part_of(c, topo);
    atn_exec *const exec = own != NULL ? new_executor(c, own) : NULL;
    /* On every rank, whatever it lacks: tuners must receive times at the same call. */
    const bool awaited = atn_tune_driver_await_all(c->driver) == MPI_SUCCESS;
    if (all_ranks(c, exec != NULL && awaited)) {
        install(c, topo, own, exec);
        return true;
    }
    atn_exec_free(exec);
    atn_comm_tree_give(own);
    atn_topo_free(topo);
    return false;
}

/* ---- for later jobs ---- */

/* In the file that jobs read first, unless it is that of the system. */
static void store(const measuring *m)
{
    char fabric[ATN_HERE_ROOM], *const hosts = atn_topo_hostlist_text(m->names, m->hosts);
    char *const topology = atn_topo_print(atn_job_current.topo);
    atn_wisdom_files files;
    atn_error err = {0};
    atn_plan_here_fabric(fabric);
    atn_job_calibration_files(&atn_job_current, &files);
    const atn_store_entry e = {.hosts = hosts,
                               .machine = atn_job_current.here,
                               .fabric = fabric,
                               .ranks = atn_plan_store_ranks(m->host_of, m->c->p, m->hosts),
                               .date = (int64_t)time(NULL),
                               .tool = "attune run " ATN_VERSION,
                               .topology = topology};
    if (hosts != NULL && topology != NULL && files.n > 0 && strcmp(files.kind[0], "system") != 0 &&
        atn_plan_store_put(files.path[0], &e, &err) != ATN_OK && atn_job_current.verbose > 0)
        atn_interpose_print_line("%s; the topology is not stored", err.text);
    free(hosts);
    free(topology);
}

static void explain(const measuring *m, const atn_sketch *s, bool used)
{
    char host[32], group[32];
    if (m->c->r != 0 || (atn_job_current.verbose == 0 && !atn_job_current.explain))
        return;
    if (!used)
        atn_interpose_print_line("%d hosts: %d sets of transfers in %.0f ms, no simple topology "
                                 "fits; `attune topo discover` finds any tree",
                                 m->hosts, s->sets, 1e3 * m->seconds);
    else if (s->group == m->hosts)
        atn_interpose_print_line("%d hosts on one switch, %s; %d sets of transfers in %.0f ms",
                                 m->hosts,
                                 atn_topo_format_rate(atn_topo_link_rate(s->host_rate), host),
                                 s->sets, 1e3 * m->seconds);
    else
        atn_interpose_print_line(
            "%d hosts, %d on each switch, links %s and %s; %d sets of transfers in %.0f ms",
            m->hosts, s->group, atn_topo_format_rate(atn_topo_link_rate(s->host_rate), host),
            atn_topo_format_rate(atn_topo_link_rate(s->group_rate), group), s->sets,
            1e3 * m->seconds);
}

static bool measure(measuring *m, atn_sketch *s)
{
    const atn_prober prober = {.context = m, .rates = rates_of};
    const double start = atn_job_seconds();
    find_hosts(m);
    const bool ok = atn_topo_sketch(&prober, m->hosts, m->memory, s, NULL) == ATN_OK;
    m->seconds = atn_job_seconds() - start;
    return ok;
}

/* Threads may be setting up other communicators with the present topology. */
static bool may_measure(atn_comm *c)
{
    return all_ranks(c, !atn_job_current.threads) &&
           (c->private_comm != MPI_COMM_NULL || atn_comm_private_make(c));
}

void atn_select_sketch_run(atn_comm *c)
{
    const atn_place_mpi mpi = atn_pmpi_own_place();
    measuring m = {.c = c};
    atn_sketch s = {0};
    atn_job_current.probed = true;
    if (!may_measure(c))
        return;
    m.locations = atn_exec_locations_share(&mpi, c->private_comm, NULL);
    if (all_ranks(c, m.locations != NULL && allocate(&m)) && measure(&m, &s)) {
        const bool used = use(&m, &s);
        if (used && c->r == 0)
            store(&m);
        explain(&m, &s, used);
    }
    release(&m);
}
