/* conflict.c - tracks the last writer of each block and its readers since then.
 *
 * Blocks with the same history form a run, so an operation on a whole buffer costs as much as the
 * number of runs that it meets, not as the number of blocks: with p ranks a buffer has p blocks or
 * more. */
#include "sched/conflict.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int op, next;
} reader;

/* The runs of a space.  A run is known by its first block; the entries of other blocks are not set.
 * Bit i of level 0 is set if block i is the first of a run, bit i of the level above if word i of
 * the level below has a bit. */
enum { BITS = 64, LEVELS = 6 };

typedef struct {
    uint64_t *bits[LEVELS];
    int32_t *next, *writer, *readers; /* first block of the next run; readers: index into nodes */
} runs;

typedef struct {
    runs space[ATN_SPACES];
    void *memory; /* of their entries */
    ATN_VEC(reader) nodes;
    bool (*conflict)(void *context, int op, int on);
    void *context;
    bool ok;
} tracker;

/* ---- runs ---- */

static bool is_marked(const runs *x, int block)
{
    return x->bits[0][block / BITS] >> block % BITS & 1;
}

static void mark(runs *x, int first)
{
    for (int l = 0; l < LEVELS; l++, first /= BITS) {
        const bool known = x->bits[l][first / BITS] != 0; /* to the levels above */
        x->bits[l][first / BITS] |= UINT64_C(1) << first % BITS;
        if (known)
            return;
    }
}

static void unmark(runs *x, int first)
{
    for (int l = 0; l < LEVELS; l++, first /= BITS) {
        x->bits[l][first / BITS] &= ~(UINT64_C(1) << first % BITS);
        if (x->bits[l][first / BITS] != 0)
            return;
    }
}

/* The last bit of a level that is set, up to bit i; the first block always begins a run. */
static int last_marked(const runs *x, int level, int i)
{
    const uint64_t here = x->bits[level][i / BITS] & ~UINT64_C(0) >> (BITS - 1 - i % BITS);
    const int word = here ? i / BITS : last_marked(x, level + 1, i / BITS - 1);

    return word * BITS + BITS - 1 - __builtin_clzll(here ? here : x->bits[level][word]);
}

/* Lets a run begin with this block. */
static void cut(runs *x, int block)
{
    if (is_marked(x, block))
        return;
    const int of = last_marked(x, 0, block);
    x->writer[block] = x->writer[of];
    x->readers[block] = x->readers[of];
    x->next[block] = x->next[of];
    x->next[of] = block;
    mark(x, block);
}

static size_t words_for(int blocks)
{
    size_t n = (size_t)blocks, words = 0;

    for (int l = 0; l < LEVELS; l++)
        words += (n = n / BITS + 1);
    return words;
}

/* Takes its bits from `words` and its entries from `entries`. */
static void begin_runs(runs *x, int blocks, uint64_t *words, int32_t *entries)
{
    size_t n = (size_t)blocks;

    x->bits[0] = words;
    for (int l = 1; l < LEVELS; l++)
        x->bits[l] = x->bits[l - 1] + (n = n / BITS + 1);
    n = (size_t)blocks + 1;
    x->next = entries;
    x->writer = x->next + n;
    x->readers = x->writer + n;
    x->writer[0] = x->readers[0] = -1;
    x->next[0] = blocks;
    mark(x, 0);
}

/* One allocation serves all spaces, since many short programs are looked at. */
static bool begin_all(tracker *t, const atn_schedule *s)
{
    int blocks[ATN_SPACES];
    size_t words = 0, entries = 0;

    for (int i = 0; i < ATN_SPACES; i++) {
        blocks[i] = atn_sched_space_blocks(s, (atn_space)i);
        words += words_for(blocks[i]);
        entries += 3 * ((size_t)blocks[i] + 1);
    }
    uint64_t *word = malloc(words * sizeof *word + entries * sizeof(int32_t));
    t->memory = word;
    if (!word)
        return false;
    memset(word, 0, words * sizeof *word);
    int32_t *entry = (int32_t *)(word + words);
    for (int i = 0; i < ATN_SPACES; i++) {
        begin_runs(&t->space[i], blocks[i], word, entry);
        word += words_for(blocks[i]);
        entry += 3 * ((size_t)blocks[i] + 1);
    }
    return true;
}

/* ---- operations ---- */

static void report(tracker *t, int op, int on)
{
    if (on >= 0 && on != op)
        t->ok = t->ok && t->conflict(t->context, op, on);
}

static void read_run(tracker *t, runs *x, int first, int op)
{
    report(t, op, x->writer[first]);
    t->ok = t->ok && atn_push(&t->nodes, (reader){op, x->readers[first]});
    x->readers[first] = t->nodes.n - 1;
}

static void write_run(tracker *t, const runs *x, int first, int op)
{
    if (x->readers[first] < 0)
        report(t, op, x->writer[first]);
    for (int i = x->readers[first]; t->ok && i >= 0; i = t->nodes.v[i].next)
        report(t, op, t->nodes.v[i].op);
}

/* What was written by one operation is one run. */
static void join(runs *x, int lo, int hi, int op)
{
    for (int v = x->next[lo]; v < hi; v = x->next[v])
        unmark(x, v);
    x->next[lo] = hi;
    x->writer[lo] = op;
    x->readers[lo] = -1;
}

static void touch_range(tracker *t, runs *x, int lo, int hi, int op, bool write)
{
    cut(x, lo);
    cut(x, hi);
    for (int v = lo; t->ok && v < hi; v = x->next[v]) {
        if (write)
            write_run(t, x, v, op);
        else
            read_run(t, x, v, op);
    }
    if (write)
        join(x, lo, hi, op);
}

static void touch(tracker *t, const atn_schedule *s, const atn_slot *slot, int op, bool write)
{
    const atn_range *r = atn_sched_slot_ranges(s, slot);

    for (int i = 0; i < slot->n && t->ok; i++)
        if (r[i].count > 0)
            touch_range(t, &t->space[slot->space], r[i].first, r[i].first + r[i].count, op, write);
}

static void follow(tracker *t, const atn_schedule *s, int i)
{
    const atn_op *o = &s->ops[i];
    const atn_slot *source = atn_sched_source(o), *room = atn_sched_room(o);
    const atn_slot *written = atn_sched_written(o);

    if (source)
        touch(t, s, source, i, false);
    if (room)
        touch(t, s, room, i, true);
    if (atn_sched_reduces(o))
        touch(t, s, atn_sched_operand(o), i, false);
    if (written)
        touch(t, s, written, i, true);
}

bool atn_sched_conflicts(const atn_schedule *s, bool (*begin)(void *context, int op),
                         bool (*conflict)(void *context, int op, int on), void *context)
{
    tracker t = {.conflict = conflict, .context = context, .ok = true};

    t.ok = begin_all(&t, s);
    for (int i = 0; t.ok && i < s->nops; i++) {
        t.ok = begin(context, i);
        if (t.ok)
            follow(&t, s, i);
    }
    free(t.memory);
    atn_vec_free(&t.nodes);
    return t.ok;
}
