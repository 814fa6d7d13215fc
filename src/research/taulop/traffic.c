/* traffic.c - the messages of all ranks by stages. */
#include "research/taulop/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "model/graph.h"

void atn_tau_traffic_free(atn_traffic *t)
{
    atn_vec_free(&t->flows);
    atn_vec_free(&t->reduces);
    atn_vec_free(&t->copies);
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        const int64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

/* Ranks may divide blocks differently. */
static atn_status common_parts(atn_schedule *const *s, int p, int64_t *parts_p, atn_error *err)
{
    int64_t parts = 1;
    for (int r = 0; r < p; r++)
        if (__builtin_mul_overflow(parts / gcd(parts, s[r]->split), (int64_t)s[r]->split, &parts) ||
            parts > INT32_MAX)
            return atn_fail(err, ATN_INPUT,
                            "the divisions of blocks on different ranks have no common refinement");
    *parts_p = parts;
    return ATN_OK;
}

static bool add_operation(atn_traffic *t, const atn_schedule *s, const atn_op *o, int stage)
{
    const int64_t size = atn_sched_slot_blocks(s, &o->a) * (t->parts / s->split);
    const atn_tau_work work = {.stage = stage, .rank = s->q.r, .size = size};
    t->nstages = atn_max(t->nstages, stage + (o->kind == ATN_OP_SEND));
    switch (o->kind) {
    case ATN_OP_SEND:
        return atn_push(&t->flows, (atn_tau_flow){stage, s->q.r, o->peer, size});
    case ATN_OP_REDUCE:
    case ATN_OP_RECV_REDUCE:
        return atn_push(&t->reduces, work);
    case ATN_OP_COPY:
        return atn_push(&t->copies, work);
    default:
        return true;
    }
}

static int by_stage(const void *x, const void *y)
{
    const atn_tau_flow *a = x, *b = y;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

static int by_rank(const void *x, const void *y)
{
    const atn_tau_work *a = x, *b = y;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->size > b->size) - (a->size < b->size);
}

static int by_turn(const void *x, const void *y)
{
    const atn_tau_work *a = x, *b = y;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    if (a->turn != b->turn)
        return a->turn < b->turn ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* A rank executes its local operations in sequence. */
static void take_turns(atn_tau_work *v, int n)
{
    if (n == 0)
        return;
    qsort(v, (size_t)n, sizeof *v, by_rank);
    for (int i = 1; i < n; i++)
        if (v[i].stage == v[i - 1].stage && v[i].rank == v[i - 1].rank)
            v[i].turn = v[i - 1].turn + 1;
    qsort(v, (size_t)n, sizeof *v, by_turn);
}

static void sort_all(atn_traffic *t)
{
    if (t->flows.n > 0)
        qsort(t->flows.v, (size_t)t->flows.n, sizeof *t->flows.v, by_stage);
    take_turns(t->reduces.v, t->reduces.n);
    take_turns(t->copies.v, t->copies.n);
}

static atn_status collect(atn_traffic *t, const atn_op_graph *g, int *stage, atn_error *err)
{
    int last;
    if (!stage)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    const atn_status st = atn_model_op_graph_stages(g, stage, &last, err);
    const bool rounds = !st && atn_model_op_graph_rounds_are_stages(g);
    for (int i = 0; rounds && i < g->n; i++) /* local operations follow the messages of a round */
        stage[i] = g->nodes[i].round + (g->nodes[i].other < 0);
    for (int r = 0; r < t->p && !st; r++)
        for (int i = 0; i < g->s[r]->nops; i++)
            if (!add_operation(t, g->s[r], &g->s[r]->ops[i],
                               stage[atn_model_op_graph_last(g, r, i)]))
                return atn_fail(err, ATN_MEMORY, "out of memory");
    if (!st)
        sort_all(t);
    return st;
}

atn_status atn_tau_traffic_of(atn_schedule *const *schedules, int p, atn_traffic *traffic_p,
                              atn_error *err)
{
    atn_traffic t = {.p = p};
    atn_op_graph g;
    atn_status st = ATN_OK;
    for (int r = 0; r < p; r++)
        if (atn_sched_is_shared(schedules[r]))
            return atn_fail(err, ATN_INPUT,
                            "%s reads shared memory; this analysis covers only messages",
                            schedules[r]->name);
    st = atn_model_op_graph_make(schedules, p, &g, err);
    if (st)
        return st;
    int *stage = malloc(sizeof *stage * ((size_t)g.n + 1));
    st = common_parts(schedules, p, &t.parts, err);
    st = st ? st : collect(&t, &g, stage, err);
    free(stage);
    atn_model_op_graph_free(&g);
    if (st)
        atn_tau_traffic_free(&t);
    else
        *traffic_p = t;
    return st;
}

/* ---- mappings ---- */

void atn_tau_mapping_free(atn_mapping *m)
{
    free(m->node_of);
    m->node_of = NULL;
}

/* "3" or "3*4" from *at; false: neither, or no such node. */
static bool read_item(const char **at, int nodes, int *node_p, int *times_p)
{
    char *end;
    const long node = strtol(*at, &end, 10);
    if (end == *at || node < 0 || node >= nodes)
        return false;
    long times = 1;
    if (*end == '*') {
        const char *digits = end + 1;
        times = strtol(digits, &end, 10);
        if (end == digits)
            return false;
    }
    *at = end;
    *node_p = (int)node;
    *times_p = times < 1 || times > 1000000 ? 0 : (int)times;
    return *times_p > 0 && (*end == ',' || *end == '\0');
}

static atn_status read_list(const char *word, const atn_mapping *m, atn_error *err)
{
    int placed = 0;
    for (const char *at = word; *at; at += *at == ',') {
        int node, times;
        if (!read_item(&at, m->nodes, &node, &times))
            return atn_fail(err, ATN_USAGE,
                            "mapping '%.60s': invalid '%.20s'; write seq, rr, or nodes 0 to %d in "
                            "the order of ranks, as in 0*4,1*3,0",
                            word, at, m->nodes - 1);
        while (times-- > 0 && placed <= m->p)
            if (placed++ < m->p)
                m->node_of[placed - 1] = node;
    }
    if (placed != m->p)
        return atn_fail(err, ATN_USAGE, "mapping '%.60s' places %s%d ranks, but there are %d", word,
                        placed > m->p ? "more than " : "", atn_min(placed, m->p), m->p);
    return ATN_OK;
}

atn_status atn_tau_mapping_read(const char *word, int p, int nodes, atn_mapping *mapping_p,
                                atn_error *err)
{
    atn_mapping m = {.p = p, .nodes = nodes, .node_of = calloc((size_t)p + 1, sizeof *m.node_of)};
    const int each = (p + nodes - 1) / nodes;
    atn_status st = ATN_OK;
    if (!m.node_of)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    const bool seq = strcmp(word, "seq") == 0;
    if (seq || strcmp(word, "rr") == 0)
        for (int r = 0; r < p; r++)
            m.node_of[r] = seq ? r / each : r % nodes;
    else
        st = read_list(word, &m, err);
    if (st)
        atn_tau_mapping_free(&m);
    else
        *mapping_p = m;
    return st;
}

char *atn_tau_mapping_word(const atn_mapping *m)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = atn_open_text(&text, &bytes);
    if (!f)
        return NULL;
    for (int r = 0, run; r < m->p; r += run) {
        for (run = 1; r + run < m->p && m->node_of[r + run] == m->node_of[r];)
            run++;
        fprintf(f, "%s%d", r ? "," : "", m->node_of[r]);
        if (run > 1)
            fprintf(f, "*%d", run);
    }
    fclose(f);
    return text;
}
