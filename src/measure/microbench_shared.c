/* microbench_shared.c - see microbench_shared.h. */
#include "measure/microbench_shared.h"

#include <string.h>

#include "exec/shared.h"
#include "shm/direct.h"

static const atn_shared_peer *peer_of(const atn_mb_participant *x, int i)
{
    const struct atn_shared *const s = x->m->shared;
    return &s->peer[s->index[x->b->rank[i]]];
}

/* ---- messages ---- */

typedef struct {
    atn_shm_end *end;
    atn_shm_transfer t;
    bool sends, done;
} message;

static message message_of(const atn_mb_participant *x, int i, bool sends, bool copies)
{
    struct atn_shared *const s = x->m->shared;
    atn_shared_peer *const peer = &s->peer[s->index[x->b->rank[i]]];
    char *const data = (sends ? x->m->out : x->m->in) + atn_measure_message_at(x, 0);
    if (!copies)
        peer->out.direct = 0;
    return (message){.end = sends ? &peer->out : &peer->in,
                     .t = {.data = data, .bytes = x->b->bytes, .unit = 8, .copies = copies},
                     .sends = sends};
}

static void step(message *m)
{
    if (!m->done)
        m->done =
            (m->sends ? atn_shm_send_step : atn_shm_receive_step)(m->end, &m->t) != ATN_SHM_BUSY;
}

/* Both make progress until all are complete. */
static void complete(const atn_mb_participant *x, message *v, int n)
{
    atn_shm_wait w = {.how = &x->m->shared->waiting};
    for (bool done = false; !done;) {
        done = true;
        for (int i = 0; i < n; i++) {
            step(&v[i]);
            done = done && v[i].done;
        }
        if (!done)
            atn_shm_wait_pause(&w);
    }
    atn_shm_wait_end(&w);
}

static double ping(const atn_mb_participant *x, bool copies)
{
    message both[2];
    for (int i = 0; i < 2; i++) {
        both[i] = message_of(x, 1 - x->me, x->me == i, copies);
        complete(x, &both[i], 1);
    }
    return 0;
}

static double ring(const atn_mb_participant *x, bool copies)
{
    const int n = x->b->n;
    message both[2] = {message_of(x, (x->me + 1) % n, true, copies),
                       message_of(x, atn_mod(x->me - 1, n), false, copies)};
    complete(x, both, 2);
    return 0;
}

double atn_measure_shared_ping_copy(const atn_mb_participant *x) { return ping(x, true); }
double atn_measure_shared_ping_single(const atn_mb_participant *x) { return ping(x, false); }
double atn_measure_shared_ring_copy(const atn_mb_participant *x) { return ring(x, true); }
double atn_measure_shared_ring_single(const atn_mb_participant *x) { return ring(x, false); }

/* ---- exposures ---- */

static int index_of(const atn_mb_participant *x) { return atn_shm_board_index(x->m->call, 0, 0); }
static uint64_t tag_of(const atn_mb_participant *x) { return atn_shm_board_tag(x->m->call, 0, 0); }

/* The entry may still be read in an earlier execution. */
static void expose(const atn_mb_participant *x, int64_t bytes, int readers)
{
    const struct atn_shared *const s = x->m->shared;
    uint32_t *const owed = &x->m->owed[x->m->call % ATN_SHM_DEPTH];
    atn_shm_wait w = {.how = &s->waiting};
    while (!atn_shm_board_is_read(s->board, index_of(x), *owed))
        atn_shm_wait_pause(&w);
    atn_shm_wait_end(&w);
    *owed = (uint32_t)readers;
    atn_shm_board_expose(s->board, index_of(x), tag_of(x), x->m->out + atn_measure_message_at(x, 0),
                         bytes);
    for (int i = 0; i < x->b->n; i++)
        if (i != x->me)
            atn_shm_bell_ring(peer_of(x, i)->out.bell);
}

static void read_from(const atn_mb_participant *x, int i)
{
    const atn_shared_peer *const peer = peer_of(x, i);
    const int index = index_of(x);
    char *const to = x->m->in + atn_measure_message_at(x, 0);
    atn_shm_wait w = {.how = &x->m->shared->waiting};
    while (atn_shm_board_find(peer->board, index, tag_of(x)) == NULL)
        atn_shm_wait_pause(&w);
    atn_shm_wait_end(&w);
    const atn_shm_entry *const e = &peer->board->entry[index];
    const char *const data = atn_shm_board_data(peer->board, index);
    if (data != NULL)
        memcpy(to, data, e->bytes);
    else
        atn_shm_direct_read(peer->in.pid, to, e->address, (int64_t)e->bytes);
    atn_shm_board_count(peer->board, index);
    atn_shm_bell_ring(peer->out.bell);
}

double atn_measure_shared_expose(const atn_mb_participant *x)
{
    expose(x, x->b->bytes, 0);
    x->m->call++;
    return 0;
}

double atn_measure_shared_exposed(const atn_mb_participant *x)
{
    if (x->me == 0) {
        expose(x, x->b->bytes, x->b->n - 1);
        for (int i = 1; i < x->b->n; i++)
            read_from(x, i);
    } else {
        read_from(x, 0);
        expose(x, 0, 1);
    }
    x->m->call++;
    return 0;
}

double atn_measure_shared_exposed_ring(const atn_mb_participant *x)
{
    expose(x, x->b->bytes, 1);
    read_from(x, (x->me + 1) % x->b->n);
    x->m->call++;
    return 0;
}
