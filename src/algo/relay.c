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

/* The end of the run of places from `first` on that are in the same buffer. */
static int run_end(const atn_relay *x, int first, int end)
{
    const unsigned char room = x->room[first];

    while (++first < end && x->room[first] == room)
        ;
    return first;
}

/* Lists the buffers of places to send; `other`: those to receive into.  Returns their number. */
static int list_rooms(atn_relay *x, int first, int end, bool other, int n)
{
    for (int to; first < end; first = to) {
        to = run_end(x, first, end);
        const int room = x->room[first] ^ (other ? 1 : 0);
        x->list[n++] = (atn_range){first + room * x->q->p, to - first};
        if (other)
            memset(x->next + first, room, (size_t)(to - first));
    }
    return n;
}

static atn_ref rooms(atn_relay *x, int n)
{
    return atn_ranges(atn_tmp_at(x->region, 0, 0), x->list, n);
}

/* Only these places are looked at: there may be many stages with few of them each. */
static atn_ref rooms_of_comb(atn_relay *x, const atn_comb *c, bool other)
{
    const int64_t p = x->q->p;
    int n = 0;

    for (int64_t first = c->first; first < p; first += c->period) {
        const int64_t end = first + c->count;
        n = list_rooms(x, (int)first, (int)(end < p ? end : p), other, n);
    }
    return rooms(x, n);
}

static atn_ref rooms_of_marked(atn_relay *x, bool other)
{
    int n = 0;

    for (int i = 0; i < x->q->p; i++)
        if (x->goes[i])
            n = list_rooms(x, i, i + 1, other, n);
    return rooms(x, n);
}

void atn_algo_relay_send(atn_relay *x, int to, atn_comb places)
{
    atn_send(x->b, to, rooms_of_comb(x, &places, false));
}

void atn_algo_relay_recv(atn_relay *x, int from, atn_comb places)
{
    atn_recv(x->b, from, rooms_of_comb(x, &places, true));
}

void atn_algo_relay_jump_those(atn_relay *x, int by)
{
    atn_send(x->b, atn_algo_ring(x->q, by), rooms_of_marked(x, false));
    atn_recv(x->b, atn_algo_ring(x->q, -by), rooms_of_marked(x, true));
}

void atn_algo_relay_jump(atn_relay *x, int by, atn_comb places)
{
    atn_algo_relay_send(x, atn_algo_ring(x->q, by), places);
    atn_algo_relay_recv(x, atn_algo_ring(x->q, -by), places);
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
