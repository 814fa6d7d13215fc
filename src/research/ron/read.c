/* read.c - see read.h. */
#include "research/ron/read.h"

#include <stdlib.h>
#include <string.h>

#include "research/ron/text.h"

const char *const atn_ron_circuit_columns[] = {"rank",  "port",  "to",  "since",
                                               "ready", "begin", "end", NULL};
enum { RANK, PORT, TO, SINCE, READY, BEGIN, END, WORDS, MAX_NUMBER = 1 << 24 };

typedef ATN_VEC(atn_ron_transfer) transfers;

static atn_status read_heading(const atn_text_line *l)
{
    for (int i = 0; i < WORDS; i++)
        if (i >= l->n || strcmp(l->word[i], atn_ron_circuit_columns[i]) != 0)
            return atn_ron_text_refuse(
                l, "invalid heading of a list of circuits:", l->word[i < l->n ? i : l->n - 1],
                "write rank,port,to,since,ready,begin,end");
    return ATN_OK;
}

/* Circuits that existed have no reconfiguration. */
static atn_status read_change(const atn_text_line *l, atn_ron_transfer *t)
{
    t->changed = l->word[SINCE][0] != '\0' || l->word[READY][0] != '\0';
    atn_status st = t->changed ? atn_ron_text_number(l, SINCE, "since", &t->since) : ATN_OK;
    return st || !t->changed ? st : atn_ron_text_number(l, READY, "ready", &t->ready);
}

static atn_status read_transfer(void *to, const atn_text_line *l)
{
    atn_ron_transfer t = {.send = -1};
    int64_t rank = 0, port = 0, peer = 0;

    if (l->line == 1)
        return read_heading(l);
    if (l->n < WORDS)
        return atn_ron_text_refuse(l, "too few values, after", l->word[l->n - 1],
                                   "restore the line");
    atn_status st = atn_ron_text_whole(l, RANK, "rank", MAX_NUMBER, &rank);
    st = st ? st : atn_ron_text_whole(l, PORT, "port", MAX_NUMBER, &port);
    st = st ? st : atn_ron_text_whole(l, TO, "to", MAX_NUMBER, &peer);
    st = st ? st : read_change(l, &t);
    st = st ? st : atn_ron_text_number(l, BEGIN, "begin", &t.begin);
    st = st ? st : atn_ron_text_number(l, END, "end", &t.end);
    t.rank = (int)rank;
    t.port = (int)port;
    t.to = (int)peer;
    if (!st && !atn_push((transfers *)to, t))
        st = atn_fail(l->err, ATN_MEMORY, "out of memory");
    return st;
}

/* ---- matching with the schedules ---- */

static int by_ends(const void *x, const void *y)
{
    const atn_ron_transfer *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (a->send > b->send) - (a->send < b->send);
}

static bool same_ends(const atn_ron_transfer *a, const atn_ron_transfer *b)
{
    return a->rank == b->rank && a->to == b->to;
}

/* The k-th message of a pair is the k-th of the schedules; surplus messages remain unmatched. */
static bool match(const atn_op_graph *g, atn_circuits *c)
{
    atn_ron_transfer *sends = calloc((size_t)g->nmessages + 1, sizeof *sends);
    int n = 0;

    if (!sends)
        return false;
    for (int i = 0; i < g->n; i++)
        if (g->nodes[i].kind == ATN_OP_SEND)
            sends[n++] = (atn_ron_transfer){
                .send = i, .rank = g->nodes[i].rank, .to = g->nodes[g->nodes[i].other].rank};
    qsort(sends, (size_t)n, sizeof *sends, by_ends);
    qsort(c->v, (size_t)c->n, sizeof *c->v, by_ends);
    for (int i = 0, k = 0; i < c->n; i++) {
        const bool next = i > 0 && same_ends(&c->v[i - 1], &c->v[i]);
        while (k < n && !same_ends(&sends[k], &c->v[i]) && by_ends(&sends[k], &c->v[i]) < 0)
            k++;
        if (k < n && same_ends(&sends[k], &c->v[i]) && (!next || c->v[i - 1].send >= 0))
            c->v[i].send = sends[k++].send;
    }
    free(sends);
    return true;
}

atn_status atn_ron_circuits_read(const char *path, const atn_op_graph *g, atn_circuits *c_p,
                                 atn_error *err)
{
    transfers list = {0};
    atn_status status = atn_ron_text_read(path, read_transfer, &list, err);
    atn_circuits c = {.n = list.n, .v = list.v, .time = -1};

    for (int i = 0; i < c.n; i++)
        c.changes += c.v[i].changed;
    if (!status && c.n > 0 && !match(g, &c))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status)
        atn_model_circuits_free(&c);
    else
        *c_p = c;
    return status;
}
