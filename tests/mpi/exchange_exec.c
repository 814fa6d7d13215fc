/* exchange_exec.c - exchanges of small data between all ranks: the right bytes in the right order,
 * with at most ceil(log2 p) messages of each rank; locations of many hosts in a short time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "exec/exchange.h"
#include "exec/place.h"
#include "exec/traffic.h"
#include "harness.h"

/* ---- all to all ---- */

static void check_exchange(MPI_Comm comm, int bytes)
{
    int p, r;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    unsigned char own[256], *const all = t_alloc((size_t)p * (size_t)bytes + 1);
    for (int i = 0; i < bytes; i++)
        own[i] = (unsigned char)(31 * r + 7 * i);
    all[p * bytes] = 111;
    const atn_own_traffic before = atn_exec_traffic_get();
    t_check(atn_exec_exchange(own, bytes, all, comm) == MPI_SUCCESS, "an error");
    const atn_own_traffic after = atn_exec_traffic_get();
    for (int k = 0; k < p * bytes; k++)
        t_check(all[k] == (unsigned char)(31 * (k / bytes) + 7 * (k % bytes)), "byte %d of rank %d",
                k % bytes, k / bytes);
    t_check(all[p * bytes] == 111, "a byte behind the end is overwritten");
    t_check(after.messages - before.messages == atn_ceil_log2(p), "%d messages on %d ranks",
            (int)(after.messages - before.messages), p);
    t_check(after.bytes - before.bytes == (int64_t)(p - 1) * bytes, "%d bytes sent",
            (int)(after.bytes - before.bytes));
    free(all);
}

/* ---- all to rank 0 ---- */

/* Numbers of ranks. */
typedef struct {
    int n, v[64];
} numbers;

static void take(void *context, const char *data, int64_t bytes)
{
    numbers *const x = context;
    const int more = (int)(bytes / (int64_t)sizeof *x->v);
    memcpy(x->v + x->n, data, (size_t)bytes);
    x->n += more;
}

static const char *give(void *context, int64_t *bytes_p)
{
    const numbers *const x = context;
    *bytes_p = x->n * (int64_t)sizeof *x->v;
    return (const char *)x->v;
}

/* Ranks whose number is divisible by `of` have nothing. */
static void check_collection(MPI_Comm comm, int of)
{
    numbers x = {0};
    int p, r, seen[64] = {0};
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    if (r % of != 0)
        x.v[x.n++] = r;
    const atn_own_traffic before = atn_exec_traffic_get();
    atn_exec_collect(&(atn_collection){take, give, &x}, comm);
    const int sent = (int)(atn_exec_traffic_get().messages - before.messages);
    t_check(sent <= 2 + atn_ceil_log2(p), "%d messages on %d ranks", sent, p);
    for (int i = 0; r == 0 && i < x.n; i++)
        seen[x.v[i]]++;
    for (int i = 0; r == 0 && i < p; i++)
        t_check(seen[i] == (i % of != 0), "rank %d was taken %d times", i, seen[i]);
}

/* Every other rank, the last one first. */
static int odd_rank(const void *context, int i) { return 2 * (*(const int *)context - i) - 1; }

static void check_team(MPI_Comm comm)
{
    int p, r, value = -1;
    numbers x = {0};
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    const int n = p / 2;
    const atn_team team = {comm, n, n - (r + 1) / 2, odd_rank, &n};
    if (r % 2 == 0)
        return;
    t_check(odd_rank(&n, team.own) == r, "rank %d is number %d", r, team.own);
    x.v[x.n++] = r;
    atn_exec_team_collect(&(atn_collection){take, give, &x}, &team);
    t_check(team.own != 0 || x.n == n, "%d of %d ranks", x.n, n);
    if (team.own == 0)
        value = 1000 + n;
    atn_exec_team_spread(&value, &team);
    t_check(value == 1000 + n, "a value of %d", value);
}

/* ---- many hosts ---- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A comparison of all pairs of hosts would take seconds. */
static void check_hosts(void)
{
    enum { HOSTS = 60000 };
    atn_location *const all = calloc(HOSTS, sizeof *all);
    for (int i = 0; i < HOSTS; i++)
        all[i] =
            (atn_location){.kernel = (uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15), .memory = 5};
    const double start = seconds();
    t_check(atn_exec_locations_sharing(all, HOSTS) == ATN_SHARED_HOSTS, "hosts do not share");
    const double took = seconds() - start;
    t_check(took < 0.2, "%.3f s", took);
    all[HOSTS - 1].kernel = all[0].kernel;
    t_check(atn_exec_locations_hosts(all, HOSTS) == HOSTS - 1, "another number of hosts");
    all[HOSTS - 1].memory = 6;
    t_check(atn_exec_locations_sharing(all, HOSTS) == ATN_SHARED_NONE, "two memories of a host");
    free(all);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {1, 4, 104, 255};
    MPI_Init(&argc, &argv);
    t_start(60);
    MPI_Comm some;
    for (int p = 1; p <= t_ranks; p++) {
        char name[64];
        snprintf(name, sizeof name, "%d ranks", p);
        t_point(name);
        MPI_Comm_split(MPI_COMM_WORLD, t_rank < p, t_rank, &some);
        for (int k = 0; k < 4 && t_rank < p; k++)
            check_exchange(some, sizes[k]);
        for (int of = 1; of <= 3 && t_rank < p; of++)
            check_collection(some, of);
        if (t_rank < p)
            check_team(some);
        MPI_Comm_free(&some);
    }
    t_point("many hosts");
    check_hosts();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
