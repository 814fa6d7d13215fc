/* relay.c - see relay.h. */
#include "algo/relay.h"

#include <stdlib.h>
#include <string.h>

#include "algo/shape.h"

/* The rank whose block place x holds before all stages (sign 1) or after them (sign -1). */
static int rank_at(const atn_relay *x, int place, int sign)
{
    int rank = x->q->r;

    if (!x->around)
        return place;
    for (int i = 0; i < x->around->n; i++)
        rank = atn_algo_digits_turn(x->around, rank, i,
                                    sign * (place / x->around->weight[i] % x->around->radix[i]));
    return rank;
}

static int own_place(const atn_relay *x) { return x->around ? 0 : x->q->r; }

/* Copies the blocks of n other ranks into their places (sign 1) or out of them (sign -1). */
static void copy(atn_relay *x, atn_ref side, int sign, const atn_range *rooms, int n)
{
    const atn_ref user = atn_ranges(side, rooms + x->q->p, n);
    const atn_ref own = atn_ranges(atn_tmp_at(x->region, 0, 0), rooms, n);

    atn_copy(x->b, sign > 0 ? user : own, sign > 0 ? own : user);
}

/* Places that are larger than their blocks are copied one by one. */
static void fill(atn_relay *x, atn_ref side, int sign)
{
    const bool padded = atn_sched_is_padded(x->q->op);
    int n = 0;

    for (int place = 0; place < x->q->p; place++) {
        if (place == own_place(x))
            continue;
        x->list[n] = (atn_range){place + x->room[place] * x->q->p, 1};
        x->list[x->q->p + n++] = (atn_range){rank_at(x, place, sign), 1};
    }
    for (int i = 0; i < n; i += padded ? 1 : n)
        copy(x, side, sign, x->list + i, padded ? 1 : n);
}

bool atn_algo_relay_begin(atn_relay *x, atn_builder *b, const atn_problem *q,
                          const atn_digits *around)
{
    const size_t p = (size_t)q->p;

    *x = (atn_relay){.b = b, .q = q, .around = around, .region = atn_tmp_rows(b, 0, q->p, 2)};
    x->room = calloc(2, p);
    x->goes = malloc(sizeof *x->goes * p);
    x->list = malloc(sizeof *x->list * 2 * p);
    if (!x->room || !x->goes || !x->list) {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
        return false;
    }
    x->next = x->room + p;
    fill(x, atn_src(0, 0), 1);
    atn_copy(b, atn_src(q->r, 1), atn_dst(q->r, 1));
    return true;
}

/* The buffers of the places to send; `other`: those to receive into. */
static atn_ref rooms(atn_relay *x, bool other)
{
    int n = 0;

    for (int i = 0; i < x->q->p; i++) {
        if (!x->goes[i])
            continue;
        const int room = x->room[i] ^ (other ? 1 : 0);
        x->list[n++] = (atn_range){i + room * x->q->p, 1};
        if (other)
            x->next[i] = (unsigned char)room;
    }
    return atn_ranges(atn_tmp_at(x->region, 0, 0), x->list, n);
}

static void mark(atn_relay *x, atn_comb c)
{
    memset(x->goes, 0, sizeof *x->goes * (size_t)x->q->p);
    for (int64_t first = c.first; first < x->q->p; first += c.period)
        for (int64_t i = first; i < first + c.count && i < x->q->p; i++)
            x->goes[i] = true;
}

void atn_algo_relay_send(atn_relay *x, int to, atn_comb places)
{
    mark(x, places);
    atn_send(x->b, to, rooms(x, false));
}

void atn_algo_relay_recv(atn_relay *x, int from, atn_comb places)
{
    mark(x, places);
    atn_recv(x->b, from, rooms(x, true));
}

void atn_algo_relay_jump_those(atn_relay *x, int by)
{
    atn_send(x->b, atn_algo_ring(x->q, by), rooms(x, false));
    atn_recv(x->b, atn_algo_ring(x->q, -by), rooms(x, true));
}

void atn_algo_relay_jump(atn_relay *x, int by, atn_comb places)
{
    mark(x, places);
    atn_algo_relay_jump_those(x, by);
}

void atn_algo_relay_turn(atn_relay *x) { memcpy(x->room, x->next, (size_t)x->q->p); }

void atn_algo_relay_end(atn_relay *x)
{
    if (x->room && x->goes && x->list)
        fill(x, atn_dst(0, 0), -1);
    free(x->room);
    free(x->goes);
    free(x->list);
}
