/* value.c - see value.h. */
#include "sched/value.h"

#include <stdlib.h>
#include <string.h>

bool atn_sched_values_init(atn_value_table *v, int p, bool ordered)
{
    *v = (atn_value_table){.p = p, .words = (p + 63) / 64, .ordered = ordered, .slots = 1 << 10};
    v->table = malloc(sizeof *v->table * (size_t)v->slots);
    if (v->table)
        memset(v->table, -1, sizeof *v->table * (size_t)v->slots);
    return v->table != NULL;
}

void atn_sched_values_free(atn_value_table *v)
{
    atn_vec_free(&v->values);
    atn_vec_free(&v->sets);
    free(v->table);
    v->table = NULL;
}

/* Leaves are keyed by (-2 - rank, block), combinations by (left, right). */
static unsigned slot_of(const atn_value_table *v, int left, int right)
{
    const uint64_t x =
        ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)(x >> 33) & (unsigned)(v->slots - 1);
}

static int find(const atn_value_table *v, int left, int right, unsigned *at_p)
{
    unsigned i = slot_of(v, left, right);

    while (v->table[i] >= 0) {
        const atn_value *x = &v->values.v[v->table[i]];
        if (x->left == left && x->right == right)
            break;
        i = (i + 1) & (unsigned)(v->slots - 1);
    }
    *at_p = i;
    return v->table[i];
}

static bool grow(atn_value_table *v)
{
    int *old = v->table;
    unsigned at;

    v->table = malloc(sizeof *v->table * (size_t)v->slots * 2);
    if (!v->table) {
        v->table = old;
        return false;
    }
    v->slots *= 2;
    memset(v->table, -1, sizeof *v->table * (size_t)v->slots);
    for (int i = 0; i < v->values.n; i++) {
        find(v, v->values.v[i].left, v->values.v[i].right, &at);
        v->table[at] = i;
    }
    free(old);
    return true;
}

/* Adds a value with an empty set. */
static int add(atn_value_table *v, atn_value x)
{
    unsigned at;

    if (v->values.n * 2 >= v->slots && !grow(v))
        return -1;
    x.set = v->sets.n;
    for (int w = 0; w < v->words; w++)
        if (!atn_push(&v->sets, 0))
            return -1;
    if (!atn_push(&v->values, x))
        return -1;
    find(v, x.left, x.right, &at);
    v->table[at] = v->values.n - 1;
    return v->values.n - 1;
}

int atn_sched_value_leaf(atn_value_table *v, int rank, int block, int size)
{
    unsigned at;
    int id = find(v, -2 - rank, block, &at);

    if (id >= 0)
        return id;
    id = add(v, (atn_value){.left = -2 - rank,
                            .right = block,
                            .block = block,
                            .size = size,
                            .lo = rank,
                            .hi = rank + 1});
    if (id >= 0)
        v->sets.v[v->values.v[id].set + rank / 64] |= UINT64_C(1) << rank % 64;
    return id;
}

static const char *forbids(const atn_value_table *v, const atn_value *a, const atn_value *b)
{
    if (a->block != b->block)
        return "combines two different blocks";
    if (v->ordered && a->hi != b->lo)
        return "combines operands out of rank order";
    for (int w = 0; w < v->words; w++)
        if (v->sets.v[a->set + w] & v->sets.v[b->set + w])
            return "combines a contribution twice";
    return NULL;
}

int atn_sched_value_combine(atn_value_table *v, int in, int inout, const char **why_p)
{
    const atn_value a = v->values.v[in], b = v->values.v[inout];
    const bool swap = !v->ordered && in > inout; /* commuted operands are the same expression */
    const int left = swap ? inout : in, right = swap ? in : inout;
    unsigned at;

    *why_p = forbids(v, &a, &b);
    if (*why_p)
        return -1;
    int id = find(v, left, right, &at);
    if (id >= 0)
        return id;
    id = add(v, (atn_value){.left = left,
                            .right = right,
                            .block = a.block,
                            .size = a.size,
                            .lo = atn_min(a.lo, b.lo),
                            .hi = atn_max(a.hi, b.hi)});
    if (id < 0)
        *why_p = "out of memory";
    for (int w = 0; id >= 0 && w < v->words; w++)
        v->sets.v[v->values.v[id].set + w] = v->sets.v[a.set + w] | v->sets.v[b.set + w];
    return id;
}

bool atn_sched_value_is(const atn_value_table *v, int value, int block, int lo, int hi)
{
    if (value < 0 || v->values.v[value].block != block)
        return false;
    for (int r = 0; r < v->p; r++) {
        const bool in = v->sets.v[v->values.v[value].set + r / 64] >> r % 64 & 1;
        if (in != (r >= lo && r < hi))
            return false;
    }
    return true;
}
