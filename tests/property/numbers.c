/* numbers.c - see numbers.h.  Inputs and results follow the definition of MPI, not the verifier. */
#include "numbers.h"

#include <stdlib.h>
#include <string.h>

#include "sched/operation.h"

/* ---- numbers ---- */

static uint64_t scramble(uint64_t x) { return atn_random(&x); }

/* Element e of natural block j that rank r contributes. */
static uint64_t input(const call *c, int r, int j, int64_t e)
{
    const uint64_t x = scramble(c->seed ^ scramble((uint64_t)(r * c->p + j) << 32 | (uint64_t)e));

    return c->combine == COMPOSE ? x | UINT64_C(1) << 32 : x; /* an odd, hence invertible factor */
}

uint64_t combine(const call *c, uint64_t left, uint64_t right)
{
    const uint32_t a = (uint32_t)(left >> 32), b = (uint32_t)left;

    switch (c->combine) {
    case SUM:
        return left + right;
    case COMPOSE: /* of the maps x -> a x + b */
        return (uint64_t)(a * (uint32_t)(right >> 32)) << 32 | (uint32_t)(a * (uint32_t)right + b);
    default:
        return scramble((c->ordered ? 3 * left : left) + right);
    }
}

/* ---- sizes ---- */

void call_init(call *c, const atn_problem *q, int split, uint64_t seed)
{
    const unsigned flags = atn_sched_operation_get(q->op)->flags;
    uint64_t state = seed;

    *c = (call){.p = q->p, .seed = seed, .ordered = q->ordered};
    c->combine = q->ordered ? COMPOSE : SUM;
    if (q->op == ATN_ALLREDUCE && seed & 1)
        c->combine = MIX;
    c->each = split + (int64_t)(atn_random(&state) % (2 * (uint64_t)split + 3));
    c->sizes = calloc((size_t)(q->p * q->p), sizeof *c->sizes);
    for (int i = 0; i < q->p * q->p; i++) {
        const int64_t own = (int64_t)(atn_random(&state) % (uint64_t)(c->each + 1));
        c->sizes[i] = flags & ATN_VARYING ? own : c->each;
        c->largest = c->sizes[i] > c->largest ? c->sizes[i] : c->largest;
    }
}

void call_free(call *c) { free(c->sizes); }

/* Elements of natural block j in a buffer of rank r. */
static int64_t natural(const call *c, const atn_problem *q, int space, int j)
{
    const atn_operation_info *o = atn_sched_operation_get(q->op);

    if (space >= ATN_TMP)
        return atn_sched_is_padded(q->op) ? c->largest : c->sizes[j];
    switch (space == ATN_SRC ? o->source : o->result) {
    case ATN_SIDE_ONE:
        return c->sizes[q->r];
    case ATN_SIDE_ROW:
        return c->sizes[q->r * c->p + j];
    case ATN_SIDE_COL:
        return c->sizes[j * c->p + q->r];
    case ATN_SIDE_VEC:
        return c->sizes[j];
    default:
        return c->each;
    }
}

/* Elements of a natural block before its part k. */
static int64_t part(int64_t elements, int k, int split)
{
    return elements / split * k + elements % split * k / split;
}

static int64_t block_elements(const call *c, const atn_schedule *s, int space, int b)
{
    const int at = space == ATN_TMP ? s->tmp_shape[b] : b, k = at % s->split;
    const int64_t whole = natural(c, &s->q, space, at / s->split);

    return part(whole, k + 1, s->split) - part(whole, k, s->split);
}

/* ---- buffers ---- */

/* The user's data: in SRC, in DST where MPI_IN_PLACE or a broadcast puts it. */
static void fill(memory *m, const call *c, int space, int from, int to)
{
    const int split = m->s->split;

    for (int j = from; j < to; j++)
        for (int64_t e = m->offset[space][j * split]; e < m->offset[space][(j + 1) * split]; e++)
            m->data[space][e] = input(c, m->s->q.r, space == ATN_DST && to - from == 1 ? 0 : j,
                                      e - m->offset[space][j * split]);
}

static atn_place place_of(const atn_problem *q)
{
    return q->in_place ? atn_sched_operation_place(q->op, q->r == q->root) : ATN_PLACE_NONE;
}

static void fill_inputs(memory *m, const call *c)
{
    const atn_problem *q = &m->s->q;
    const atn_place place = place_of(q);

    if (q->op == ATN_BCAST && q->r == q->root)
        fill(m, c, ATN_DST, 0, 1);
    else if (place == ATN_PLACE_SAME)
        fill(m, c, ATN_DST, 0, 1);
    else if (place == ATN_PLACE_OWN)
        fill(m, c, ATN_DST, q->r, q->r + 1);
    else
        fill(m, c, ATN_SRC, 0, atn_sched_space_blocks(m->s, ATN_SRC) / m->s->split);
}

static uint64_t untouched(const call *c, int r, int space, int64_t e)
{
    return ~input(c, r, -1 - space, e);
}

void memory_init(memory *m, const call *c, const atn_schedule *s)
{
    m->s = s;
    for (int i = 0; i <= ATN_SPACES; i++) {
        const int n = atn_sched_space_blocks(s, (atn_space)i);
        m->offset[i] = calloc((size_t)n + 1, sizeof **m->offset);
        for (int b = 0; b < n; b++)
            m->offset[i][b + 1] = m->offset[i][b] + block_elements(c, s, i, b);
        if (i == ATN_SHAPE)
            break;
        m->data[i] = calloc((size_t)m->offset[i][n] + 1, sizeof **m->data);
        for (int64_t e = 0; e < m->offset[i][n]; e++)
            m->data[i][e] = untouched(c, s->q.r, i, e);
    }
    fill_inputs(m, c);
}

void memory_free(memory *m)
{
    for (int i = 0; i <= ATN_SPACES; i++) {
        free(m->offset[i]);
        if (i < ATN_SPACES)
            free(m->data[i]);
    }
}

/* ---- slots ---- */

bool slot_exists(const memory *m, const atn_slot *slot)
{
    const atn_range *r = atn_sched_slot_ranges(m->s, slot);
    const int blocks = atn_sched_space_blocks(m->s, (atn_space)slot->space);
    int i = 0;

    while (i < slot->n && r[i].first >= 0 && r[i].count > 0 && r[i].first + r[i].count <= blocks)
        i++;
    return i == slot->n;
}

int64_t slot_elements(const memory *m, const atn_slot *slot)
{
    const atn_range *r = atn_sched_slot_ranges(m->s, slot);
    const int64_t *at = m->offset[slot->space];
    int64_t n = 0;

    for (int i = 0; i < slot->n; i++)
        n += at[r[i].first + r[i].count] - at[r[i].first];
    return n;
}

void slot_load(const memory *m, const atn_slot *slot, numbers *out)
{
    const atn_range *r = atn_sched_slot_ranges(m->s, slot);
    const int64_t *at = m->offset[slot->space];

    for (int i = 0; i < slot->n; i++)
        for (int64_t e = at[r[i].first]; e < at[r[i].first + r[i].count]; e++)
            if (!atn_push(out, m->data[slot->space][e]))
                abort();
}

void slot_store(memory *m, const atn_slot *slot, const uint64_t *in)
{
    const atn_range *r = atn_sched_slot_ranges(m->s, slot);
    const int64_t *at = m->offset[slot->space];

    for (int i = 0; i < slot->n; i++)
        for (int64_t e = at[r[i].first]; e < at[r[i].first + r[i].count]; e++)
            m->data[slot->space][e] = *in++;
}

/* ---- results ---- */

static uint64_t fold(const call *c, int lo, int hi, int j, int64_t e)
{
    uint64_t x = input(c, lo, j, e);

    for (int r = lo + 1; r < hi; r++)
        x = combine(c, x, input(c, r, j, e));
    return x;
}

/* Element e of natural block j of the result. */
static uint64_t wanted_element(const call *c, const atn_problem *q, int j, int64_t e)
{
    const atn_operation_info *o = atn_sched_operation_get(q->op);

    if (q->op == ATN_SCAN)
        return fold(c, 0, q->r + 1, 0, e);
    if (q->op == ATN_EXSCAN)
        return q->r          ? fold(c, 0, q->r, 0, e)
               : q->in_place ? input(c, 0, 0, e)
                             : untouched(c, 0, ATN_DST, e);
    if (o->flags & ATN_TYPED)
        return fold(c, 0, c->p, o->result == ATN_SIDE_ONE ? q->r : 0, e);
    switch (o->source) {
    case ATN_SIDE_ONE: /* gather, allgather */
        return input(c, j, 0, e);
    case ATN_SIDE_ROW: /* alltoall */
        return input(c, j, q->r, e);
    case ATN_SIDE_VEC: /* scatter */
        return input(c, q->root, q->r, e);
    default: /* bcast */
        return input(c, q->root, 0, e);
    }
}

const char *result_fault(const memory *m, const call *c, const memory *first)
{
    const atn_problem *q = &m->s->q;
    const bool in_source = place_of(q) == ATN_PLACE_OWN_SRC;
    const int space = in_source ? ATN_SRC : ATN_DST, split = m->s->split;
    const int n = atn_sched_space_blocks(m->s, ATN_DST) / split;

    for (int j = 0; j < n; j++) {
        const int at = in_source ? q->r : j;
        const int64_t begin = m->offset[space][at * split],
                      end = m->offset[space][(at + 1) * split];
        for (int64_t e = begin; e < end; e++) {
            if (c->combine == MIX ? m->data[space][e] != first->data[ATN_DST][e]
                                  : m->data[space][e] != wanted_element(c, q, j, e - begin))
                return c->combine == MIX ? "results differ between ranks" : "a wrong result";
        }
    }
    return NULL;
}
