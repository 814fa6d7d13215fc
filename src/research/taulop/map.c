/* map.c - see map.h. */
#include "research/taulop/map.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 24 };

typedef struct {
    const atn_traffic *t;
    atn_mapping *m;
    atn_tau_contention contention;
    const atn_tau_costs *costs;
    double bytes, seconds;
    int64_t tries;
} search;

static double time_of(const search *s)
{
    return atn_tau_time(s->t, s->m, s->contention, s->costs, s->bytes);
}

static void exchange(atn_mapping *m, int a, int b)
{
    const int node = m->node_of[a];
    m->node_of[a] = m->node_of[b];
    m->node_of[b] = node;
}

/* Whether the exchange is an improvement beyond rounding; otherwise it is undone. */
static bool try_exchange(search *s, int a, int b)
{
    s->tries--;
    exchange(s->m, a, b);
    const double seconds = time_of(s);
    if (seconds >= 0 && seconds < s->seconds * (1 - 1e-9)) {
        s->seconds = seconds;
        return true;
    }
    exchange(s->m, a, b);
    return false;
}

static bool sweep(search *s)
{
    bool better = false;
    for (int a = 0; a < s->m->p; a++)
        for (int b = a + 1; b < s->m->p && s->tries > 0; b++)
            if (s->m->node_of[a] != s->m->node_of[b])
                better |= try_exchange(s, a, b);
    return better;
}

static void descend(search *s)
{
    while (s->tries > 0 && sweep(s))
        ;
}

/* Leaves a local minimum by a few pseudo-random exchanges, the same on every run. */
static void shake(search *s, uint32_t *seed)
{
    for (int i = 0; i < 3; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        const int a = (int)((*seed >> 8) % (uint32_t)s->m->p);
        *seed = *seed * 1664525u + 1013904223u;
        exchange(s->m, a, (int)((*seed >> 8) % (uint32_t)s->m->p));
    }
    s->seconds = time_of(s);
}

static void search_on(search *s, int *best, size_t bytes)
{
    uint32_t seed = 1;
    double least;
    descend(s);
    least = s->seconds;
    memcpy(best, s->m->node_of, bytes);
    for (int round = 0; round < ROUNDS && s->tries > 0; round++) {
        shake(s, &seed);
        descend(s);
        if (s->seconds < least * (1 - 1e-9)) {
            least = s->seconds;
            memcpy(best, s->m->node_of, bytes);
        }
        memcpy(s->m->node_of, best, bytes);
    }
    s->seconds = least;
}

atn_status atn_tau_mapping_improve(const atn_traffic *t, atn_mapping *m,
                                   atn_tau_contention contention, const atn_tau_costs *costs,
                                   double bytes, int64_t tries, double *seconds_p, atn_error *err)
{
    search s = {t, m, contention, costs, bytes, 0, tries};
    const size_t room = sizeof *m->node_of * (size_t)m->p;
    int *best = malloc(room);
    s.seconds = time_of(&s);
    if (best && s.seconds >= 0)
        search_on(&s, best, room);
    const bool whole = best && s.seconds >= 0;
    free(best);
    if (!whole)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    *seconds_p = s.seconds;
    return ATN_OK;
}

/* ---- files ---- */

static int slot_of(const atn_mapping *m, int rank)
{
    int slot = 0;
    for (int r = 0; r < rank; r++)
        slot += m->node_of[r] == m->node_of[rank];
    return slot;
}

void atn_tau_mapping_rankfile(FILE *f, const atn_mapping *m, const char *const *hosts)
{
    fprintf(f, "# mpirun --rankfile THIS\n");
    for (int r = 0; r < m->p; r++)
        fprintf(f, "rank %d=%s slot=%d\n", r, hosts[m->node_of[r]], slot_of(m, r));
}

void atn_tau_mapping_hostfile(FILE *f, const atn_mapping *m, const char *const *hosts)
{
    fprintf(f, "# mpirun --map-by seq --hostfile THIS\n");
    for (int r = 0; r < m->p; r++)
        fprintf(f, "%s\n", hosts[m->node_of[r]]);
}
