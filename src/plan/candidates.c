/* candidates.c - see candidates.h. */
#include "plan/candidates.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const atn_problem *q;
    ATN_VEC(atn_choice) list;
    bool ok;
} search;

/* Candidates that build the same schedule: same row, same pieces, same other parameters. */
static bool is_new(const search *s, const atn_choice *c, int segment)
{
    const int pieces = atn_pieces(c->row, s->q, &c->params);

    for (int i = 0; i < s->list.n; i++) {
        atn_choice x = s->list.v[i], y = *c;
        if (x.row != y.row || atn_pieces(x.row, s->q, &x.params) != pieces)
            continue;
        if (segment >= 0)
            x.params.v[segment] = y.params.v[segment] = 0;
        if (memcmp(&x.params, &y.params, sizeof x.params) == 0)
            return false;
    }
    return true;
}

static int index_of(const atn_row *row, const char *name)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_row_params(row, list);

    for (int i = 0; i < n; i++)
        if (strcmp(list[i]->name, name) == 0)
            return i;
    return -1;
}

static void add(search *s, const atn_choice *c)
{
    atn_problem q = *s->q;

    q.pieces = atn_pieces(c->row, &q, &c->params);
    if (!atn_refuses(c->row, &q, &c->params) && is_new(s, c, index_of(c->row, "segment")))
        s->ok = s->ok && atn_push(&s->list, *c);
}

/* Values of a parameter that a search should try; returns how many. */
static int values(const atn_param *p, int64_t bytes, int64_t out[16])
{
    int n = 0;

    if (p->type == ATN_WORD)
        for (int64_t v = 0; p->words[v] && n < 16; v++)
            out[n++] = v;
    else if (p->type == ATN_BYTES) /* segments between a packet and the whole message */
        for (int64_t v = 2048; v <= 65536 && v < bytes && n < 16; v *= 2)
            out[n++] = v;
    else if (p->scale == ATN_LOG2)
        for (int64_t v = p->min > 0 ? p->min : 1; v <= p->max && v <= 16 && n < 16; v *= 2)
            out[n++] = v;
    else
        for (int64_t v = p->min; v <= p->max && v <= p->min + 4 && n < 16; v++)
            out[n++] = v;
    return n;
}

static void vary(search *s, atn_choice c, int i, const atn_param *p)
{
    int64_t value[16];
    const int n = values(p, s->q->bytes, value);

    for (int k = 0; k < n; k++) {
        c.params.v[i] = value[k];
        add(s, &c);
    }
}

/* Every order together with every segment: the two decide most on a network. */
static void vary_orders(search *s, const atn_row *row, const atn_param *const *list, int n)
{
    const int order = index_of(row, "order"), segment = index_of(row, "segment");
    atn_choice c = {.row = row};
    int64_t value[16];

    atn_params_default(row, &c.params);
    if (order < 0 || order >= n)
        return;
    const int orders = values(list[order], s->q->bytes, value);
    for (int k = 0; k < orders; k++) {
        c.params.v[order] = value[k];
        add(s, &c);
        if (segment >= 0)
            vary(s, c, segment, list[segment]);
    }
}

static void add_row(search *s, const atn_row *row)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_row_params(row, list);
    atn_choice c = {.row = row};

    atn_params_default(row, &c.params);
    add(s, &c);
    for (int i = 0; i < n; i++)
        vary(s, c, i, list[i]);
    vary_orders(s, row, list, n);
}

int atn_candidates(const atn_problem *q, atn_choice **list_p)
{
    search s = {.q = q, .ok = true};

    for (int i = 0; i < atn_catalog_rows() && s.ok; i++) {
        const atn_row *row = atn_catalog_row(i);
        if (row->op == q->op && row->algo->build)
            add_row(&s, row);
    }
    if (!s.ok) {
        atn_vec_free(&s.list);
        return -1;
    }
    *list_p = s.list.v;
    return s.list.n;
}
