/* mutate.c - see mutate.h. */
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 160 };

/* A schedule whose operations can be moved: waits[i][j]: i depends on j. */
typedef struct {
    atn_schedule *s;
    uint64_t *random;
    int n;
    atn_op ops[MOST];
    bool waits[MOST][MOST];
} program;

static int below(program *x, int n)
{
    return n > 0 ? (int)(atn_random(x->random) % (unsigned)n) : 0;
}

/* ---- unpack, change, pack ---- */

static void unpack(program *x)
{
    x->n = x->s->nops;
    memcpy(x->ops, x->s->ops, sizeof *x->ops * (size_t)x->n);
    memset(x->waits, 0, sizeof x->waits);
    for (int i = 0; i < x->n; i++)
        for (int d = 0; d < x->ops[i].ndeps; d++)
            x->waits[i][x->s->deps[x->ops[i].dep + d]] = true;
}

static void pack(program *x)
{
    atn_schedule *s = x->s;

    free(s->ops);
    free(s->deps);
    s->ops = calloc((size_t)x->n + 1, sizeof *s->ops);
    s->deps = calloc((size_t)(x->n * x->n) + 1, sizeof *s->deps);
    s->nops = x->n;
    s->ndeps = 0;
    for (int i = 0; i < x->n; i++) {
        atn_op *o = &s->ops[i];
        *o = x->ops[i];
        o->dep = s->ndeps;
        o->nafter = 0;
        for (int j = 0; j < x->n; j++)
            if (x->waits[i][j])
                s->deps[s->ndeps++] = j;
        o->ndeps = s->ndeps - o->dep;
    }
}

/* Operation i moves to k; what it depends on, and what depends on it, stays the same. */
static void exchange(program *x, int i, int k)
{
    const atn_op o = x->ops[i];

    x->ops[i] = x->ops[k];
    x->ops[k] = o;
    for (int j = 0; j < x->n; j++) {
        const bool to = x->waits[i][j];
        x->waits[i][j] = x->waits[k][j];
        x->waits[k][j] = to;
    }
    for (int j = 0; j < x->n; j++) {
        const bool from = x->waits[j][i];
        x->waits[j][i] = x->waits[j][k];
        x->waits[j][k] = from;
    }
}

/* Makes room for an operation at the end, which depends on nothing. */
static int append(program *x, atn_op o)
{
    memset(x->waits[x->n], 0, sizeof x->waits[x->n]);
    for (int i = 0; i < MOST; i++)
        x->waits[i][x->n] = false;
    x->ops[x->n] = o;
    return x->n++;
}

/* ---- operations ---- */

static bool remove_op(program *x, int i)
{
    for (int j = 0; j < x->n; j++) /* what waited for it waits for what it waited for */
        for (int k = 0; x->waits[j][i] && k < x->n; k++)
            x->waits[j][k] = x->waits[j][k] || (x->waits[i][k] && k != i);
    for (; i < x->n - 1; i++)
        exchange(x, i, i + 1);
    x->n--;
    for (int j = 0; j < MOST; j++)
        x->waits[j][x->n] = x->waits[x->n][j] = false;
    return true;
}

static bool repeat_op(program *x, int i)
{
    const int k = append(x, x->ops[i]);

    for (int j = 0; j < k; j++)
        x->waits[k][j] = true;
    return true;
}

/* Two neighbours in the program that do not depend on each other change places. */
static bool swap_neighbours(program *x, int i)
{
    if (i + 1 >= x->n || x->waits[i + 1][i])
        return false;
    exchange(x, i, i + 1);
    return true;
}

static bool swap_any(program *x, int i)
{
    exchange(x, i, below(x, x->n));
    return true;
}

/* A result block is saved to new scratch and not used: harmless. */
static bool useless_copy(program *x, int i)
{
    atn_schedule *s = x->s;
    const int32_t shape = below(x, atn_sched_space_blocks(s, ATN_SHAPE));

    if (atn_sched_space_blocks(s, ATN_SRC) == 0 || s->split > 1 || atn_sched_is_padded(s->q.op))
        return false;
    s->tmp_shape = realloc(s->tmp_shape, sizeof *s->tmp_shape * (size_t)(s->ntmp + 1));
    s->tmp_shape[s->ntmp++] = shape;
    const int k = append(x, (atn_op){.kind = ATN_OP_COPY, .peer = -1});
    x->ops[k].a = (atn_slot){.space = ATN_SRC, .n = 1, .one = {0, 1}};
    x->ops[k].b = (atn_slot){.space = ATN_TMP, .n = 1, .one = {s->ntmp - 1, 1}};
    x->waits[k][i] = true;
    return true;
}

/* ---- one operation ---- */

static bool other_kind(program *x, int i)
{
    static const uint8_t becomes[ATN_OP_KINDS] = {
        [ATN_OP_SEND] = ATN_OP_RECV,        [ATN_OP_RECV] = ATN_OP_SEND,
        [ATN_OP_RECV_REDUCE] = ATN_OP_RECV, [ATN_OP_COPY] = ATN_OP_REDUCE,
        [ATN_OP_REDUCE] = ATN_OP_COPY,      [ATN_OP_EXPOSE] = ATN_OP_CLOSE,
        [ATN_OP_READ] = ATN_OP_READ_REDUCE, [ATN_OP_READ_REDUCE] = ATN_OP_READ,
        [ATN_OP_CLOSE] = ATN_OP_EXPOSE,
    };

    x->ops[i].kind = becomes[x->ops[i].kind];
    return true;
}

static bool other_peer(program *x, int i)
{
    if (x->ops[i].peer < 0)
        return false;
    x->ops[i].peer = below(x, x->s->q.p);
    return true;
}

static bool other_number(program *x, int i)
{
    x->ops[i].seq = atn_max(0, x->ops[i].seq + (below(x, 2) ? 1 : -1));
    return atn_sched_is_message(&x->ops[i]) || x->ops[i].kind >= ATN_OP_EXPOSE;
}

static bool synchronous(program *x, int i)
{
    if (x->ops[i].kind != ATN_OP_SEND)
        return false;
    x->ops[i].ssend = !x->ops[i].ssend;
    return true;
}

static bool swap_operands(program *x, int i)
{
    const atn_slot a = x->ops[i].a;

    if (x->ops[i].kind != ATN_OP_REDUCE)
        return false;
    x->ops[i].a = x->ops[i].b;
    x->ops[i].b = a;
    return true;
}

/* ---- one slot ---- */

static atn_slot *any_slot(program *x, int i)
{
    atn_slot *const all[] = {&x->ops[i].a, &x->ops[i].b, &x->ops[i].c};
    atn_slot *s = all[below(x, 3)];

    return s->n == 1 ? s : NULL;
}

static bool other_first(program *x, int i)
{
    atn_slot *s = any_slot(x, i);

    if (s)
        s->one.first += below(x, 2) ? 1 : -1;
    return s != NULL;
}

static bool other_count(program *x, int i)
{
    atn_slot *s = any_slot(x, i);

    if (s)
        s->one.count += below(x, 2) ? 1 : -1;
    return s != NULL;
}

static bool other_space(program *x, int i)
{
    atn_slot *s = any_slot(x, i);

    if (s)
        s->space = (uint8_t)below(x, ATN_SPACES);
    return s != NULL;
}

static bool no_blocks(program *x, int i)
{
    atn_slot *s = any_slot(x, i);

    if (s)
        s->n = 0;
    return s != NULL;
}

/* ---- dependencies ---- */

static bool lose_dependency(program *x, int i)
{
    for (int j = i, tries = 0; tries < i; j = below(x, i), tries++)
        if (x->waits[i][j]) {
            x->waits[i][j] = false;
            return true;
        }
    return false;
}

static bool more_dependencies(program *x, int i)
{
    x->waits[i][below(x, i)] = true;
    return i > 0;
}

static bool later_dependency(program *x, int i)
{
    const int later = i + 1 + below(x, x->n - i - 1);

    if (later >= x->n)
        return false;
    x->waits[i][later] = true;
    return true;
}

static const struct {
    const char *name;
    bool (*apply)(program *x, int i);
} changes[] = {
    {"removed operation", remove_op},
    {"repeated operation", repeat_op},
    {"neighbours exchanged", swap_neighbours},
    {"operations exchanged", swap_any},
    {"useless copy", useless_copy},
    {"other kind", other_kind},
    {"other peer", other_peer},
    {"other number", other_number},
    {"synchronous or not", synchronous},
    {"operands exchanged", swap_operands},
    {"other first block", other_first},
    {"other number of blocks", other_count},
    {"other space", other_space},
    {"no blocks", no_blocks},
    {"lost dependency", lose_dependency},
    {"further dependency", more_dependencies},
    {"dependency on a later operation", later_dependency},
};

const char *mutate(atn_schedule *s, uint64_t *random)
{
    program *x = calloc(1, sizeof *x);
    const char *name = NULL;

    x->s = s;
    x->random = random;
    if (s->nops > 0 && s->nops < MOST - 1) {
        unpack(x);
        const int change = below(x, (int)(sizeof changes / sizeof *changes));
        if (changes[change].apply(x, below(x, x->n))) {
            pack(x);
            name = changes[change].name;
        }
    }
    free(x);
    return name;
}
