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
    s->remarks = open_memstream(remarks_p, bytes_p);
    s->budget = 12 * s->hosts + 2 * s->hosts * log2(s->hosts + 1);
    return s->base && s->out && s->in && s->remarks && atn_guess_make(&s->guess, s->hosts);
}

static void tear_down(atn_infer_state *s)
{
    free(s->base);
    free(s->out);
    free(s->in);
    atn_vec_free(&s->flows);
    atn_vec_free(&s->rates);
    atn_vec_free(&s->ends);
    atn_vec_free(&s->pings);
    for (int i = 0; i < s->clusters.n; i++)
        free(s->clusters.v[i].inside);
    atn_vec_free(&s->clusters);
    atn_guess_free(&s->guess);
}

/* ---- steps ---- */

/* Every host sends and receives once, alone. */
static void measure_speeds(atn_infer_state *s, const int *order)
{
    for (int i = 0; i < s->hosts; i++)
        atn_infer_base(s, order[i], order[(i + 1) % s->hosts]);
}

/* Until nothing has to be changed any more. */
static bool check_repeatedly(atn_infer_state *s)
{
    for (int i = 0; i < CHECKS; i++)
        if (!atn_infer_check(s))
            return true;
    return false;
}

/* Up to three hosts leave nothing to be decided.  A mistake among the first hosts would lead the
 * others astray, so the tree is checked whenever it has doubled. */
static void build(atn_infer_state *s, const int *order)
{
    bool sure = true;
    if (s->hosts < 3) {
        s->guess.parent[s->hosts] = ATN_NONE;
        for (int h = 0; h < s->hosts; h++)
            atn_guess_hang(&s->guess, h, s->hosts);
        return;
    }
    atn_guess_start(&s->guess, order);
    for (int i = 3, next = FIRST_CHECK; i < s->hosts; i++) {
        atn_infer_insert(s, order[i]);
        if (i + 1 < next && i + 1 < s->hosts)
            continue;
        sure = check_repeatedly(s);
        next *= 2;
    }
    if (!sure && !s->broken)
        fprintf(s->remarks, "repeated checks did not agree: the network was busy or is no tree\n");
}

/* So that every link was loaded both ways with as much as its hosts can send. */
static void load_links(atn_infer_state *s)
{
    enum { SAMPLES = 2 };
    const atn_guess *g = &s->guess;
    atn_flow flows[s->hosts];
    double rates[s->hosts];
    for (int v = g->hosts; v < g->nnodes; v++)
        for (int i = 0; i < 2 * SAMPLES && atn_is_switch(g, v) && g->parent[v] >= 0; i++) {
            const int n = atn_infer_across(s, v, i % 2, flows);
            atn_infer_sample(s, flows, atn_min(n, 2 * s->max_flows), rates);
        }
}

/* ---- the result ---- */

static void best_three(double best[3], double v)
{
    for (int i = 0; i < 3; i++)
        if (v > best[i]) {
            const double old = best[i];
            best[i] = v;
            v = old;
        }
}

/* The most that ever crossed a link: the mean of the best, against single errors. */
static double mean_of(const double best[3])
{
    const int n = (best[0] > 0) + (best[1] > 0) + (best[2] > 0);
    return n > 0 ? (best[0] + best[1] + best[2]) / n : 0;
}

/* Sums up over all measurements what crossed the link of w. */
static void most_across(const atn_infer_state *s, const bool *below, atn_inferred_link *link)
{
    double up[3] = {0}, down[3] = {0};
    int votes = 0, agree = 0;
    for (int i = 0, k = 0; i < s->ends.n; i++) {
        double sum[2] = {0}, limit[2] = {0};
        int n[2] = {0};
        for (; k < s->ends.v[i]; k++) {
            const atn_flow f = s->flows.v[k];
            if (below[f.from] == below[f.to])
                continue;
            const int way = below[f.from] ? 0 : 1;
            sum[way] += s->rates.v[k];
            limit[way] += atn_infer_limit(s, f.from, f.to);
            n[way]++;
        }
        best_three(up, sum[0]);
        best_three(down, sum[1]);
        for (int way = 0; way < 2; way++) {
            votes += n[way] > 1;
            agree += n[way] > 1 && sum[way] < 0.85 * limit[way];
        }
    }
    link->up = mean_of(up);
    link->down = mean_of(down);
    link->trust = votes > 0 ? (double)agree / votes : 1;
    link->full = agree > 0;
}

static void fill_links(const atn_infer_state *s, const int *number, atn_inferred *r)
{
    const atn_guess *g = &s->guess;
    double delay[g->nnodes];
    int ways[g->nnodes];
    atn_infer_delays(s, delay);
    for (int v = 0; v < g->nnodes; v++) {
        if (!atn_guess_has(g, v) || g->parent[v] < 0)
            continue;
        bool below[s->hosts];
        atn_guess_ways(g, g->parent[v], ways);
        for (int h = 0; h < s->hosts; h++)
            below[h] = ways[h] == v;
        atn_inferred_link *link = &r->links[number[v]];
        most_across(s, below, link);
        link->delay = delay[v];
        if (v < s->hosts) {
            link->full = true;
            link->trust = 1;
        }
    }
}

/* The root is the switch whose largest branch is smallest. */
static int choose_root(const atn_guess *g)
{
    int found = ATN_NONE, least = g->hosts + 1, branch_of[g->hosts], count[g->nnodes];
    for (int v = g->hosts; v < g->nnodes; v++) {
        if (!atn_is_switch(g, v))
            continue;
        int worst = 0;
        atn_guess_branches(g, v, branch_of);
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

/* Hosts keep their numbers; the root comes last. */
static int renumber(const atn_guess *g, int root, int *number)
{
    int n = g->hosts;
    for (int v = 0; v < g->nnodes; v++)
        number[v] = v < g->hosts ? v : atn_is_switch(g, v) && v != root ? n++ : ATN_NONE;
    number[root] = n++;
    return n;
}

static atn_inferred *finish(atn_infer_state *s)
{
    atn_guess *g = &s->guess;
    int number[g->nnodes];
    atn_inferred *r = calloc(1, sizeof *r);
    const int root = choose_root(g);
    if (!r)
        return NULL;
    atn_guess_turn(g, root);
    *r = (atn_inferred){.hosts = s->hosts,
                        .nnodes = renumber(g, root, number),
                        .probes = s->ends.n,
                        .pings = s->pings.n,
                        .searched_fast = s->searched_fast};
    r->parent = malloc(sizeof *r->parent * (size_t)r->nnodes);
    r->links = calloc((size_t)r->nnodes, sizeof *r->links);
    if (!r->parent || !r->links) {
        atn_inferred_free(r);
        return NULL;
    }
    for (int v = 0; v < g->nnodes; v++)
        if (number[v] >= 0)
            r->parent[number[v]] = g->parent[v] >= 0 ? number[g->parent[v]] : -1;
    fill_links(s, number, r);
    return r;
}

void atn_inferred_free(atn_inferred *r)
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
    for (int i = 0; i < s->hosts; i++)
        order[i] = i;
    atn_infer_shuffle(s, order, s->hosts);
    atn_infer_pings(s);
    if (s->hosts > 1)
        measure_speeds(s, order);
    build(s, order);
    atn_infer_fast(s);
    atn_infer_refine(s);
    load_links(s);
}

atn_status atn_infer(const atn_prober *prober, int hosts, const atn_infer_options *options,
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
