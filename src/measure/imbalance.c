/* imbalance.c - artificial arrival skew for controlled experiments: see call.h. */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "measure/call.h"
#include "measure/coordinator.h"

enum { ROUND_TRIPS = 24 };

/* Half of the fastest round trip. */
static double message_time(const atn_caller *c)
{
    const int partner = c->r == 0 ? c->p - 1 : 0;
    const size_t room = c->dst_bytes > c->src_bytes ? c->dst_bytes : c->src_bytes;
    char *const buf = c->dst_bytes > c->src_bytes ? c->dst : c->src;
    const int64_t want = c->q.bytes < 1 << 30 ? c->q.bytes : 1 << 30;
    const int bytes = (int)(want < (int64_t)room ? want : (int64_t)room);
    double least = 1e9;
    for (int i = 0; i < ROUND_TRIPS; i++) {
        const double start = MPI_Wtime();
        if (c->r == 0)
            MPI_Send(buf, bytes, MPI_BYTE, partner, 0, c->comm);
        MPI_Recv(buf, bytes, MPI_BYTE, partner, 0, c->comm, MPI_STATUS_IGNORE);
        if (c->r != 0)
            MPI_Send(buf, bytes, MPI_BYTE, partner, 0, c->comm);
        const double took = MPI_Wtime() - start;
        least = took < least ? took : least;
    }
    return least / 2;
}

/* ---- arrival patterns ---- */

/* Pseudo-random in [0, 1), a function of pattern and rank. */
static double random_share(int pattern, int r)
{
    const int seed[] = {pattern, r};
    const uint64_t h = atn_hash(seed, sizeof seed, 0) * UINT64_C(0x9e3779b97f4a7c15);
    return (double)(h >> 11) / 9007199254740992.0;
}

/* Whether r is in a valid list "3,7". */
static bool is_in(const char *list, int r)
{
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (atoi(at) == r)
            return true;
    }
    return false;
}

/* Lateness of r, as a fraction of the maximum. */
static double share(const atn_imbalance *m, int r)
{
    if (m->late == NULL)
        return random_share(m->pattern % ATN_PATTERNS, r);
    return strcmp(m->late, "random") == 0 ? random_share(0, r) : is_in(m->late, r);
}

const char *atn_measure_imbalance_refuses(const char *late, int p)
{
    if (strcmp(late, "random") == 0)
        return NULL;
    for (const char *at = late;; at++) {
        char *end;
        const long r = strtol(at, &end, 10);
        if (end == at || (*end != ',' && *end != '\0'))
            return "it must be a list of ranks such as 3,7, or the word random";
        if (r < 0 || r >= p)
            return "there is no rank of that number";
        at = end;
        if (*at == '\0')
            return NULL;
    }
}

/* ---- before the calls ---- */

static bool set_lateness(atn_caller *c)
{
    atn_imbalance *m = &c->imbalance;

    free(m->messages);
    m->messages = malloc(sizeof *m->messages * (size_t)c->p);
    for (int r = 0; r < c->p && m->messages != NULL; r++)
        m->messages[r] = (int)(m->factor * share(m, r) + 0.5);
    m->lateness = (atn_lateness){c->p, m->messages};
    c->q.lateness = &m->lateness;
    return m->messages != NULL;
}

/* Ranks that do not measure sleep, so that they take no processor time from the others. */
static void agree_message_time(atn_caller *c)
{
    double *s = &c->imbalance.message_s;

    if (c->r == 0 || c->r == c->p - 1)
        *s = message_time(c);
    for (int r = 1; r < c->p && c->r == 0; r++)
        atn_measure_send_asleep(c->comm, s, sizeof *s, r, 1);
    if (c->r != 0)
        atn_measure_recv_asleep(c->comm, s, sizeof *s, 0, 1, atn_pause_medium);
}

/* The size of the message is rank 0's: other ranks may lack a buffer. */
bool atn_measure_imbalance_prepare(atn_caller *c)
{
    const bool ok = !(c->imbalance.factor > 0) || c->imbalance.late == NULL || set_lateness(c);

    if (c->imbalance.factor > 0 && c->p > 1)
        agree_message_time(c);
    return atn_measure_on_all_ranks(MPI_COMM_WORLD, ok);
}

/* ---- a call ---- */

/* Where ranks share a processor, a rank that waits releases it, as if it had its own. */
static void pause_for(const atn_caller *c, double left_s)
{
    static const double awake_s = 300e-6; /* waking up takes time */
    if (!c->yield)
        return;
    if (left_s < 2 * awake_s)
        sched_yield();
    else
        atn_measure_sleep(left_s - awake_s);
}

/* How long the last rank waits. */
static double longest_wait(const atn_caller *c)
{
    double most = 0;
    for (int r = 0; r < c->p; r++)
        most = fmax(most, share(&c->imbalance, r));
    return c->imbalance.factor * c->imbalance.message_s * most;
}

double atn_measure_imbalance_arrive(const atn_caller *c)
{
    const double start = MPI_Wtime();
    if (!(c->imbalance.factor > 0))
        return start;
    const double wait = c->imbalance.factor * c->imbalance.message_s * share(&c->imbalance, c->r);
    double now = start;
    while (now - start < wait) {
        pause_for(c, wait - (now - start));
        now = MPI_Wtime();
    }
    return c->imbalance.since_last ? start + longest_wait(c) : now;
}
