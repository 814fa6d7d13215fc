/* cycle.c - requests that repeat in cycles.
 *
 * A cycle runs from a request of its head to the next request of the head.  While a cycle is active
 * the memory offers its next element; a request that does not fit becomes the head of another
 * cycle.  The last few cycles of each head may be kept: when the head is requested again, all its
 * cycles are recalled, the most recent first, and requests rule them out until one remains.  If
 * none remains in the first pass, the head has a new cycle, learned from the confirmed part and
 * what follows.
 *
 *   FORM    log from the head on, until the head closes the cycle; then FOLLOW
 *   FOLLOW  offer; a misfit recalls the cycles of its symbol (RECALL) or forms one (FORM)
 *   RECALL  the first pass over recalled cycles; a misfit leads to REVISE, the end to FOLLOW
 *   REVISE  as FORM, with a log that begins with the confirmed part */
#include <stdlib.h>

#include "predict/memory.h"

typedef enum { IDLE, FORM, FOLLOW, RECALL, REVISE } phase;

/* A cycle starts with its head and contains it only once. */
typedef struct {
    atn_symbols symbols;
    bool fits; /* the requests since the head */
} cycle;

typedef ATN_VEC(cycle) cycles; /* most recent first */

typedef struct {
    int keep, max_log;
    bool repeats_last;
    phase phase;
    int head, last;
    int slot; /* of the head, in `table` */
    int at;   /* position in the cycles that fit */
    atn_symbols log;
    ATN_VEC(cycles) table;
    atn_symbols slots; /* by symbol: its index in `table` plus 1, 0: none */
    int longest, most_cycles;
    int64_t stored; /* symbols in `table` */
} machine;

static void *make(const atn_predictor_choice *c, const atn_predict_rules *rules)
{
    machine *m = calloc(1, sizeof *m);
    if (m)
        *m = (machine){.keep = c->size > 0 ? c->size : c->row->keep,
                       .max_log = rules->max_log,
                       .repeats_last = c->row->repeats_last};
    return m;
}

static void drop_last(machine *m, cycles *list)
{
    cycle *gone = &list->v[--list->n];
    m->stored -= gone->symbols.n;
    atn_vec_free(&gone->symbols);
}

static void release(void *p)
{
    machine *m = p;
    for (int i = 0; i < m->table.n; i++) {
        while (m->table.v[i].n > 0)
            drop_last(m, &m->table.v[i]);
        atn_vec_free(&m->table.v[i]);
    }
    atn_vec_free(&m->table);
    atn_vec_free(&m->slots);
    atn_vec_free(&m->log);
    free(m);
}

/* ---- the table of heads ---- */

/* -1: the head has no cycle.  If no cycles are kept, all heads share one slot. */
static int find(const machine *m, int head)
{
    return m->keep > 0 && head < m->slots.n ? m->slots.v[head] - 1 : -1;
}

static bool make_slot(machine *m, int head, int *slot_p)
{
    *slot_p = m->keep > 0 ? find(m, head) : m->table.n - 1;
    if (*slot_p >= 0)
        return true;
    while (m->slots.n <= head)
        if (!atn_push(&m->slots, 0))
            return false;
    if (!atn_push(&m->table, (cycles){0}))
        return false;
    *slot_p = m->table.n - 1;
    m->slots.v[head] = m->table.n;
    return true;
}

static void bring_to_front(cycles *list, int i)
{
    const cycle x = list->v[i];
    for (; i > 0; i--)
        list->v[i] = list->v[i - 1];
    list->v[0] = x;
}

/* The head is requested: all its cycles fit. */
static void begin_pass(machine *m)
{
    cycles *list = &m->table.v[m->slot];
    for (int i = 0; i < list->n; i++)
        list->v[i].fits = true;
    m->at = 0;
}

static const cycle *first_fit(const machine *m)
{
    const cycles *list = &m->table.v[m->slot];
    for (int i = 0; i < list->n; i++)
        if (list->v[i].fits)
            return &list->v[i];
    return NULL;
}

/* ---- learning a cycle ---- */

static bool start(machine *m, int symbol)
{
    m->phase = FORM;
    m->head = symbol;
    m->log.n = 0;
    return atn_push(&m->log, symbol);
}

/* The log becomes the first cycle of its head; the oldest one is dropped if there are too many. */
static bool close_cycle(machine *m)
{
    if (!make_slot(m, m->head, &m->slot))
        return false;
    cycles *list = &m->table.v[m->slot];
    if (list->n > 0 && list->n >= m->keep)
        drop_last(m, list);
    if (!atn_push(list, (cycle){.symbols = m->log}))
        return false;
    bring_to_front(list, list->n - 1);
    m->stored += m->log.n;
    m->longest = atn_max(m->longest, m->log.n);
    m->most_cycles = atn_max(m->most_cycles, list->n);
    m->log = (atn_symbols){0};
    m->phase = FOLLOW;
    begin_pass(m);
    return true;
}

static bool learn(machine *m, int symbol)
{
    if (symbol == m->head)
        return close_cycle(m);
    if (m->max_log > 0 && m->log.n >= m->max_log)
        return start(m, symbol);
    return atn_push(&m->log, symbol);
}

/* ---- following cycles ---- */

static int next_of(const cycle *c, int at, int steps)
{
    return c->symbols.v[(at + steps) % c->symbols.n];
}

/* Whether a cycle that fitted continues with this symbol; the others are ruled out. */
static bool narrow(machine *m, int symbol)
{
    cycles *list = &m->table.v[m->slot];
    int fit = -1;
    for (int i = list->n - 1; i >= 0; i--) {
        cycle *c = &list->v[i];
        c->fits = c->fits && next_of(c, m->at, 1) == symbol;
        fit = c->fits ? i : fit;
    }
    if (fit < 0)
        return false;
    m->at++;
    if (symbol == m->head) {
        bring_to_front(list, fit);
        m->phase = FOLLOW;
        begin_pass(m);
    }
    return true;
}

static bool revise(machine *m, const cycle *confirmed, int symbol)
{
    m->phase = REVISE;
    m->log.n = 0;
    for (int i = 0; i <= m->at; i++)
        if (!atn_push(&m->log, confirmed->symbols.v[i]))
            return false;
    return learn(m, symbol);
}

static bool change_head(machine *m, int symbol)
{
    const int slot = find(m, symbol);
    if (slot < 0)
        return start(m, symbol);
    m->phase = RECALL;
    m->head = symbol;
    m->slot = slot;
    begin_pass(m);
    return true;
}

static bool follow(machine *m, int symbol)
{
    const cycle *confirmed = first_fit(m);
    if (narrow(m, symbol))
        return true;
    return m->phase == RECALL ? revise(m, confirmed, symbol) : change_head(m, symbol);
}

static bool update(void *p, int symbol)
{
    machine *m = p;
    m->last = symbol;
    switch (m->phase) {
    case IDLE:
        return start(m, symbol);
    case FORM:
    case REVISE:
        return learn(m, symbol);
    case FOLLOW:
    case RECALL:
        break;
    }
    return follow(m, symbol);
}

static bool offers(const void *p, int ahead, int count, atn_symbols *out)
{
    const machine *m = p;
    const bool active = m->phase == FOLLOW || m->phase == RECALL;
    if (m->phase == IDLE || (!active && !m->repeats_last))
        return true;
    const cycle *c = active ? first_fit(m) : NULL;
    for (int i = 0; i < count; i++)
        if (!atn_push(out, c ? next_of(c, m->at, ahead + i) : m->last))
            return false;
    return true;
}

static void measure(const void *p, atn_predict_size *size, int64_t *held_p)
{
    const machine *m = p;
    size->longest = atn_max(size->longest, m->longest);
    size->heads = atn_max(size->heads, m->table.n);
    size->cycles = atn_max(size->cycles, m->most_cycles);
    *held_p += m->stored + m->log.n;
}

const atn_predict_memory atn_cycle_memory = {
    .make = make, .offers = offers, .update = update, .measure = measure, .free = release};
