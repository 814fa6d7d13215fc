/* infer.c - the whole of it: delays, speeds, the tree, a check, fast links, the result. */
#include "topo/infer.h"

#include <math.h>
#include <stdlib.h>

#include "topo/infer/private.h"

enum { CHECKS = 8, FIRST_CHECK = 6, USUAL_FLOWS = 8 };

/* ---- start and end ---- */

static bool set_up(atn_infer_state *s, char **remarks_p, size_t *bytes_p)
{
    const size_t n = (size_t)s->hosts;
    s->base = calloc(n * n, sizeof *s->base);
    s->out = calloc(n, sizeof *s->out);
    s->in = calloc(n, sizeof *s->in);
    s->speed = calloc(n, sizeof *s->speed);
    s->remarks = atn_open_text(remarks_p, bytes_p);
    s->budget = 12 * s->hosts + 2 * s->hosts * log2(s->hosts + 1);
    if (!atn_topo_tree_make(&s->tree, s->hosts))
        return false;
    s->lanes = malloc(sizeof *s->lanes * (size_t)s->tree.nnodes);
    for (int v = 0; s->lanes && v < s->tree.nnodes; v++)
        s->lanes[v] = 1;
    return s->base && s->out && s->in && s->speed && s->lanes && s->remarks;
}

static void tear_down(atn_infer_state *s)
{
    free(s->base);
    free(s->out);
    free(s->in);
    free(s->speed);
    free(s->lanes);
    atn_vec_free(&s->flows);
    atn_vec_free(&s->rates);
    atn_vec_free(&s->ends);
    atn_vec_free(&s->pings);
    for (int i = 0; i < s->clusters.n; i++)
        free(s->clusters.v[i].inside);
    atn_vec_free(&s->clusters);
    atn_topo_tree_free(&s->tree);
}

/* ---- steps ---- */

/* Every host sends and receives once, alone; those that seem slow once more with a fast one. */
static void measure_speeds(atn_infer_state *s)
{
    int fastest = 0;
    for (int h = 0; h < s->hosts; h++)
        atn_topo_infer_base(s, h, (h + 1) % s->hosts);
    for (int h = 0; h < s->hosts; h++) {
        s->speed[h] = fmax(s->out[h], s->in[h]);
        fastest = s->speed[h] > s->speed[fastest] ? h : fastest;
    }
    for (int h = 0; h < s->hosts; h++)
        if (s->speed[h] < 0.8 * s->speed[fastest])
            s->speed[h] = fmax(s->speed[h], atn_topo_infer_base(s, h, fastest));
}

/* Until nothing has to be changed any more. */
static bool check_repeatedly(atn_infer_state *s)
{
    for (int i = 0; i < CHECKS; i++)
        if (!atn_topo_infer_check(s))
            return true;
    return false;
}

/* Up to three hosts leave nothing to be decided.  A mistake among the first hosts would lead the
 * others astray, so the tree is checked whenever it has doubled. */
static void build(atn_infer_state *s, const int *order)
{
    bool sure = true;
    if (s->hosts < 3) {
        s->tree.parent[s->hosts] = ATN_NONE;
        for (int h = 0; h < s->hosts; h++)
            atn_topo_tree_hang(&s->tree, h, s->hosts);
        return;
    }
    atn_topo_tree_start(&s->tree, order);
    for (int i = 3, next = FIRST_CHECK; i < s->hosts; i++) {
        atn_topo_infer_insert(s, order[i]);
        if (i + 1 < next && i + 1 < s->hosts)
            continue;
        sure = check_repeatedly(s);
        next *= 2;
    }
    if (!sure && !s->broken)
        fprintf(s->remarks, "repeated checks did not agree: the network was busy or is no tree\n");
}

/* Samples each way with as much as the hosts of both sides can send. */
static void load_link(atn_infer_state *s, int w, int samples)
{
    atn_infer_flow flows[s->hosts];
    double rates[s->hosts];
    for (int i = 0; i < 2 * samples; i++) {
        const int n = atn_topo_infer_across(s, w, i % 2, flows);
        atn_topo_infer_sample(s, flows, atn_min(n, 2 * s->max_flows), rates);
    }
}

/* Long ways take much time, and little depends on how fast they are. */
static void load_links(atn_infer_state *s)
{
    const atn_infer_tree *g = &s->tree;
    for (int v = g->hosts; v < g->nnodes; v++)
        if (atn_topo_is_switch(g, v) && g->parent[v] >= 0)
            load_link(s, v, atn_topo_infer_by_delay(s, v) ? 1 : 3);
}

/* ---- the result ---- */

/* What crossed a link one way in one set of transfers. */
typedef struct {
    int n;
    double sum, limit; /* together, and what they could be at most */
} load;

static void add_loads(const atn_infer_state *s, int set, const bool *below, load ways[2])
{
    for (int k = set > 0 ? s->ends.v[set - 1] : 0; k < s->ends.v[set]; k++) {
        const atn_infer_flow f = s->flows.v[k];
        if (below[f.from] == below[f.to])
            continue;
        load *l = &ways[below[f.from] ? 0 : 1];
        l->n++;
        l->sum += s->rates.v[k];
        l->limit += atn_topo_infer_limit(s, f.from, f.to);
    }
}

/* The highest of several values, but for chance: the middle of those that are about as high as the
 * third. */
static double robust_highest(double *v, int n)
{
    if (n == 0)
        return 0;
    atn_median(v, n); /* sorts */
    const double about = 0.85 * v[atn_max(0, n - 3)];
    int first = 0;
    while (v[first] < about)
        first++;
    return atn_median(v + first, n - first).mid;
}

/* Only the sets count that put most transfers onto the link; onto that of a host, each by
 * itself. */
static double highest_rate(const load *loads, int n, double *values)
{
    int most = 0, m = 0;
    for (int i = 0; i < n; i++)
        most = atn_max(most, loads[2 * i].n);
    for (int i = 0; i < n; i++)
        if (loads[2 * i].n == most && most > 0)
            values[m++] = loads[2 * i].sum;
    return robust_highest(values, m);
}

/* How often more was sent than the link carries, and how often that much did not arrive. */
static void count_votes(const load *loads, int n, atn_inferred_link *link)
{
    int votes = 0, agree = 0;
    for (int i = 0; i < 2 * n; i++) {
        const double rate = i % 2 ? link->down : link->up;
        if (loads[i].n < 2 || loads[i].limit < 1.3 * rate)
            continue;
        votes++;
        agree += loads[i].sum < 0.85 * loads[i].limit;
    }
    link->trust = votes > 0 ? (double)agree / votes : 0;
    link->full = 2 * agree > votes;
}

/* From all measurements that crossed it. */
static bool judge_link(const atn_infer_state *s, const bool *below, atn_inferred_link *link)
{
    const int n = s->ends.n;
    load *loads = calloc(2 * (size_t)n + 1, sizeof *loads);
    double *values = malloc(sizeof *values * ((size_t)n + 1));
    const bool done = loads && values;
    if (done) {
        for (int i = 0; i < n; i++)
            add_loads(s, i, below, &loads[2 * i]);
        link->up = highest_rate(loads, n, values);
        link->down = highest_rate(loads + 1, n, values);
        count_votes(loads, n, link);
    }
    free(loads);
    free(values);
    return done;
}

static bool fill_links(const atn_infer_state *s, const int *number, atn_inferred *r)
{
    const atn_infer_tree *g = &s->tree;
    bool done = true;
    double delay[g->nnodes];
    int ways[g->nnodes];
    atn_topo_infer_delays(s, delay);
    for (int v = 0; v < g->nnodes; v++) {
        if (!atn_topo_tree_has(g, v) || g->parent[v] < 0)
            continue;
        bool below[s->hosts];
        atn_topo_tree_ways(g, g->parent[v], ways);
        for (int h = 0; h < s->hosts; h++)
            below[h] = ways[h] == v;
        atn_inferred_link *link = &r->links[number[v]];
        done = judge_link(s, below, link) && done;
        link->delay = delay[v];
        if (v < s->hosts) {
            link->full = true;
            link->trust = 1;
        }
    }
    return done;
}

/* The root is the switch whose largest branch is smallest. */
static int choose_root(const atn_infer_tree *g)
{
    int found = ATN_NONE, least = g->hosts + 1, branch_of[g->hosts], count[g->nnodes];
    for (int v = g->hosts; v < g->nnodes; v++) {
        if (!atn_topo_is_switch(g, v))
            continue;
        int worst = 0;
        atn_topo_tree_branches(g, v, branch_of);
        for (int u = 0; u < g->nnodes; u++)
            count[u] = 0;
        for (int h = 0; h < g->hosts; h++)
            worst = atn_max(worst, ++count[branch_of[h]]);
        if (worst < least) {
            least = worst;
            found = v;
        }
    }
    return found;
}

/* Hosts keep their numbers; then come switches in the order of their smallest host, the root last.
 * Called when the root is the root. */
static int renumber(const atn_infer_tree *g, int root, int *number)
{
    int n = g->hosts;
    for (int v = 0; v < g->nnodes; v++)
        number[v] = v < g->hosts ? v : ATN_NONE;
    for (int h = 0; h < g->hosts; h++)
        for (int v = g->parent[h]; v != root && number[v] < 0; v = g->parent[v])
            number[v] = n++;
    number[root] = n++;
    return n;
}

static atn_inferred *finish(atn_infer_state *s)
{
    atn_infer_tree *g = &s->tree;
    int number[g->nnodes];
    atn_inferred *r = calloc(1, sizeof *r);
    const int root = choose_root(g);
    if (!r)
        return NULL;
    atn_topo_tree_turn(g, root);
    *r = (atn_inferred){.hosts = s->hosts,
                        .nnodes = renumber(g, root, number),
                        .probes = s->ends.n,
                        .pings = s->pings.n,
                        .searched_fast = s->searched_fast};
    r->parent = malloc(sizeof *r->parent * (size_t)r->nnodes);
    r->links = calloc((size_t)r->nnodes, sizeof *r->links);
    if (!r->parent || !r->links) {
        atn_topo_inferred_free(r);
        return NULL;
    }
    for (int v = 0; v < g->nnodes; v++)
        if (number[v] >= 0)
            r->parent[number[v]] = g->parent[v] >= 0 ? number[g->parent[v]] : -1;
    if (!fill_links(s, number, r)) {
        atn_topo_inferred_free(r);
        return NULL;
    }
    return r;
}

void atn_topo_inferred_free(atn_inferred *r)
{
    if (!r)
        return;
    free(r->parent);
    free(r->links);
    free(r->remarks);
    free(r);
}

/* ---- all together ---- */

static void run_steps(atn_infer_state *s)
{
    int order[s->hosts];
    atn_topo_infer_pings(s);
    if (s->hosts > 1)
        measure_speeds(s);
    atn_topo_infer_order(s, order);
    build(s, order);
    atn_topo_infer_fast(s);
    atn_topo_infer_refine(s);
    load_links(s);
}

atn_status atn_topo_infer(const atn_prober *prober, int hosts, const atn_infer_options *options,
                          atn_inferred **inferred_p, atn_error *err)
{
    atn_infer_state s = {
        .prober = prober,
        .hosts = hosts,
        .max_flows = options->max_flows > 0 ? atn_max(4, options->max_flows) : USUAL_FLOWS,
        .random = options->seed * UINT64_C(0x9e3779b97f4a7c15) + 1,
    };
    char *remarks = NULL;
    size_t bytes;
    atn_inferred *r = NULL;
    if (set_up(&s, &remarks, &bytes)) {
        run_steps(&s);
        r = s.broken ? NULL : finish(&s);
    } else {
        s.no_memory = true;
    }
    if (s.remarks)
        fclose(s.remarks);
    const bool gave_up = s.broken && !s.no_memory;
    tear_down(&s);
    if (!r) {
        free(remarks);
        return gave_up ? atn_fail(err, ATN_ENVIRONMENT, "the measurement was broken off")
                       : atn_fail(err, ATN_MEMORY, "out of memory");
    }
    r->remarks = remarks;
    *inferred_p = r;
    return ATN_OK;
}
