/* mirror.c - see mirror.h.
 *
 * Operands stay in SRC until the first remote operand arrives; it is combined where it was
 * received, in `sums`; later operands are received in `room` and added. */
#include "algo/mirror.h"

#include <limits.h>
#include <stdlib.h>

static const char *const words[] = {"bruck",     "neighbor", "recursive_doubling", "ring",
                                    "circulant", "sparbit",  "recursive_halving",  "bine",
                                    "mesh",      NULL};

const atn_param atn_algo_mirror_params[] = {
    {"gather", ATN_WORD, 0, 0, 8, ATN_LINEAR, "allgather algorithm to reverse", words},
    {0},
};

const char *atn_algo_mirror_part(atn_operation op, const atn_param *param, int64_t value,
                                 const atn_problem *q)
{
    const atn_algo_use part = atn_algo_part(op, param, value);

    if (atn_algo_part_has_pass(&part))
        return "the order and synchronisation of messages cannot be reversed";
    return atn_algo_part_refuses(op, param, value, q);
}

const char *atn_algo_mirror_refuses(const atn_problem *q, const atn_params *prm)
{
    return atn_algo_mirror_part(ATN_ALLGATHER, atn_algo_mirror_params, prm->v[0], q);
}

typedef struct {
    atn_builder *b;
    const atn_schedule *forward;
    int blocks;      /* of the vector that is reduced */
    int sums, room;  /* scratch of the same shape */
    bool *combined;  /* the sum of a block is in `sums`, not in SRC */
    int *block, n;   /* blocks of the current message */
    atn_range *list; /* ranges for two references */
} mirror;

/* The blocks of the current message, or only those without a sum yet. */
static atn_ref select_blocks(const mirror *m, atn_ref like, bool fresh, int which)
{
    atn_range *list = m->list + which * m->blocks;
    int n = 0;

    for (int i = 0; i < m->n; i++) {
        const int at = m->block[i];
        if (fresh && m->combined[at])
            continue;
        if (n > 0 && list[n - 1].first + list[n - 1].count == at)
            list[n - 1].count++;
        else
            list[n++] = (atn_range){at, 1};
    }
    like.one = (atn_range){0, 0};
    return n > 0 ? atn_ranges(like, list, n) : like;
}

static atn_ref in_src(const mirror *m, bool fresh)
{
    return select_blocks(m, atn_src(0, 0), fresh, 0);
}
static atn_ref in_sums(const mirror *m, bool fresh)
{
    return select_blocks(m, atn_tmp_at(m->sums, 0, 0), fresh, 1);
}
static atn_ref in_room(const mirror *m)
{
    return select_blocks(m, atn_tmp_at(m->room, 0, 0), false, 0);
}

/* ---- messages ---- */

/* An allgather may send its own block from its source. */
static void read_blocks(mirror *m, const atn_slot *slot)
{
    const atn_schedule *s = m->forward;
    const atn_range *r = atn_sched_slot_ranges(s, slot);
    const int first = slot->space == ATN_SRC ? s->q.r * s->split : 0;

    m->n = 0;
    for (int i = 0; i < slot->n; i++)
        for (int k = 0; k < r[i].count; k++)
            m->block[m->n++] = first + r[i].first + k;
}

static bool all_fresh(const mirror *m)
{
    for (int i = 0; i < m->n; i++)
        if (m->combined[m->block[i]])
            return false;
    return true;
}

/* The sums of the message are now in `sums`. */
static void mark(mirror *m)
{
    for (int i = 0; i < m->n; i++)
        m->combined[m->block[i]] = true;
}

static void move_to_sums(mirror *m)
{
    atn_copy(m->b, in_src(m, true), in_sums(m, true));
    mark(m);
}

static void send_back(mirror *m, int peer)
{
    if (all_fresh(m)) {
        atn_send(m->b, peer, in_src(m, false));
        return;
    }
    move_to_sums(m);
    atn_send(m->b, peer, in_sums(m, false));
}

static void receive_operands(mirror *m, int peer)
{
    if (all_fresh(m)) {
        atn_recv(m->b, peer, in_sums(m, false));
        atn_reduce(m->b, in_src(m, false), in_sums(m, false));
        mark(m);
        return;
    }
    atn_recv(m->b, peer, in_room(m)); /* directly after the send: an exchange */
    move_to_sums(m);
    atn_reduce(m->b, in_room(m), in_sums(m, false));
}

/* A round completes its reductions before the next begins, as the forward round does its copies. */
static void next_round(mirror *m, int *round, int until)
{
    if (*round > until)
        atn_fence(m->b);
    for (; *round > until; (*round)--)
        atn_round(m->b);
}

static void turn(mirror *m, int i)
{
    const atn_op *o = &m->forward->ops[i];

    read_blocks(m, &o->a);
    if (atn_sched_receives(o))
        send_back(m, o->peer);
    else
        receive_operands(m, o->peer);
}

/* Operations i - 1 and i are an exchange that begins with the receive. */
static bool is_exchange(const atn_schedule *s, int i)
{
    return i > 0 && s->ops[i].kind == ATN_OP_SEND && s->ops[i - 1].round == s->ops[i].round &&
           atn_sched_step_length(s, i - 1) == 2;
}

/* The send of an exchange is first, so that no reduction separates the two. */
static void run(mirror *m)
{
    const atn_schedule *s = m->forward;
    int round = s->nrounds - 1;

    for (int i = s->nops - 1; i >= 0; i--) {
        if (!atn_sched_is_message(&s->ops[i]))
            continue;
        next_round(m, &round, s->ops[i].round);
        if (is_exchange(s, i)) {
            turn(m, i - 1);
            turn(m, i--);
        } else {
            turn(m, i);
        }
    }
    next_round(m, &round, 0);
}

/* Stores the rank's own block or, at the root, all blocks. */
static void finish(mirror *m, const atn_problem *q)
{
    const bool whole = q->op == ATN_REDUCE;
    const int first = whole ? 0 : q->r * m->forward->split;

    if (!atn_sched_has_dst(q))
        return;
    m->n = 0;
    for (int i = 0; i < m->forward->split; i++)
        m->block[m->n++] = first + i;
    atn_copy(m->b, m->combined[first] ? in_sums(m, false) : in_src(m, false), atn_dst(0, m->n));
}

/* ---- the forward schedule ---- */

static atn_schedule *build_rounds(atn_builder *b, const atn_problem *q, const atn_algo *algo,
                                  const atn_params *prm, atn_round_window window)
{
    atn_schedule *s = NULL;
    atn_error err = {0};
    atn_builder *inner = atn_builder_new(q);

    if (!inner) {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
        return NULL;
    }
    atn_builder_show(inner, window);
    algo->build(inner, q, prm);
    if (atn_builder_finish(inner, algo->name, &s, &err) != ATN_OK)
        atn_builder_fail(b, err.status, err.text);
    return s;
}

/* The first rounds of the mirrored algorithm are the last ones here: their number is known after a
 * schedule without operations. */
static atn_round_window mirrored(atn_builder *b, const atn_problem *q, const atn_algo *algo,
                                 const atn_params *prm)
{
    const atn_round_window shown = atn_builder_shown(b), nothing = {0, 0};

    if (shown.end == INT_MAX)
        return shown;
    atn_schedule *const empty = build_rounds(b, q, algo, prm, nothing);
    const int rounds = empty ? empty->nrounds : 0;
    atn_sched_schedule_free(empty);
    return (atn_round_window){rounds - shown.end, rounds - shown.first};
}

static atn_schedule *build_forward(atn_builder *b, const atn_problem *q, const atn_algo *algo,
                                   const atn_params *prm)
{
    atn_problem f = *q;

    f.op = q->op == ATN_REDUCE ? ATN_BCAST : ATN_ALLGATHER;
    f.in_place = false;
    atn_schedule *s = build_rounds(b, &f, algo, prm, mirrored(b, &f, algo, prm));
    if (s && atn_sched_is_shared(s)) {
        atn_builder_refuse(b, "reads of shared memory cannot be reversed");
        atn_sched_schedule_free(s);
        s = NULL;
    }
    return s;
}

/* The maximum number of times a block is sent, hence its sum combined. */
static int most_sends(mirror *m)
{
    int *sent = calloc((size_t)m->blocks + 1, sizeof *sent), most = 0;

    for (int i = 0; sent && i < m->forward->nops; i++) {
        if (m->forward->ops[i].kind != ATN_OP_SEND)
            continue;
        read_blocks(m, &m->forward->ops[i].a);
        for (int k = 0; k < m->n; k++)
            most = atn_max(most, ++sent[m->block[k]]);
    }
    free(sent);
    return most;
}

static void go_back(mirror *m, const atn_problem *q)
{
    const int most = most_sends(m);

    atn_split(m->b, m->forward->split);
    if (most > 0)
        m->sums = atn_tmp(m->b, 0, m->blocks);
    if (most > 1)
        m->room = atn_tmp(m->b, 0, m->blocks);
    run(m);
    finish(m, q);
}

void atn_algo_mirror(atn_builder *b, const atn_problem *q, const atn_algo *forward,
                     const atn_params *prm)
{
    atn_schedule *s = build_forward(b, q, forward, prm);

    if (!s)
        return;
    mirror m = {.b = b, .forward = s, .blocks = atn_sched_space_blocks(s, ATN_DST)};
    const size_t n = (size_t)m.blocks + 1;
    m.combined = calloc(n, sizeof *m.combined);
    m.block = malloc(sizeof *m.block * n);
    m.list = malloc(sizeof *m.list * 2 * n);
    if (m.combined && m.block && m.list)
        go_back(&m, q);
    else
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    free(m.combined);
    free(m.block);
    free(m.list);
    atn_sched_schedule_free(s);
}

/* ---- allreduce ---- */

typedef struct {
    const atn_algo *bcast;
    const atn_params *prm;
} journey;

static void there(atn_builder *b, const atn_problem *q, const void *context)
{
    const journey *j = context;
    atn_algo_mirror(b, q, j->bcast, j->prm);
}

void atn_algo_mirror_allreduce(atn_builder *b, const atn_problem *q, const atn_algo *bcast,
                               const atn_params *prm)
{
    const journey j = {bcast, prm};
    const atn_view result = {.at = atn_dst(0, 1), .each = 1};
    atn_problem up = *q, down = *q;

    up.op = ATN_REDUCE;
    down.op = ATN_BCAST;
    atn_embed_run(b, &(atn_embed){.q = &up,
                                  .src = {.at = atn_src(0, 1), .each = 1},
                                  .dst = result,
                                  .vec = result,
                                  .build = there,
                                  .context = &j});
    atn_round(b);
    atn_algo_embed_algo(b, &(atn_embed){.q = &down, .dst = result, .vec = result}, bcast, prm);
}
