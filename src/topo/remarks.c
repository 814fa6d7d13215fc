/* remarks.c - what is not wrong with a topology but may not be what was meant. */
#include <stdlib.h>

#include "topo/draft.h"

static void remark_rates(const atn_draft *d)
{
    int known = 0, first = -1, unknown = 0;
    for (int i = 0; i < d->nodes.n; i++) {
        const atn_draft_node *v = &d->nodes.v[i];
        if (v->parent < 0 || v->kind == ATN_TOPO_PART)
            continue;
        known += v->rate > 0;
        unknown += v->rate == 0;
        if (v->rate == 0 && first < 0)
            first = i;
    }
    if (known > 0 && unknown > 0)
        atn_topo_remark(
            d->found, d->nodes.v[first].parent_line,
            "%d of %d links have no rate (the first is that of %s); they count as unlimited",
            unknown, known + unknown, d->nodes.v[first].name);
}

static void remark_idle(const atn_draft *d)
{
    bool *used = calloc((size_t)d->nodes.n, sizeof *used);
    int idle = 0, first = -1;
    if (used == NULL || d->ranks.n == 0) {
        free(used);
        return;
    }
    for (int r = 0; r < d->ranks.n; r++)
        for (int v = d->ranks.v[r]; v >= 0 && !used[v]; v = d->nodes.v[v].parent)
            used[v] = true;
    for (int i = 0; i < d->nodes.n; i++)
        if (d->nodes.v[i].kind == ATN_TOPO_HOST && !used[i]) {
            idle++;
            first = first < 0 ? i : first;
        }
    free(used);
    if (idle > 0)
        atn_topo_remark(d->found, d->nodes.v[first].line,
                        "%d host%s without a rank (the first is %s)", idle, idle == 1 ? "" : "s",
                        d->nodes.v[first].name);
}

void atn_topo_draft_remarks(const atn_draft *d)
{
    remark_rates(d);
    remark_idle(d);
}
