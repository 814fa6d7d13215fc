/* test_conflict.c - conflicts between operations, against a tracker that looks at every block; and
 * bytes of ranges of blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/conflict.h"
#include "sched/partition.h"

enum { OPS = 40, BLOCKS = 200, RANGES = 3 };

typedef struct {
    int n, op[OPS * OPS], on[OPS * OPS];
} pairs;

static uint64_t seed;

static int below(int n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int)(seed >> 33) % n;
}

/* ---- random programs ---- */

/* One or several ranges, in order; blocks are those of an allgather's result. */
static void fill_slot(atn_schedule *s, atn_slot *slot)
{
    int at = below(BLOCKS / 2);

    *slot = (atn_slot){.space = ATN_DST, .at = s->nranges, .n = 1 + below(RANGES)};
    for (int i = 0; i < slot->n; i++) {
        const int room = (BLOCKS - at) / (slot->n - i), count = 1 + below(room / 2);
        s->ranges[s->nranges++] = (atn_range){at, count};
        at += count + below(room - count);
    }
    slot->one = s->ranges[slot->at];
}

static void fill_program(atn_schedule *s)
{
    s->nops = OPS;
    s->nranges = 0;
    for (int i = 0; i < OPS; i++) {
        s->ops[i] = (atn_op){.kind = below(2) ? ATN_OP_SEND : ATN_OP_RECV, .peer = 1};
        fill_slot(s, &s->ops[i].a);
    }
}

/* ---- both trackers ---- */

static bool is_listed(const pairs *p, int op, int on)
{
    for (int i = 0; i < p->n; i++)
        if (p->op[i] == op && p->on[i] == on)
            return true;
    return false;
}

/* In the order of their first report, which is the order of dependencies in schedules. */
static bool list(void *context, int op, int on)
{
    pairs *p = context;

    if (!is_listed(p, op, on)) {
        p->op[p->n] = op;
        p->on[p->n++] = on;
    }
    return true;
}

static bool begin(void *context, int op)
{
    (void)context;
    (void)op;
    return true;
}

typedef struct {
    int writer, n, readers[OPS]; /* the last reader last */
} history;

static void visit(history *h, const atn_op *o, int op, pairs *p)
{
    const bool writes = o->kind == ATN_OP_RECV;

    if (h->writer >= 0 && (!writes || h->n == 0))
        list(p, op, h->writer);
    for (int i = h->n - 1; writes && i >= 0; i--)
        list(p, op, h->readers[i]);
    if (writes) {
        h->writer = op;
        h->n = 0;
    } else {
        h->readers[h->n++] = op;
    }
}

static void visit_blocks(const atn_schedule *s, pairs *p)
{
    static history h[BLOCKS];

    for (int k = 0; k < BLOCKS; k++)
        h[k] = (history){.writer = -1};
    for (int i = 0; i < s->nops; i++) {
        const atn_range *r = atn_sched_slot_ranges(s, &s->ops[i].a);
        for (int j = 0; j < s->ops[i].a.n; j++)
            for (int k = r[j].first; k < r[j].first + r[j].count; k++)
                visit(&h[k], &s->ops[i], i, p);
    }
}

static void assert_same(const pairs *x, const pairs *y)
{
    assert_int_equal(x->n, y->n);
    for (int i = 0; i < x->n; i++) {
        assert_int_equal(x->op[i], y->op[i]);
        assert_int_equal(x->on[i], y->on[i]);
    }
}

static void runs_conflict_like_their_blocks(void **state)
{
    static atn_op ops[OPS];
    static atn_range ranges[OPS * RANGES];
    static pairs by_run, by_block;
    atn_schedule s = {
        .q = {.op = ATN_ALLGATHER, .p = BLOCKS}, .split = 1, .ops = ops, .ranges = ranges};
    int found = 0;

    (void)state;
    seed = 88172645463325252u;
    for (int i = 0; i < 300; i++) {
        fill_program(&s);
        by_run.n = by_block.n = 0;
        assert_true(atn_sched_conflicts(&s, begin, list, &by_run));
        visit_blocks(&s, &by_block);
        assert_same(&by_run, &by_block);
        found += by_run.n;
    }
    assert_true(found > 300 * OPS);
}

/* A buffer of many blocks that is used as a whole has one history. */
typedef struct {
    int calls;
} count;

static bool add(void *context, int op, int on)
{
    (void)op;
    (void)on;
    ((count *)context)->calls++;
    return true;
}

static void whole_buffers_are_compared_once(void **state)
{
    enum { MANY = 1 << 20 };
    atn_op ops[4];
    atn_schedule s = {.q = {.op = ATN_ALLGATHER, .p = MANY}, .split = 1, .nops = 4, .ops = ops};
    count c = {0};

    (void)state;
    for (int i = 0; i < 4; i++)
        ops[i] = (atn_op){.kind = i % 2 ? ATN_OP_SEND : ATN_OP_RECV,
                          .peer = 1,
                          .a = {.space = ATN_DST, .n = 1, .one = {0, MANY}}};
    assert_true(atn_sched_conflicts(&s, begin, add, &c));
    assert_int_equal(c.calls, 3);
}

/* Bytes of a range are those of its blocks, whether or not these are equally long. */
static void units_of_ranges(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 5, 24, 1000};
    int32_t shape[] = {3, 4, 5, 6, 7, 8};
    const atn_schedule s = {.tmp_shape = shape, .ntmp = 6};
    const atn_problem q = {.op = ATN_ALLGATHER, .p = 4};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int space = ATN_SRC; space <= ATN_TMP; space++) {
            const atn_partition t = atn_sched_partition_uniform(&q, 3, sizes[i]);
            const int last = space == ATN_SRC ? 3 : 6;
            for (int first = 0; first < last; first++) {
                const atn_slot all = {
                    .space = (uint8_t)space, .n = 1, .one = {first, last - first}};
                int64_t sum = 0;
                for (int k = first; k < last; k++) {
                    const int part = (space == ATN_TMP ? shape[k] : k) % 3;
                    sum += atn_sched_cut(sizes[i], part + 1, 3) - atn_sched_cut(sizes[i], part, 3);
                }
                assert_int_equal(atn_sched_slot_units(&t, &s, &all), sum);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_of_ranges),
        cmocka_unit_test(runs_conflict_like_their_blocks),
        cmocka_unit_test(whole_buffers_are_compared_once),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
