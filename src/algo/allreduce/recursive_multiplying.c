/* Recursive multiplying: groups of `radix` ranks, then groups of groups, exchange their partial
 * results and combine them from the highest rank to the lowest, so that all ranks get the same bits
 * and every operator is supported.  Fewer stages than recursive doubling, with several messages in
 * flight at the same time.  Ranks beyond a power of the radix take part through a proxy (see
 * core.h).
 *
 *   p = 9, radix = 3   0-1-2 3-4-5 6-7-8   0-3-6 1-4-7 2-5-8 */
#include "algo/algo.h"
#include "algo/core.h"

/* A stage: own digit, distance between members of the group, location of operands. */
typedef struct {
    int radix, digit, weight, number;
    int rooms; /* scratch for `radix` operands, one of which may hold the rank's own value */
    int held;  /* index of that operand; -1: the value lies elsewhere */
    atn_ref value;
} stage;

/* Operands of others follow the rank's own value in scratch. */
static int room_of(const stage *s, int digit)
{
    const int place = digit < s->digit ? digit : digit - 1;
    return digit == s->digit ? s->held : (s->held + 1 + place) % s->radix;
}

static atn_ref operand(const stage *s, int digit)
{
    return digit == s->digit ? s->value : atn_tmp_at(s->rooms, room_of(s, digit), 1);
}

static void exchange(atn_builder *b, const atn_core *core, const stage *s)
{
    for (int i = 1; i < s->radix; i++) {
        const int to = (s->digit + i) % s->radix, from = atn_mod(s->digit - i, s->radix);
        atn_send(b, atn_algo_core_rank(core, s->number + (to - s->digit) * s->weight), s->value);
        atn_recv(b, atn_algo_core_rank(core, s->number + (from - s->digit) * s->weight),
                 operand(s, from));
        atn_round(b);
    }
}

/* The sum replaces the highest operand; the rank's own operand in SRC is copied first. */
static void combine(atn_builder *b, stage *s)
{
    const int top = s->radix - 1, room = s->held < 0 && s->digit == top ? top : room_of(s, top);
    const atn_ref sum = atn_tmp_at(s->rooms, room, 1);

    atn_copy(b, operand(s, top), sum);
    for (int digit = top - 1; digit >= 0; digit--)
        atn_reduce(b, operand(s, digit), sum);
    s->value = sum;
    s->held = room;
}

static void work(atn_builder *b, const atn_problem *q, const atn_core *core, atn_fold *f,
                 const void *context)
{
    const int radix = *(const int *)context, number = atn_algo_core_number(core, q->r);
    stage s = {.radix = radix, .number = number, .held = -1, .value = f->value};

    if (core->size > 1)
        s.rooms = atn_tmp_like(b, 0, radix);
    for (s.weight = 1; s.weight < core->size; s.weight *= radix) {
        s.digit = number / s.weight % radix;
        exchange(b, core, &s);
        atn_fence(b);
        combine(b, &s);
    }
    atn_copy(b, s.value, atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int radix = atn_max(2, atn_min((int)prm->v[0], q->p));
    int stages;
    const atn_core core = atn_algo_core_power(q->p, radix, &stages);

    atn_algo_core_allreduce(b, q, &(atn_core_work){&core, stages * (radix - 1), work, &radix}, 1);
}

static const atn_param params[] = {
    {"radix", ATN_INT, 4, 2, ATN_MAX_RADIX, ATN_LOG2, "ranks that exchange in a stage", NULL},
    {0},
};

const atn_algo atn_algo_allreduce_recursive_multiplying = {
    .name = "recursive_multiplying",
    .summary = "recursive doubling generalised to groups of `radix` ranks",
    .reference =
        "Ruefenacht, Bull, Booth: Generalisation of recursive doubling for AllReduce, 2017",
    .cost = "let(m, a + b * n, let(c, g * n, let(r, max(2, min(radix, p)),"
            " let(l, levels(p + 1, r) - 1, let(extras, ceil(p / r^l) - 1,"
            " l * (r - 1) * (m + c) + extras * (m + max(m, c)) + min(extras, 1) * min(m, c))))))",
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .params = params,
    .build = build,
};
