/* Recursive dividing: as the butterfly, with groups of `radix` ranks instead of pairs: each rank
 * takes one part of the message, receives the others' operands for it and combines them; then
 * groups of groups divide these parts; the same stages in reverse distribute the results.  Fewer
 * stages than halving, with several messages in flight at the same time.  A rank always combines
 * adjacent runs of ranks, so every operator is supported.  Ranks beyond a power of the radix take
 * part through a proxy (see core.h).
 *
 *   p = 9, radix = 3   0-1-2 3-4-5 6-7-8: thirds   0-3-6 1-4-7 2-5-8: ninths   and back */
#include "algo/algo.h"
#include "algo/core.h"

/* A stage: members of the group are `weight` apart; the group divides `count` parts. */
typedef struct {
    const atn_core *core;
    int radix, number, weight, digit;
    int first, each; /* digit d takes `each` parts from first + d * each on */
} stage;

static stage stage_of(const atn_core *core, int radix, int number, int weight)
{
    stage s = {core, radix, number, weight, number / weight % radix, 0, core->size};

    for (int w = 1; w <= weight; w *= radix) {
        s.each /= radix;
        s.first += w < weight ? number / w % radix * s.each : 0;
    }
    return s;
}

/* The exchange with the member `i` digits further on. */
static int member(const stage *s, int digit)
{
    return atn_algo_core_rank(s->core, s->number + (digit - s->digit) * s->weight);
}

static int part(const stage *s, int digit) { return s->first + digit * s->each; }

/* Parts of a value that begins with the group's first part. */
static atn_ref cut(const stage *s, atn_ref value, int digit)
{
    value.one = (atn_range){value.one.first + digit * s->each, s->each};
    return value;
}

static atn_ref combine(atn_builder *b, const stage *s, atn_ref value)
{
    const int own = part(s, s->digit);
    atn_ref operand[ATN_MAX_RADIX];

    for (int d = 0; d < s->radix; d++)
        operand[d] =
            d == s->digit ? cut(s, value, d) : atn_tmp_at(atn_tmp(b, own, s->each), 0, s->each);
    for (int i = 1; i < s->radix; i++, atn_round(b)) {
        const int to = (s->digit + i) % s->radix, from = atn_mod(s->digit - i, s->radix);
        atn_send(b, member(s, to), cut(s, value, to));
        atn_recv(b, member(s, from), operand[from]);
    }
    atn_fence(b);
    return atn_algo_fold_list(b, operand, s->radix, atn_dst(own, s->each));
}

static void spread(atn_builder *b, const stage *s)
{
    for (int i = 1; i < s->radix; i++, atn_round(b)) {
        const int to = (s->digit + i) % s->radix, from = atn_mod(s->digit - i, s->radix);
        atn_send(b, member(s, to), atn_dst(part(s, s->digit), s->each));
        atn_recv(b, member(s, from), atn_dst(part(s, from), s->each));
    }
}

static void work(atn_builder *b, const atn_problem *q, const atn_core *core, atn_fold *f,
                 const void *context)
{
    const int radix = *(const int *)context, number = atn_algo_core_number(core, q->r);
    atn_ref value = f->value;
    int weight = 1, share = 0;

    for (; weight < core->size; weight *= radix) {
        const stage s = stage_of(core, radix, number, weight);
        value = combine(b, &s, value);
        share = part(&s, s.digit);
    }
    atn_copy(b, value, atn_dst(share, 1));
    for (weight /= radix; weight > 0; weight /= radix) {
        const stage s = stage_of(core, radix, number, weight);
        spread(b, &s);
    }
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int radix = atn_max(2, atn_min((int)prm->v[0], q->p));
    int stages;
    const atn_core core = atn_algo_core_power(q->p, radix, &stages);

    atn_split(b, core.size);
    atn_algo_core_allreduce(b, q, &(atn_core_work){&core, 2 * (radix - 1) * stages, work, &radix},
                            core.size);
}

static const atn_param params[] = {
    {"radix", ATN_INT, 4, 2, ATN_MAX_RADIX, ATN_LOG2, "size of the groups that divide a part",
     NULL},
    {0},
};

const atn_algo atn_algo_allreduce_recursive_dividing = {
    .name = "recursive_dividing",
    .summary = "k-ary reduce-scatter and allgather in groups of `radix` ranks",
    .reference = "k-ary reduce-scatter and allgather, as in MPICH and UCC",
    .cost = "let(m, a + b * n, let(c, g * n, let(r, max(2, min(radix, p)),"
            " let(l, levels(p + 1, r) - 1, let(extras, ceil(p / r^l) - 1,"
            " 2 * l * (r - 1) * a + (2 * b + g) * n * (1 - 1 / r^l)"
            " + extras * (m + max(m, c)) + min(extras, 1) * min(m, c))))))",
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .params = params,
    .build = build,
};
