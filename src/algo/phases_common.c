/* phases_common.c - common to all ways of computing phases. */
#include "algo/phases.h"

#include <stdlib.h>

/* Counting sort by sender, then by phase: both are small numbers. */
static bool sort_by(atn_phases *x, bool by_phase, int keys)
{
    atn_phase_message *sorted = malloc(sizeof *sorted * ((size_t)x->n + 1));
    int *at = calloc((size_t)keys + 1, sizeof *at);
    const bool ok = sorted && at;

    for (int i = 0; ok && i < x->n; i++)
        at[(by_phase ? x->list[i].phase : x->list[i].from) + 1]++;
    for (int k = 0; ok && k < keys; k++)
        at[k + 1] += at[k];
    for (int i = 0; ok && i < x->n; i++)
        sorted[at[by_phase ? x->list[i].phase : x->list[i].from]++] = x->list[i];
    if (ok) {
        free(x->list);
        x->list = sorted;
    } else {
        free(sorted);
    }
    free(at);
    return ok;
}

bool atn_algo_phases_sort(atn_phases *x)
{
    x->phases = 0;
    for (int i = 0; i < x->n; i++)
        x->phases = atn_max(x->phases, x->list[i].phase + 1);
    return sort_by(x, false, x->p) && sort_by(x, true, x->phases);
}

void atn_algo_phases_end(atn_phases *x)
{
    if (!x->borrowed)
        free(x->list);
    x->list = NULL;
}

int64_t atn_algo_phases_bound(const atn_topo *t, const int *capacity)
{
    int64_t *load = malloc(sizeof *load * (size_t)atn_topo_edges(t)), most = 0;

    if (load)
        atn_topo_loads(t, load);
    for (int e = 0; load && e < atn_topo_edges(t); e++) {
        const int64_t need = load[e] / capacity[e] + (load[e] % capacity[e] > 0);
        most = need > most ? need : most;
    }
    free(load);
    return most;
}
