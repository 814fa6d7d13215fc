/* study_topology.c - studies of algorithms for given networks: phases, rings and trees. */
#include <stdlib.h>
#include <string.h>

#include "algo/free_tree.h"
#include "algo/order.h"
#include "algo/phases.h"
#include "cli/study/study.h"
#include "topo/draft.h"
#include "topo/graph.h"
#include "topo/topo.h"

/* ---- phases of an alltoall ---- */

/* Three machines below s0 and its neighbour s2, two below s3, one below s1, which is the root. */
static const char example[] = "#attune topology 1\n"
                              "SwitchName=s1 Switches=s0,s3 Nodes=n5 LinkSpeed=100\n"
                              "SwitchName=s0 Switches=s2 Nodes=n[0-1] LinkSpeed=100\n"
                              "SwitchName=s2 Nodes=n2 LinkSpeed=100\n"
                              "SwitchName=s3 Nodes=n[3-4] LinkSpeed=100\n"
                              "#attune ranks=n[0-5]\n";

static bool put_message(atn_study_result *to, const atn_phase_message *m)
{
    static const char *const columns[] = {"t0 to t1, t2", "t1 to t2, t0", "t2 to t0, t1",
                                          "inside t0", "inside t1"};
    static const int branch[] = {0, 0, 0, 1, 1, 2};
    const int from = branch[m->from], column = from == branch[m->to] ? 3 + from : from;
    char row[32];
    snprintf(row, sizeof row, "phase %d", m->phase);
    return atn_cli_study_put(to, "Table 3.4", row, columns[column], "n%d>n%d", m->from, m->to);
}

bool atn_cli_study_phases(atn_study_result *to)
{
    atn_topo *t = NULL;
    atn_phases x = {0};
    bool ok =
        atn_topo_parse_slurm(example, "example", &t, NULL) == ATN_OK && atn_algo_phases_tree(t, &x);
    for (int i = 0; ok && i < x.n; i++)
        ok = put_message(to, &x.list[i]);
    atn_algo_phases_end(&x);
    atn_topo_free(t);
    return ok;
}

/* ---- random networks ---- */

/* A number in 0 .. n - 1. */
static int draw(uint64_t *seed, int n) { return (int)(atn_random(seed) % (uint64_t)n); }

/* Switches with their parents, and machines at random switches. */
static atn_topo *make_tree(const int *parent, int switches, int machines, uint64_t *seed)
{
    const int n = switches + machines;
    atn_topo_node *const nodes = calloc((size_t)n, sizeof *nodes);
    int *const at = calloc((size_t)machines, sizeof *at);
    char(*const names)[16] = calloc((size_t)n, sizeof *names);
    atn_topo *t = NULL;
    for (int v = 0; nodes != NULL && names != NULL && v < n; v++) {
        const bool host = v >= switches;
        snprintf(names[v], sizeof *names, "%c%d", host ? 'n' : 's', host ? v - switches : v);
        nodes[v] = (atn_topo_node){.name = names[v],
                                   .kind = host ? ATN_TOPO_HOST : ATN_TOPO_SWITCH,
                                   .parent = host ? draw(seed, switches) : parent[v]};
    }
    for (int i = 0; at != NULL && i < machines; i++)
        at[i] = switches + i;
    if (nodes != NULL && at != NULL && names != NULL)
        t = atn_topo_make(nodes, n, at, machines, "random");
    free(nodes);
    free(at);
    free(names);
    return t;
}

static bool add_link(atn_net_graph *g, int a, int b)
{
    return atn_push(&g->links, (atn_net_link){.a = a, .b = b});
}

static bool is_linked(const atn_net_graph *g, int a, int b)
{
    for (int i = 0; i < g->links.n; i++)
        if ((g->links.v[i].a == a && g->links.v[i].b == b) ||
            (g->links.v[i].a == b && g->links.v[i].b == a))
            return true;
    return a == b;
}

/* A connected graph with two links for every switch. */
static bool make_graph(atn_net_graph *g, int switches, uint64_t *seed)
{
    static char name[] = "s";
    bool ok = true;
    for (int v = 0; ok && v < switches; v++)
        ok = atn_push(&g->nodes, (atn_net_node){.name = name}) &&
             (v == 0 || add_link(g, v, draw(seed, v)));
    while (ok && g->links.n < 2 * switches) {
        const int a = draw(seed, switches), b = draw(seed, switches);
        ok = is_linked(g, a, b) || add_link(g, a, b);
    }
    return ok;
}

/* The parents of a spanning tree from a random root. */
static bool span(atn_net_graph *g, atn_span_order how, uint64_t *seed, int *parent)
{
    int *const up = malloc(sizeof *up * (size_t)g->nodes.n);
    g->span = how;
    g->seed = atn_random(seed);
    g->root = draw(seed, g->nodes.n);
    const bool ok = up != NULL && atn_topo_graph_span(g, up) >= 0;
    for (int v = 0; ok && v < g->nodes.n; v++)
        parent[v] = up[v] < 0                  ? -1
                    : g->links.v[up[v]].a == v ? g->links.v[up[v]].b
                                               : g->links.v[up[v]].a;
    free(up);
    return ok;
}

/* ---- rings ---- */

enum { NETWORKS = 50, PER_SWITCH = 5, TREES = 3 };

/* Switches between two neighbours of the ring, at most; -1: no memory. */
static int longest_path(const atn_topo *t, atn_order how)
{
    int *const ranks = malloc(sizeof *ranks * (size_t)t->p), most = 0;
    if (ranks == NULL || !atn_algo_order_ranks(t, how, 0, ranks))
        most = -1;
    for (int i = 0; most >= 0 && i < t->p; i++)
        most = atn_max(most, atn_topo_hops(t, ranks[i], ranks[(i + 1) % t->p]));
    free(ranks);
    return most;
}

/* Adds the longest paths of one network: sum[tree][0]: LR1, [1]: LR3. */
static bool add_network(int switches, uint64_t *seed, double sum[TREES][2])
{
    static const atn_span_order trees[] = {ATN_SPAN_BFS, ATN_SPAN_DFS, ATN_SPAN_RANDOM};
    static const atn_order rings[] = {ATN_ORDER_LR1, ATN_ORDER_LR3};
    int *const parent = malloc(sizeof *parent * (size_t)switches);
    atn_net_graph g = {.root = 0};
    bool ok = parent != NULL && make_graph(&g, switches, seed);
    const uint64_t placement = atn_random(seed);
    for (int i = 0; ok && i < TREES; i++) {
        uint64_t same = placement; /* machines are at the same switches in every tree */
        ok = span(&g, trees[i], seed, parent);
        atn_topo *const t = ok ? make_tree(parent, switches, PER_SWITCH * switches, &same) : NULL;
        for (int k = 0; k < 2 && t != NULL; k++) {
            const int longest = longest_path(t, rings[k]);
            ok = ok && longest >= 0;
            sum[i][k] += longest;
        }
        ok = ok && t != NULL;
        atn_topo_free(t);
    }
    atn_vec_free(&g.nodes);
    atn_vec_free(&g.links);
    free(parent);
    return ok;
}

static bool put_rings(atn_study_result *to, int machines, double sum[TREES][2])
{
    static const char *const trees[] = {"BFS", "DFS", "random"};
    static const char *const rings[] = {"LR1", "LR3"};
    bool ok = true;
    for (int k = 0; ok && k < 2; k++)
        for (int i = 0; ok && i < TREES; i++) {
            char row[16], column[32];
            snprintf(row, sizeof row, "%d", machines);
            snprintf(column, sizeof column, "%s %s", rings[k], trees[i]);
            ok = atn_cli_study_put(to, "Fig. 3.25", row, column, "%.4g", sum[i][k] / NETWORKS);
        }
    return ok;
}

bool atn_cli_study_rings(atn_study_result *to)
{
    uint64_t seed = 1;
    bool ok = true;
    for (int machines = 80; ok && machines <= 1280; machines *= 2) {
        double sum[TREES][2] = {{0}};
        for (int i = 0; ok && i < NETWORKS; i++)
            ok = add_network(machines / PER_SWITCH, &seed, sum);
        ok = ok && put_rings(to, machines, sum);
    }
    return ok;
}

/* ---- broadcast trees ---- */

enum { TOPOLOGIES = 20 };

static int leader(const int *of, int v)
{
    while (of[v] != v)
        v = of[v];
    return v;
}

/* Random links that close no cycle, until one tree is left; it hangs from switch 0. */
static bool random_tree(int switches, uint64_t *seed, int *parent)
{
    int *const of = malloc(sizeof *of * (size_t)switches);
    atn_net_graph g = {.span = ATN_SPAN_BFS};
    static char name[] = "s";
    bool ok = of != NULL;
    for (int v = 0; ok && v < switches; v++) {
        of[v] = v;
        ok = atn_push(&g.nodes, (atn_net_node){.name = name});
    }
    while (ok && g.links.n < switches - 1) {
        const int a = draw(seed, switches), b = draw(seed, switches);
        if (leader(of, a) == leader(of, b))
            continue;
        of[leader(of, a)] = leader(of, b);
        ok = add_link(&g, a, b);
    }
    ok = ok && span(&g, ATN_SPAN_BFS, seed, parent);
    atn_vec_free(&g.nodes);
    atn_vec_free(&g.links);
    free(of);
    return ok;
}

/* Mean height; below 0: no memory. */
static double mean_height(int machines, int per_switch, uint64_t *seed)
{
    const int switches = machines / per_switch;
    int *const parent = malloc(sizeof *parent * (size_t)switches);
    double sum = 0;
    for (int i = 0; sum >= 0 && i < TOPOLOGIES; i++) {
        atn_free_tree tree;
        atn_topo *const t = parent != NULL && random_tree(switches, seed, parent)
                                ? make_tree(parent, switches, machines, seed)
                                : NULL;
        const bool ok = t != NULL && atn_algo_free_tree_begin(t, 0, 2, &tree);
        sum = ok ? sum + tree.height : -1;
        if (ok)
            atn_algo_free_tree_end(&tree);
        atn_topo_free(t);
    }
    free(parent);
    return sum / TOPOLOGIES;
}

bool atn_cli_study_trees(atn_study_result *to)
{
    static const struct {
        const char *name;
        int per_switch;
    } columns[] = {{"16 per switch", 16}, {"8 per switch", 8}};
    uint64_t seed = 1;
    bool ok = true;
    for (int machines = 32; ok && machines <= 1024; machines *= 2) {
        char row[16];
        snprintf(row, sizeof row, "%d", machines);
        for (int i = 0; ok && i < 2; i++) {
            const double height = mean_height(machines, columns[i].per_switch, &seed);
            ok = height >= 0 &&
                 atn_cli_study_put(to, "Fig. 3.29", row, columns[i].name, "%.4g", height);
        }
        ok = ok && atn_cli_study_put(to, "Fig. 3.29", row, "complete binary tree", "%d",
                                     atn_floor_log2(machines));
    }
    return ok;
}
