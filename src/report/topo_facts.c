/* topo_facts.c - properties of a topology that all its reports use. */
#include <stdlib.h>

#include "report/topo_report.h"

static void count_kinds(const atn_topo *t, atn_topo_facts *facts)
{
    for (int v = 0; v < t->nnodes; v++) {
        facts->hosts += t->nodes[v].kind == ATN_TOPO_HOST;
        facts->switches += t->nodes[v].kind == ATN_TOPO_SWITCH;
        facts->parts += t->nodes[v].kind == ATN_TOPO_PART;
    }
}

static void find_bottlenecks(const atn_topo *t, atn_topo_facts *facts, int *nodes)
{
    facts->nbottlenecks = atn_topo_bottlenecks(t, nodes);
    facts->worst = facts->nbottlenecks > 0 ? nodes[0] : -1;
    for (int i = 0; i < facts->nbottlenecks; i++)
        facts->bottleneck[nodes[i]] = true;
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
    const size_t n = (size_t)t->nnodes, p = (size_t)t->p;
    int *nodes = malloc(sizeof *nodes * n);
    *facts_p = (atn_topo_facts){
        .below = malloc(sizeof *facts_p->below * n),
        .loads = malloc(sizeof *facts_p->loads * n),
        .bottleneck = calloc(n, sizeof *facts_p->bottleneck),
        .ranks = malloc(sizeof *facts_p->ranks * (p + 1)),
        .first = malloc(sizeof *facts_p->first * (n + 2)),
    };
    const bool done = nodes && facts_p->below && facts_p->loads && facts_p->bottleneck &&
                      facts_p->ranks && facts_p->first;
    if (done) {
        count_kinds(t, facts_p);
        atn_topo_below(t, facts_p->below);
        for (int v = 0; v < t->nnodes; v++)
            facts_p->loads[v] = v ? (int64_t)facts_p->below[v] * (t->p - facts_p->below[v]) : 0;
        find_bottlenecks(t, facts_p, nodes);
        list_ranks(t, facts_p);
    } else {
        atn_report_topo_facts_free(facts_p);
    }
    free(nodes);
    return done;
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
