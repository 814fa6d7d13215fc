/* test_sched.c - builder, dependencies, passes, partitions and verifier on algorithms written here,
 * so that a fault in the catalogue cannot hide one in sched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/builder.h"
#include "sched/partition.h"
#include "sched/verify.h"

enum { MAX_P = 16 };

/* ---- two algorithms ---- */

static void ring_allreduce(atn_builder *b, const atn_problem *q, const void *context)
{
    const int p = q->p, r = q->r, next = (r + 1) % p, prev = atn_mod(r - 1, p);

    (void)context;
    atn_split(b, p);
    const int tmp = atn_tmp(b, 0, p);
    atn_copy(b, atn_src(0, p), atn_dst(0, p));
    for (int s = 0; s < p - 1; s++) {
        const int out = atn_mod(r - s, p), in = atn_mod(r - s - 1, p);
        if (s > 0)
            atn_round(b);
        atn_send(b, next, atn_dst(out, 1));
        atn_recv(b, prev, atn_tmp_at(tmp, in, 1));
        atn_reduce(b, atn_tmp_at(tmp, in, 1), atn_dst(in, 1));
    }
    for (int s = 0; s < p - 1; s++) {
        atn_round(b);
        atn_send(b, next, atn_dst(atn_mod(r + 1 - s, p), 1));
        atn_recv(b, prev, atn_dst(atn_mod(r - s, p), 1));
    }
}

static void ring_allgather(atn_builder *b, const atn_problem *q, const void *context)
{
    const int p = q->p, r = q->r, next = (r + 1) % p, prev = atn_mod(r - 1, p);

    (void)context;
    atn_copy(b, atn_src(0, 1), atn_dst(r, 1));
    for (int s = 0; s < p - 1; s++) {
        if (s > 0)
            atn_round(b);
        atn_send(b, next, atn_dst(atn_mod(r - s, p), 1));
        atn_recv(b, prev, atn_dst(atn_mod(r - s - 1, p), 1));
    }
}

/* ---- building all ranks ---- */

typedef void (*emit_fn)(atn_builder *b, const atn_problem *q);

typedef struct {
    int p;
    atn_schedule *s[MAX_P];
} all_ranks;

static void build_all(all_ranks *a, atn_operation op, int p, bool in_place, emit_fn emit)
{
    a->p = p;
    for (int r = 0; r < p; r++) {
        const atn_problem q = {.op = op, .p = p, .r = r, .in_place = in_place, .segments = 1};
        atn_builder *b = atn_builder_new(&q);
        atn_error err = {0};
        emit(b, &q);
        if (atn_builder_finish(b, "test", &a->s[r], &err) != ATN_OK)
            fail_msg("%s", err.text);
    }
}

static void free_all(all_ranks *a)
{
    for (int r = 0; r < a->p; r++)
        atn_sched_schedule_free(a->s[r]);
}

static atn_status verdict(all_ranks *a, char text[480])
{
    atn_error err = {0};
    atn_verify_counts proof;
    const atn_status status = atn_sched_verify(a->s, a->p, &proof, &err);

    if (text)
        memcpy(text, err.text, 480);
    return status;
}

static void emit_plain(atn_builder *b, const atn_problem *q)
{
    (q->op == ATN_ALLREDUCE ? ring_allreduce : ring_allgather)(b, q, NULL);
}
static void emit_segmented(atn_builder *b, const atn_problem *q)
{
    atn_pass_segment(b, q, 3, q->op == ATN_ALLREDUCE ? ring_allreduce : ring_allgather, NULL);
}
static void emit_permuted(atn_builder *b, const atn_problem *q)
{
    int order[MAX_P];
    for (int i = 0; i < q->p; i++)
        order[i] = i % 2 ? i / 2 : q->p - 1 - i / 2;
    atn_pass_permute(b, q, order, q->op == ATN_ALLREDUCE ? ring_allreduce : ring_allgather, NULL);
}
static void emit_throttled(atn_builder *b, const atn_problem *q)
{
    emit_segmented(b, q);
    atn_pass_throttle(b, (atn_mark){0}, 2);
}
static void emit_pair_sync(atn_builder *b, const atn_problem *q)
{
    emit_plain(b, q);
    atn_pass_synchronise(b, (atn_mark){0}, ATN_SYNC_PAIR, 1);
}
static void emit_barriers(atn_builder *b, const atn_problem *q)
{
    emit_segmented(b, q);
    atn_pass_synchronise(b, (atn_mark){0}, ATN_SYNC_BARRIER, 2);
}

static void test_passes_keep_the_meaning(void **state)
{
    static const emit_fn emits[] = {emit_plain,     emit_segmented, emit_permuted,
                                    emit_throttled, emit_pair_sync, emit_barriers};
    static const atn_operation ops[] = {ATN_ALLREDUCE, ATN_ALLGATHER, ATN_ALLGATHERV};
    char text[480];

    (void)state;
    for (size_t e = 0; e < sizeof emits / sizeof *emits; e++)
        for (size_t o = 0; o < 3; o++)
            for (int p = 1; p <= 9; p++)
                for (int in_place = 0; in_place < 2; in_place++) {
                    all_ranks a;
                    build_all(&a, ops[o], p, in_place, emits[e]);
                    if (verdict(&a, text) != ATN_OK)
                        fail_msg("pass %zu operation %zu p %d: %s", e, o, p, text);
                    free_all(&a);
                }
}

/* ---- groups ---- */

/* The ring in segments: a part of a group consists of that part of each of its blocks. */
static void ring_in_segments(atn_builder *b, const atn_problem *q, const void *context)
{
    (void)context;
    atn_pass_segment(b, q, 2, ring_allgather, NULL);
}

/* Allgather by pairs of neighbours: first inside, then a ring of pairs, then back. */
static void emit_grouped(atn_builder *b, const atn_problem *q)
{
    const int pairs = (q->p + 1) / 2, mine = q->r / 2, count = atn_min(2, q->p - 2 * mine);
    const bool leads = q->r % 2 == 0;
    const atn_problem ring = {.op = ATN_ALLGATHERV, .p = pairs, .r = mine, .segments = 1};
    int leaders[MAX_P], first[MAX_P + 1];

    for (int i = 0; i <= pairs; i++)
        leaders[i] = first[i] = atn_min(2 * i, q->p);
    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    if (!leads) {
        atn_send(b, q->r - 1, atn_src(0, 1)); /* in one segment, while leaders split it in two */
        atn_recv(b, q->r - 1, atn_dst(0, q->p));
        return;
    }
    if (count == 2)
        atn_recv(b, q->r + 1, atn_dst(q->r + 1, 1));
    const int own[] = {2 * mine, 2 * mine + count};
    atn_embed_run(b, &(atn_embed){.q = &ring,
                                  .ranks = leaders,
                                  .src = {.at = atn_dst(0, 1), .each = 1, .first = own},
                                  .dst = {.at = atn_dst(0, 1), .each = 1, .first = first},
                                  .vec = {.each = 1, .first = first},
                                  .build = ring_in_segments});
    if (count == 2)
        atn_send(b, q->r + 1, atn_dst(0, q->p));
}

static void test_groups(void **state)
{
    static const atn_operation ops[] = {ATN_ALLGATHER, ATN_ALLGATHERV};
    char text[480];

    (void)state;
    for (int o = 0; o < 2; o++)
        for (int p = 1; p <= 9; p++) {
            all_ranks a;
            build_all(&a, ops[o], p, false, emit_grouped);
            if (verdict(&a, text) != ATN_OK)
                fail_msg("operation %d p %d: %s", o, p, text);
            free_all(&a);
        }
}

/* ---- scratch in a scope ---- */

static void embed_ring(atn_builder *b, const atn_problem *q)
{
    const atn_view all = {.at = atn_dst(0, 1), .each = 1};

    atn_embed_run(b, &(atn_embed){.q = q,
                                  .src = {.at = atn_src(0, 1), .each = 1},
                                  .dst = all,
                                  .vec = all,
                                  .build = ring_allreduce});
}
static void emit_twice(atn_builder *b, const atn_problem *q)
{
    embed_ring(b, q);
    atn_round(b);
    embed_ring(b, q);
}
static void emit_in_scope(atn_builder *b, const atn_problem *q)
{
    atn_scope_begin(b);
    emit_twice(b, q);
}

static void test_scratch_is_used_again(void **state)
{
    all_ranks plain, scope;

    (void)state;
    build_all(&plain, ATN_ALLREDUCE, 4, false, emit_twice);
    build_all(&scope, ATN_ALLREDUCE, 4, false, emit_in_scope);
    assert_int_equal(verdict(&plain, NULL), ATN_OK);
    assert_int_equal(verdict(&scope, NULL), ATN_OK);
    assert_int_equal(plain.s[0]->ntmp, 2 * scope.s[0]->ntmp);
    free_all(&plain);
    free_all(&scope);
}

/* ---- signals ---- */

static void star_down(atn_builder *b, const atn_problem *q, const void *context)
{
    (void)context;
    for (int i = 1; i < q->p; i++)
        if (q->r == 0)
            atn_send(b, i, atn_dst(0, 1));
        else if (q->r == i)
            atn_recv(b, 0, atn_dst(0, 1));
}
static void star_up(atn_builder *b, const atn_problem *q, const void *context)
{
    const int room = atn_tmp(b, 0, 1);

    (void)context;
    atn_copy(b, atn_src(0, 1), atn_dst(0, 1));
    for (int i = 1; i < q->p; i++)
        if (q->r == 0) {
            atn_recv(b, i, atn_tmp_at(room, 0, 1));
            atn_reduce(b, atn_tmp_at(room, 0, 1), atn_dst(0, 1));
        } else if (q->r == i) {
            atn_send(b, 0, atn_src(0, 1));
        }
}

/* An empty reduction and an empty broadcast are a barrier; the broadcast alone is not. */
static void signal_with(atn_builder *b, const atn_problem *q, atn_operation op, atn_build_fn build)
{
    atn_problem inner = *q;

    inner.op = op;
    atn_embed_run(b, &(atn_embed){.q = &inner, .signals = true, .build = build});
    atn_round(b);
}
static void emit_signals(atn_builder *b, const atn_problem *q)
{
    signal_with(b, q, ATN_REDUCE, star_up);
    signal_with(b, q, ATN_BCAST, star_down);
}
static void emit_half(atn_builder *b, const atn_problem *q)
{
    signal_with(b, q, ATN_BCAST, star_down);
}

static void test_signals(void **state)
{
    all_ranks a;

    (void)state;
    for (int p = 1; p <= 5; p++) {
        build_all(&a, ATN_BARRIER, p, false, emit_signals);
        assert_int_equal(verdict(&a, NULL), ATN_OK);
        free_all(&a);
    }
    build_all(&a, ATN_BARRIER, 3, false, emit_half);
    assert_int_equal(verdict(&a, NULL), ATN_FINDING);
    free_all(&a);
}

/* ---- pairs ---- */

/* A single message, then an exchange: together they would form steps that deadlock. */
static void emit_lone(atn_builder *b, const atn_problem *q)
{
    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    if (q->r % 2 == 0)
        atn_token_send(b, q->r + 1);
    else
        atn_token_recv(b, q->r - 1);
    for (int i = 1; i < q->p; i++) {
        atn_round(b);
        atn_send(b, (q->r + i) % q->p, atn_src(0, 1));
        atn_recv(b, atn_mod(q->r - i, q->p), atn_dst(atn_mod(q->r - i, q->p), 1));
    }
}
static void emit_paired(atn_builder *b, const atn_problem *q)
{
    emit_lone(b, q);
    atn_pass_pair(b);
}

static void test_pairs(void **state)
{
    all_ranks a;
    char text[480];

    (void)state;
    build_all(&a, ATN_ALLGATHER, 4, false, emit_paired);
    if (verdict(&a, text) != ATN_OK)
        fail_msg("%s", text);
    assert_int_equal(a.s[1]->ops[2].kind, ATN_OP_RECV);
    free_all(&a);
    build_all(&a, ATN_ALLGATHER, 4, false, emit_lone);
    assert_int_equal(a.s[1]->ops[2].kind, ATN_OP_SEND);
    free_all(&a);
}

/* ---- dependencies against all pairs ---- */

static bool touches(const atn_schedule *s, const atn_slot *slot, int space, int block)
{
    const atn_range *r = atn_sched_slot_ranges(s, slot);
    for (int i = 0; i < slot->n; i++)
        if (slot->space == space && block >= r[i].first && block < r[i].first + r[i].count)
            return true;
    return false;
}
static bool writes(const atn_schedule *s, const atn_op *o, int space, int block)
{
    const atn_slot *slot = o->kind == ATN_OP_RECV ? &o->a : &o->b;
    return o->kind != ATN_OP_SEND && touches(s, slot, space, block);
}
static bool uses(const atn_schedule *s, const atn_op *o, int space, int block)
{
    return touches(s, &o->a, space, block) ||
           (!atn_sched_is_message(o) && touches(s, &o->b, space, block));
}
static bool clash(const atn_schedule *s, const atn_op *x, const atn_op *y)
{
    for (int space = 0; space < ATN_SPACES; space++)
        for (int k = 0; k < atn_sched_space_blocks(s, (atn_space)space); k++)
            if ((writes(s, x, space, k) && uses(s, y, space, k)) ||
                (uses(s, x, space, k) && writes(s, y, space, k)))
                return true;
    return false;
}
static bool waits(const atn_schedule *s, int y, int x)
{
    for (int d = 0; d < s->ops[y].ndeps; d++) {
        const int on = s->deps[s->ops[y].dep + d];
        if (on == x || (on > x && waits(s, on, x)))
            return true;
    }
    return false;
}

static void test_every_conflict_is_ordered(void **state)
{
    static const emit_fn emits[] = {emit_plain, emit_segmented};

    (void)state;
    for (int e = 0; e < 2; e++)
        for (int in_place = 0; in_place < 2; in_place++) {
            all_ranks a;
            build_all(&a, ATN_ALLREDUCE, 4, in_place, emits[e]);
            for (int y = 0; y < a.s[1]->nops; y++)
                for (int x = 0; x < y; x++)
                    if (clash(a.s[1], &a.s[1]->ops[x], &a.s[1]->ops[y]))
                        assert_true(waits(a.s[1], y, x));
            free_all(&a);
        }
}

/* ---- faults that the verifier must detect ---- */

typedef void (*damage_fn)(all_ranks *a);

static int find_op(const atn_schedule *s, atn_op_kind kind, int nth)
{
    for (int i = 0; i < s->nops; i++)
        if (s->ops[i].kind == kind && nth-- == 0)
            return i;
    fail_msg("no such operation");
    return -1;
}
static void wrong_block(all_ranks *a)
{
    atn_op *o = &a->s[1]->ops[find_op(a->s[1], ATN_OP_SEND, 1)];
    o->a.one.first = (o->a.one.first + 1) % atn_sched_space_blocks(a->s[1], ATN_DST);
}
static void missing_receive(all_ranks *a)
{
    atn_schedule *s = a->s[2];
    const int i = find_op(s, ATN_OP_RECV, 0);
    memmove(&s->ops[i], &s->ops[i + 1], sizeof *s->ops * (size_t)(s->nops - i - 1));
    s->nops--;
}
static void lost_dependency(all_ranks *a)
{
    a->s[0]->ops[find_op(a->s[0], ATN_OP_REDUCE, 1)].ndeps = 0;
}
static void write_to_source(all_ranks *a)
{
    a->s[0]->ops[find_op(a->s[0], ATN_OP_RECV, 0)].a.space = ATN_SRC;
}
static void wrong_peer(all_ranks *a)
{
    atn_op *o = &a->s[3]->ops[find_op(a->s[3], ATN_OP_SEND, 0)];
    o->peer = (o->peer + 1) % a->p == 3 ? 0 : (o->peer + 1) % a->p;
}
static void outside(all_ranks *a)
{
    a->s[0]->ops[find_op(a->s[0], ATN_OP_RECV, 0)].a.one.first = 1000;
}

static void test_damage_is_found(void **state)
{
    static const damage_fn damages[] = {wrong_block,     missing_receive, lost_dependency,
                                        write_to_source, wrong_peer,      outside};
    (void)state;
    for (size_t d = 0; d < sizeof damages / sizeof *damages; d++) {
        all_ranks a;
        char text[480] = "";
        build_all(&a, ATN_ALLREDUCE, 5, false, emit_plain);
        damages[d](&a);
        if (verdict(&a, text) != ATN_FINDING)
            fail_msg("damage %zu was not found", d);
        assert_true(text[0] != '\0');
        free_all(&a);
    }
}

/* In rank order the ring is wrong: rank r combines r before r - 1. */
static void emit_ordered(atn_builder *b, const atn_problem *q) { ring_allreduce(b, q, NULL); }

static void test_order_of_operands(void **state)
{
    all_ranks a;
    char text[480];

    (void)state;
    build_all(&a, ATN_ALLREDUCE, 4, false, emit_ordered);
    assert_int_equal(verdict(&a, text), ATN_OK);
    for (int r = 0; r < a.p; r++)
        a.s[r]->q.ordered = true;
    assert_int_equal(verdict(&a, text), ATN_FINDING);
    assert_non_null(strstr(text, "order"));
    free_all(&a);
}

/* All ranks send first: works with buffering, not with synchronous sends. */
static void emit_two_sends(atn_builder *b, const atn_problem *q)
{
    const int other = 1 - q->r;
    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    atn_sync_send(b, other);
    atn_sync_send(b, other);
    atn_sync_recv(b, other);
    atn_sync_recv(b, other);
    atn_send(b, other, atn_src(0, 1));
    atn_recv(b, other, atn_dst(other, 1));
}

static void test_deadlock_is_found(void **state)
{
    all_ranks a;
    char text[480];

    (void)state;
    build_all(&a, ATN_ALLGATHER, 2, false, emit_two_sends);
    assert_int_equal(verdict(&a, text), ATN_FINDING);
    assert_non_null(strstr(text, "deadlock"));
    free_all(&a);
}

/* ---- builder errors ---- */

static void emit_nothing(atn_builder *b, const atn_problem *q)
{
    (void)b;
    (void)q;
}
static void refuse_outside(atn_builder *b) { atn_send(b, 1, atn_src(3, 9)); }
static void refuse_self(atn_builder *b) { atn_send(b, 0, atn_src(0, 1)); }
static void refuse_scratch(atn_builder *b) { atn_recv(b, 1, atn_tmp_at(7, 0, 1)); }
static void refuse_overlap(atn_builder *b)
{
    const int t = atn_tmp(b, 0, 1);
    atn_reduce(b, atn_tmp_at(t, 0, 1), atn_tmp_at(t, 0, 1));
}

static void test_builder_refuses(void **state)
{
    static void (*const bad[])(atn_builder *) = {refuse_outside, refuse_self, refuse_scratch,
                                                 refuse_overlap};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const atn_problem q = {.op = ATN_ALLREDUCE, .p = 2, .r = 0, .segments = 1};
        atn_builder *b = atn_builder_new(&q);
        atn_schedule *s = NULL;
        atn_error err = {0};
        bad[i](b);
        assert_int_equal(atn_builder_finish(b, "bad", &s, &err), ATN_USAGE);
        assert_null(s);
    }
    all_ranks a;
    build_all(&a, ATN_ALLGATHER, 2, false, emit_nothing);
    assert_int_equal(verdict(&a, NULL), ATN_FINDING);
    free_all(&a);
}

/* ---- chain, partition ---- */

static void test_chain(void **state)
{
    all_ranks a;

    (void)state;
    build_all(&a, ATN_ALLREDUCE, 4, false, emit_plain);
    assert_true(atn_sched_is_chain(a.s[0]));
    free_all(&a);
    build_all(&a, ATN_ALLREDUCE, 4, false, emit_segmented);
    assert_false(atn_sched_is_chain(a.s[0]));
    free_all(&a);
}

/* Between two ranks: every segment goes up, comes back and continues down. */
static void test_relay(void **state)
{
    (void)state;
    for (int segments = 1; segments < 4; segments++) {
        const atn_problem q = {.op = ATN_ALLREDUCE, .p = 3, .r = 1, .segments = segments};
        atn_builder *b = atn_builder_new(&q);
        atn_schedule *s = NULL;
        atn_split(b, segments);
        for (int k = 0; k < 2 * segments; k++) {
            atn_recv(b, k % 2 ? 0 : 2, atn_dst(k / 2, 1));
            atn_send(b, k % 2 ? 2 : 0, atn_dst(k / 2, 1));
        }
        assert_int_equal(atn_builder_finish(b, "relay", &s, NULL), ATN_OK);
        assert_true(atn_sched_is_chain(s) == (segments == 1));
        atn_sched_schedule_free(s);
    }
}

static void test_cut(void **state)
{
    (void)state;
    for (int64_t n = 0; n < 40; n++)
        for (int k = 1; k < 12; k++) {
            assert_int_equal(atn_sched_cut(n, 0, k), 0);
            assert_int_equal(atn_sched_cut(n, k, k), n);
            for (int i = 0; i < k; i++)
                for (int f = 1; f < 4; f++) /* a finer split has the same boundaries */
                    assert_int_equal(atn_sched_cut(n, i, k), atn_sched_cut(n, i * f, k * f));
        }
    assert_int_equal(atn_sched_cut(INT64_C(1) << 45, 1 << 20, 1 << 21), INT64_C(1) << 44);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes_keep_the_meaning),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_scratch_is_used_again),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_every_conflict_is_ordered),
        cmocka_unit_test(test_damage_is_found),
        cmocka_unit_test(test_order_of_operands),
        cmocka_unit_test(test_deadlock_is_found),
        cmocka_unit_test(test_builder_refuses),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_relay),
        cmocka_unit_test(test_cut),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
