/* sketch.c - see sketch.h. */
#include "topo/sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A transfer with more of the rate of a single one shares no link; disturbances slow some down. */
static const double fast_part = 0.7;
/* Of the transfers of a set that must agree. */
static const double most_part = 0.85;

/* Links of switches that seem as fast as those of hosts are: concurrent transfers vary. */
static const double like_part = 0.25;

typedef struct {
    const atn_prober *prober;
    atn_sketch *s;
    atn_infer_flow *flows;
    double *rates, *first;
} sketching;

/* ---- sets of transfers ---- */

static bool run(sketching *k, int n)
{
    k->s->sets++;
    return k->prober->rates(k->prober->context, k->flows, n, k->rates);
}

/* All hosts send `shift` hosts further on within groups of `size`. */
static bool run_shift(sketching *k, int size, int shift)
{
    for (int i = 0; i < k->s->hosts; i++)
        k->flows[i] = (atn_infer_flow){i, i / size * size + (i % size + shift) % size};
    return run(k, k->s->hosts);
}

static bool run_single(sketching *k)
{
    k->flows[0] = (atn_infer_flow){0, 1};
    return run(k, 1);
}

/* ---- judgement ---- */

/* Fraction of the transfers that are as fast as a single one. */
static double fast_fraction(const sketching *k)
{
    int fast = 0;
    for (int i = 0; i < k->s->hosts; i++)
        fast += k->rates[i] >= fast_part * k->s->host_rate;
    return (double)fast / k->s->hosts;
}
static bool are_fast(const sketching *k) { return fast_fraction(k) >= most_part; }
static bool are_slow(const sketching *k) { return fast_fraction(k) <= 1 - most_part; }

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}
/* The rate below which `part` of the transfers were. */
static double quantile(sketching *k, double part)
{
    qsort(k->rates, (size_t)k->s->hosts, sizeof *k->rates, ascending);
    return k->rates[(int)(part * k->s->hosts)];
}

/* ---- the search ---- */

/* The faster one of two measurements of each transfer. */
static bool run_again(sketching *k, int size, int shift)
{
    const size_t bytes = sizeof *k->rates * (size_t)k->s->hosts;
    memcpy(k->first, k->rates, bytes);
    if (!run_shift(k, size, shift))
        return false;
    for (int i = 0; i < k->s->hosts; i++)
        k->rates[i] = k->first[i] > k->rates[i] ? k->first[i] : k->rates[i];
    return true;
}

/* Disturbances can only slow transfers down, so a set without a clear result is measured twice. */
static bool is_group(sketching *k, int size, bool *is_p)
{
    bool ok = run_shift(k, size, size / 2);
    if (ok && !are_fast(k) && !are_slow(k))
        ok = run_again(k, size, size / 2);
    *is_p = ok && are_fast(k);
    return ok;
}

/* The largest size whose transfers are fast; 0: none. */
static bool find_group(sketching *k, int *group_p)
{
    const int n = k->s->hosts;
    *group_p = 0;
    for (int size = n; size >= 2; size--) {
        bool is = false;
        if (n % size != 0)
            continue;
        if (!is_group(k, size, &is))
            return false;
        if (is) {
            *group_p = size;
            return true;
        }
    }
    return true;
}

/* All hosts of each group send to the next one: the link is shared by all of them. */
static bool measure_links(sketching *k)
{
    atn_sketch *const s = k->s;
    if (!run_shift(k, s->hosts, s->group))
        return false;
    s->decided = are_slow(k);
    s->group_rate = s->group * quantile(k, 0.5);
    if (fabs(s->group_rate / s->host_rate - 1) < like_part)
        s->group_rate = s->host_rate;
    return true;
}

/* The rate of a host is that of a single transfer or of the faster ones in a set: disturbances can
 * only slow transfers down. */
static bool search(sketching *k)
{
    atn_sketch *const s = k->s;
    int group = 0;
    if (!run_single(k))
        return false;
    s->host_rate = k->rates[0];
    if (!find_group(k, &group))
        return false;
    if (group == 0)
        return true;
    s->group = group;
    s->host_rate = fmax(s->host_rate, quantile(k, 0.75));
    s->decided = group == s->hosts;
    return s->decided || measure_links(k);
}

size_t atn_topo_sketch_bytes(int hosts)
{
    return (size_t)hosts * (2 * sizeof(double) + sizeof(atn_infer_flow));
}

atn_status atn_topo_sketch(const atn_prober *prober, int hosts, void *memory, atn_sketch *sketch_p,
                           atn_error *err)
{
    double *const rates = memory, *const first = rates + hosts;
    sketching k = {prober, sketch_p, (atn_infer_flow *)(first + hosts), rates, first};
    *sketch_p = (atn_sketch){.hosts = hosts, .group = hosts};
    if (hosts < 2)
        return atn_fail(err, ATN_USAGE, "%d hosts: at least two are required", hosts);
    if (!search(&k))
        return atn_fail(err, ATN_ENVIRONMENT, "transfers between hosts could not be measured");
    return ATN_OK;
}

/* ---- the topology ---- */

static void fill(const atn_sketch *s, atn_inferred *r)
{
    const int switches = s->hosts / s->group, root = r->nnodes - 1;
    const bool single = switches == 1;
    for (int i = 0; i < s->hosts; i++) {
        r->parent[i] = single ? root : s->hosts + i / s->group;
        r->links[i] = (atn_inferred_link){.up = s->host_rate, .down = s->host_rate, .full = true};
    }
    for (int i = 0; i < switches && !single; i++) {
        r->parent[s->hosts + i] = root;
        r->links[s->hosts + i] =
            (atn_inferred_link){.up = s->group_rate, .down = s->group_rate, .full = true};
    }
    r->parent[root] = -1;
}

atn_status atn_topo_sketch_topo(const atn_sketch *s, const char *const *names, const int *host_of,
                                int p, atn_topo **topo_p, atn_error *err)
{
    const int switches = s->group < s->hosts ? s->hosts / s->group : 0;
    atn_inferred r = {.hosts = s->hosts, .nnodes = s->hosts + switches + 1, .remarks = ""};
    r.parent = calloc((size_t)r.nnodes, sizeof *r.parent);
    r.links = calloc((size_t)r.nnodes, sizeof *r.links);
    atn_status status = ATN_OK;
    if (r.parent == NULL || r.links == NULL) {
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    } else {
        fill(s, &r);
        status = atn_topo_inferred_topo(&r, names, host_of, p, topo_p, err);
    }
    free(r.parent);
    free(r.links);
    return status;
}
