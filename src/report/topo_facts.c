/* topo_facts.c - properties of a topology that all its reports use. */
#include <stdlib.h>

#include "report/topo_report.h"
#include "topo/routes.h"

static void count_kinds(const atn_topo *t, atn_topo_facts *facts)
{
    for (int v = 0; v < t->nnodes; v++) {
        facts->hosts += t->nodes[v].kind == ATN_TOPO_HOST;
        facts->switches += t->nodes[v].kind == ATN_TOPO_SWITCH;
        facts->parts += t->nodes[v].kind == ATN_TOPO_PART;
    }
}

static bool find_bottlenecks(const atn_topo *t, atn_topo_facts *facts, int *links)
{
    facts->nbottlenecks = atn_topo_bottlenecks(t, links);
    facts->worst = facts->nbottlenecks > 0 ? links[0] : -1;
    if (facts->worst >= 0)
        facts->worst_rate = atn_topo_rate(t, 2 * (t->p + facts->worst));
    for (int i = 0; i < facts->nbottlenecks; i++)
        facts->bottleneck[links[i]] = true;
    return facts->nbottlenecks >= 0;
}

static void find_loads(const atn_topo *t, atn_topo_facts *facts, int64_t *edges)
{
    atn_topo_loads(t, edges);
    for (int i = 0; i < atn_topo_links(t); i++) {
        const int64_t *both = &edges[2 * (t->p + i)];
        const bool cut = t->routes && i < t->nnodes && t->nodes[i].kind == ATN_TOPO_SWITCH;
        facts->loads[i] = cut                 ? (int64_t)facts->below[i] * (t->p - facts->below[i])
                          : both[0] > both[1] ? both[0]
                                              : both[1];
    }
    facts->loads[0] = 0;
}

/* Counting sort; going backwards keeps the ranks of a node in order. */
static void list_ranks(const atn_topo *t, atn_topo_facts *facts)
{
    int *end = facts->first;
    for (int v = 0; v <= t->nnodes; v++)
        end[v] = 0;
    for (int r = 0; r < t->p; r++)
        end[t->node_of[r]]++;
    for (int v = 1; v <= t->nnodes; v++)
        end[v] += end[v - 1];
    for (int r = t->p - 1; r >= 0; r--)
        facts->ranks[--end[t->node_of[r]]] = r;
}

bool atn_report_topo_facts_make(const atn_topo *t, atn_topo_facts *facts_p)
{
    const size_t n = (size_t)t->nnodes, p = (size_t)t->p, links = (size_t)atn_topo_links(t);
    int *list = malloc(sizeof *list * links);
    int64_t *edges = malloc(sizeof *edges * (size_t)atn_topo_edges(t));
    *facts_p = (atn_topo_facts){
        .below = malloc(sizeof *facts_p->below * n),
        .loads = malloc(sizeof *facts_p->loads * links),
        .bottleneck = calloc(links, sizeof *facts_p->bottleneck),
        .ranks = malloc(sizeof *facts_p->ranks * (p + 1)),
        .first = malloc(sizeof *facts_p->first * (n + 2)),
    };
    bool done = list && edges && facts_p->below && facts_p->loads && facts_p->bottleneck &&
                facts_p->ranks && facts_p->first;
    if (done) {
        count_kinds(t, facts_p);
        atn_topo_below(t, facts_p->below);
        find_loads(t, facts_p, edges);
        list_ranks(t, facts_p);
        done = find_bottlenecks(t, facts_p, list);
    }
    if (!done)
        atn_report_topo_facts_free(facts_p);
    free(list);
    free(edges);
    return done;
}

void atn_report_topo_link_name(const atn_topo *t, int link, const char *between, char *out,
                               size_t size)
{
    const atn_route_link *l = &t->routes->links[link - t->nnodes];
    char ends[2][64];
    atn_topo_router_name(t->routes, l->a, ends[0], sizeof ends[0]);
    atn_topo_router_name(t->routes, l->b, ends[1], sizeof ends[1]);
    snprintf(out, size, "%s%s%s", ends[0], between, ends[1]);
}

void atn_report_topo_facts_free(atn_topo_facts *facts)
{
    free(facts->below);
    free(facts->loads);
    free(facts->bottleneck);
    free(facts->ranks);
    free(facts->first);
}

void atn_report_numbers_print(const int *numbers, int n, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && numbers[end] == numbers[end - 1] + 1;)
            end++;
        char word[32];
        int length = snprintf(word, sizeof word, "%s%d", i ? "," : "", numbers[i]);
        if (end - i > 1)
            length += snprintf(word + length, sizeof word - (size_t)length, "%s%d",
                               end - i > 2 ? "-" : ",", numbers[end - 1]);
        if (used + (size_t)length + 4 >= size) {
            snprintf(out + used, size - used, "...");
            return;
        }
        used += (size_t)snprintf(out + used, size - used, "%s", word);
    }
}
