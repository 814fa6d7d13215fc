/* test_skeleton.c - communication skeletons: every message is received by its destination with its
 * size, without buffering and for any timing; messages as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "research/replay/messages.h"
#include "research/replay/replay.h"

/* ---- execution of skeletons with synchronous sends ---- */

typedef struct {
    int peer; /* the sender; of a receive: the expected sender */
    bool any; /* the receive has a wildcard */
    int comm, tag, bytes;
} half;

typedef ATN_VEC(half) halves;

typedef struct {
    atn_skeleton_run run;
    int at, open;           /* next call; unmatched halves of this rank */
    bool begun;             /* the call at `at` has been posted */
    halves sends, receives; /* to this rank, by it */
} actor;

typedef struct {
    actor *v;
    int p, in_sum;
    uint64_t seed;
} job;

static bool fits_to(const half *send, const half *receive)
{
    return send->comm == receive->comm && send->tag == receive->tag &&
           (receive->any || send->peer == receive->peer);
}

static void take_out(halves *list, int i)
{
    memmove(&list->v[i], &list->v[i + 1], (size_t)(--list->n - i) * sizeof *list->v);
}

static void match(job *j, const half *send, const half *receive, int to)
{
    assert_int_equal(send->peer, receive->peer);
    assert_int_equal(send->bytes, receive->bytes);
    j->v[send->peer].open--;
    j->v[to].open--;
}

static void post_send(job *j, int from, const atn_skeleton_call *c)
{
    const half s = {.peer = from, .comm = c->comm, .tag = c->tag, .bytes = c->bytes};
    actor *to = &j->v[c->partner];
    j->v[from].open++;
    for (int i = 0; i < to->receives.n; i++)
        if (fits_to(&s, &to->receives.v[i])) {
            match(j, &s, &to->receives.v[i], c->partner);
            take_out(&to->receives, i);
            return;
        }
    assert_true(atn_push(&to->sends, s));
}

static void post_receive(job *j, int rank, const atn_skeleton_call *c, int from)
{
    const half r = {.peer = from,
                    .any = c->partner == ATN_ANY_PARTNER,
                    .comm = c->comm,
                    .tag = c->tag,
                    .bytes = c->bytes};
    actor *me = &j->v[rank];
    me->open++;
    for (int i = 0; i < me->sends.n; i++)
        if (fits_to(&me->sends.v[i], &r)) {
            match(j, &me->sends.v[i], &r, rank);
            take_out(&me->sends, i);
            return;
        }
    assert_true(atn_push(&me->receives, r));
}

static void post(job *j, int rank, const atn_skeleton_call *c)
{
    const int from =
        c->kind == ATN_SKELETON_SHIFT || c->partner == ATN_ANY_PARTNER ? c->from : c->partner;
    if (c->kind == ATN_SKELETON_RECV || c->kind == ATN_SKELETON_IRECV ||
        c->kind == ATN_SKELETON_SHIFT)
        post_receive(j, rank, c, from);
    if (c->kind == ATN_SKELETON_SEND || c->kind == ATN_SKELETON_ISEND ||
        c->kind == ATN_SKELETON_SHIFT)
        post_send(j, rank, c);
    j->in_sum += c->kind == ATN_SKELETON_SUM;
}

/* A blocking call waits for all pending messages, a send only for sends. */
static bool step(job *j, int rank)
{
    actor *me = &j->v[rank];
    if (me->at == me->run.calls.n)
        return false;
    const atn_skeleton_call *c = &me->run.calls.v[me->at];
    const bool starts = c->kind == ATN_SKELETON_ISEND || c->kind == ATN_SKELETON_IRECV;
    if (!me->begun) {
        post(j, rank, c);
        me->begun = true;
        if (!starts)
            return true;
    }
    if (c->kind == ATN_SKELETON_SUM && j->in_sum % j->p != 0)
        return false;
    if (c->kind == ATN_SKELETON_SEND && me->open > me->receives.n)
        return false;
    if (!starts && c->kind != ATN_SKELETON_SUM && c->kind != ATN_SKELETON_SEND && me->open > 0)
        return false;
    me->at++;
    me->begun = false;
    return true;
}

static uint64_t draw(job *j)
{
    j->seed = j->seed * 6364136223846793005u + 1442695040888963407u;
    return j->seed >> 33;
}

/* Random interleaving of the ranks. */
static void execute(job *j)
{
    for (bool moves = true; moves;) {
        moves = false;
        const int first = (int)(draw(j) % (uint64_t)j->p);
        for (int i = 0; i < j->p; i++) {
            const int rank = (first + i) % j->p;
            for (int n = (int)(draw(j) % 8); n >= 0 && step(j, rank); n--)
                moves = true;
        }
    }
}

static void assert_completes(const atn_skeleton *s, int p, uint64_t seed)
{
    job j = {.p = p, .seed = seed};
    atn_error err = {0};
    j.v = calloc((size_t)p, sizeof *j.v);
    assert_non_null(j.v);
    for (int r = 0; r < p; r++)
        assert_int_equal(atn_skeleton_emit(s, p, r, 2, &j.v[r].run, &err), ATN_OK);
    execute(&j);
    for (int r = 0; r < p; r++) {
        actor *me = &j.v[r];
        if (me->at != me->run.calls.n)
            fail_msg("%s on %d: rank %d stops at call %d of %d", s->name, p, r, me->at,
                     me->run.calls.n);
        assert_int_equal(me->open + me->sends.n + me->receives.n, 0);
        atn_vec_free(&me->run.calls);
        atn_vec_free(&me->sends);
        atn_vec_free(&me->receives);
    }
    free(j.v);
}

static void every_message_arrives(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 4, 6, 8, 9, 12, 16, 25, 32, 36, 49, 64};
    for (int i = 0; i < atn_skeletons(); i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (uint64_t seed = 1; seed <= 3 && atn_skeleton_at(i)->fits(sizes[k]); seed++)
                assert_completes(atn_skeleton_at(i), sizes[k], seed);
}

static void limits(void **state)
{
    (void)state;
    for (int i = 0; i < atn_skeletons(); i++) {
        const atn_skeleton *s = atn_skeleton_at(i);
        for (int p = 4; p <= 64; p += p < 36 ? 1 : 28) {
            atn_skeleton_run run = {0};
            atn_error err = {0};
            const atn_status st = atn_skeleton_emit(s, p, p - 1, 1, &run, &err);
            assert_int_equal(st, s->fits(p) ? ATN_OK : ATN_USAGE);
            for (int k = 0; k < run.calls.n; k++) {
                const atn_skeleton_call *c = &run.calls.v[k];
                assert_in_range(c->site, 0, ATN_SKELETON_SITES - 1);
                assert_in_range(c->comm, 0, ATN_SKELETON_COMMS - 1);
                assert_in_range(c->buffer, 0, ATN_SKELETON_BUFFERS - 1);
                assert_in_range(c->bytes, 0, 1 << 24);
                assert_true(c->partner == ATN_ANY_PARTNER || (c->partner >= 0 && c->partner < p));
            }
            atn_vec_free(&run.calls);
        }
    }
}

/* ---- prediction ---- */

static atn_tally tally(const char *skeleton, int p, atn_direction side, const char *predictor)
{
    atn_messages m;
    atn_predictor_choice c;
    atn_error err = {0};
    atn_tally t = {0};
    const atn_replay_rules rules = {.ahead = 1, .ports = 1};
    assert_int_equal(atn_replay_messages_skeleton(atn_skeleton_find(skeleton), p, 0, &m, &err),
                     ATN_OK);
    assert_int_equal(atn_predict_predictor_find(predictor, &c, &err), ATN_OK);
    for (int r = 0; r < p; r++) {
        atn_stream s;
        atn_replay x;
        assert_int_equal(atn_replay_messages_stream(&m.ranks.v[r], side, false, &s, &err), ATN_OK);
        assert_int_equal(atn_replay_predict_replay(&c, &rules, &s, &x, NULL, &err), ATN_OK);
        atn_replay_tally_add(&t, &x);
        atn_vec_free(&s);
    }
    atn_replay_messages_free(&m);
    return t;
}

static double ratio(const char *skeleton, int p, const char *predictor)
{
    const atn_tally t = tally(skeleton, p, ATN_SENDS, predictor);
    return atn_replay_tally_mean(&t);
}

/* Published for the programs on 64 ranks, including the request that closes a cycle; the figures of
 * CG, LU and MG that differ are in docs/prediction.md. */
static void published_memory(void **state)
{
    (void)state;
    static const struct {
        const char *skeleton, *predictor;
        int entries;
    } rows[] = {
        {"bt", "single-cycle", 49},     {"bt", "better-cycle", 49},    {"bt", "tagging", 12},
        {"bt", "tag-cycle", 24},        {"bt", "tag-bettercycle", 24}, {"sp", "single-cycle2", 49},
        {"sp", "tag-bettercycle2", 24}, {"cg", "tagging", 10},         {"cg", "tag-cycle", 40},
        {"cg", "tag-bettercycle", 40},  {"mg", "single-cycle", 7},     {"mg", "better-cycle", 28},
        {"mg", "tagging", 12},          {"mg", "tag-cycle", 24},       {"lu", "tagging", 10},
        {"lu", "tag-cycle", 20},        {"lu", "tag-bettercycle", 20}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const atn_tally t = tally(rows[i].skeleton, 64, ATN_SENDS, rows[i].predictor);
        atn_predictor_choice c;
        atn_error err = {0};
        assert_int_equal(atn_predict_predictor_find(rows[i].predictor, &c, &err), ATN_OK);
        assert_int_equal(atn_replay_predict_entries(&c, &t.all, true), rows[i].entries);
    }
    const atn_tally t = tally("bt", 49, ATN_RECEIVES, "single-cycle");
    assert_int_equal(t.all.size.longest + 1, 43);
}

static void published_order(void **state)
{
    (void)state;
    /* cycles are detected where the program has one, not where neighbours coincide */
    assert_true(ratio("bt", 4, "single-cycle") < 0.1 && ratio("bt", 9, "single-cycle") > 0.95);
    assert_true(ratio("mg", 8, "single-cycle") < 0.1 && ratio("mg", 16, "single-cycle") > 0.9);
    assert_true(ratio("cg", 16, "single-cycle") > 0.9 && ratio("lu", 16, "single-cycle") > 0.9);
    assert_true(ratio("transpose", 16, "single-cycle") < 0.2);
    /* keeping cycles and using call sites improves hits, but one symbol per site does not suffice
     * where a loop visits partners */
    static const char *const all[] = {"bt", "cg", "lu", "mg", "qcd", "sp", "transpose"};
    for (int i = 0; i < 7; i++) {
        assert_true(ratio(all[i], 16, "better-cycle") >= ratio(all[i], 16, "single-cycle"));
        assert_true(ratio(all[i], 16, "tag-cycle2") >= ratio(all[i], 16, "tag-cycle"));
        assert_true(ratio(all[i], 16, "tag-cycle2") >= ratio(all[i], 16, "tagging"));
    }
    assert_true(ratio("bt", 16, "tagging") > 0.95 && ratio("lu", 16, "tagging") > 0.95);
    assert_true(ratio("mg", 16, "tagging") > 0.95 && ratio("cg", 16, "tagging") < 0.2);
    assert_true(ratio("transpose", 16, "tagging") < 0.1 && ratio("qcd", 16, "tagging") < 0.2);
    assert_true(ratio("transpose", 16, "tag-cycle") > 0.95 && ratio("cg", 16, "tag-cycle") > 0.95);
}

/* ---- messages as text ---- */

static atn_status parse(const char *text, atn_messages *m, atn_error *err)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    const atn_status st = atn_replay_messages_parse(copy, "f", m, err);
    free(copy);
    return st;
}

static void text_of_messages(void **state)
{
    (void)state;
    atn_messages m;
    atn_error err = {0};
    assert_int_equal(parse("op,rank,\"partner\",site,more\n"
                           "send,0,1,\"a.c:7, inlined\",x\nbarrier,0,,,\nirecv,1,any,b,\n\n"
                           "isend,0,1,\"a.c:7, inlined\",\nsend,0,null,b,\nsend,0,foreign,b,\r\n",
                           &m, &err),
                     ATN_OK);
    assert_int_equal(m.ranks.n, 2);
    assert_int_equal(m.ranks.v[0].n, 3);
    assert_int_equal(atn_replay_messages_wildcards(&m), 1);
    atn_stream s;
    assert_int_equal(atn_replay_messages_stream(&m.ranks.v[0], ATN_SENDS, false, &s, &err), ATN_OK);
    assert_int_equal(s.n, 3);
    assert_int_equal(s.v[1].symbol, 0);
    assert_int_equal(s.v[1].site, 0);
    assert_int_equal(s.v[2].symbol, 1);
    assert_int_equal(s.v[2].site, 1);
    atn_vec_free(&s);
    atn_replay_messages_free(&m);
}

/* Two contexts alternate at random, each with a cycle, at the same call site.  Only requests with a
 * hint are predictable. */
static void hints_in_text(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    atn_messages m;
    atn_error err = {0};
    atn_predictor_choice c;
    atn_replay r;
    uint64_t seed = 5;
    int turn[2] = {0, 0};
    FILE *f = open_memstream(&text, &bytes);
    assert_non_null(f);
    fputs("rank,op,partner,tag,site\n0,pre_send,,4,\n", f);
    for (int i = 0; i < 1000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int place = (int)(seed >> 63), at = turn[place]++;
        if (i >= 100)
            fprintf(f, "0,pre_recv,,%d,a.c:%d\n", place, i);
        fprintf(f, "0,recv,%d,7,a.c:7\n", place ? 4 + at % 3 : at % 2);
    }
    fclose(f);
    assert_int_equal(atn_replay_messages_parse(text, "f", &m, &err), ATN_OK);
    free(text);
    atn_stream s;
    assert_int_equal(atn_replay_messages_stream(&m.ranks.v[0], ATN_RECEIVES, false, &s, &err),
                     ATN_OK);
    assert_int_equal(s.n, 1000);
    assert_false(s.v[99].hinted);
    assert_true(s.v[100].hinted);
    const atn_replay_rules rules = {.ahead = 1, .ports = 1};
    assert_int_equal(atn_predict_predictor_find("tag-cycle", &c, &err), ATN_OK);
    assert_int_equal(atn_replay_predict_replay(&c, &rules, &s, &r, NULL, &err), ATN_OK);
    assert_in_range(r.hits, 890, 900);
    assert_int_equal(atn_predict_predictor_find("two-level-cycle", &c, &err), ATN_OK);
    assert_int_equal(atn_replay_predict_replay(&c, &rules, &s, &r, NULL, &err), ATN_OK);
    assert_true(r.hits >= 890);
    atn_vec_free(&s);
    atn_replay_messages_free(&m);
}

static void writing_inverts_parsing(void **state)
{
    (void)state;
    atn_messages m, again;
    atn_error err = {0};
    char *text = NULL;
    size_t bytes = 0;
    assert_int_equal(atn_replay_messages_skeleton(atn_skeleton_find("sp"), 9, 2, &m, &err), ATN_OK);
    FILE *f = open_memstream(&text, &bytes);
    assert_non_null(f);
    atn_replay_messages_write(f, &m);
    fclose(f);
    assert_int_equal(atn_replay_messages_parse(text, "f", &again, &err), ATN_OK);
    assert_int_equal(again.ranks.n, 9);
    for (int r = 0; r < 9; r++)
        for (atn_direction side = 0; side < ATN_DIRECTIONS; side++) {
            atn_stream x, y;
            assert_int_equal(atn_replay_messages_stream(&m.ranks.v[r], side, false, &x, &err),
                             ATN_OK);
            assert_int_equal(atn_replay_messages_stream(&again.ranks.v[r], side, false, &y, &err),
                             ATN_OK);
            assert_int_equal(x.n, y.n);
            for (int i = 0; i < x.n; i++)
                assert_true(x.v[i].symbol == y.v[i].symbol && x.v[i].site == y.v[i].site);
            atn_vec_free(&x);
            atn_vec_free(&y);
        }
    atn_replay_messages_free(&m);
    atn_replay_messages_free(&again);
    free(text);
}

static void communicators_and_ranks(void **state)
{
    (void)state;
    atn_messages m;
    atn_error err = {0};
    atn_stream s;
    assert_int_equal(parse("rank,op,partner,comm,depth\n0,send,1,world,0\n0,send,2,world,1\n"
                           "0,send,1,rows,\n",
                           &m, &err),
                     ATN_OK);
    assert_int_equal(atn_replay_messages_stream(&m.ranks.v[0], ATN_SENDS, false, &s, &err), ATN_OK);
    assert_int_equal(s.v[1].symbol, 1);
    atn_vec_free(&s);
    assert_int_equal(atn_replay_messages_stream(&m.ranks.v[0], ATN_SENDS, true, &s, &err), ATN_OK);
    assert_int_equal(s.v[1].symbol, 0);
    atn_vec_free(&s);
    atn_replay_messages_free(&m);
}

static void invalid_messages_are_rejected(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"", "f: no rank sends or receives"},
        {"rank,op\n", "f:1: missing column \"partner\""},
        {"rank,op,partner\n0,send\n", "f:2: 2 fields, but the heading has 3"},
        {"rank,op,partner\n\n-1,send,0\n", "f:3: invalid rank \"-1\""},
        {"rank,op,partner\n0,send,x\n", "f:2: invalid partner \"x\""},
        {"rank,op,partner\n0,send,99999999999999999999\n", "f:2: invalid partner \"9"},
        {"rank,op,partner\n0,barrier,\n", "f: no rank sends or receives"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        atn_messages m;
        atn_error err = {0};
        assert_int_equal(parse(bad[i][0], &m, &err), ATN_INPUT);
        if (strncmp(err.text, bad[i][1], strlen(bad[i][1])) != 0)
            fail_msg("message: %s", err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_arrives),
        cmocka_unit_test(limits),
        cmocka_unit_test(published_memory),
        cmocka_unit_test(published_order),
        cmocka_unit_test(text_of_messages),
        cmocka_unit_test(hints_in_text),
        cmocka_unit_test(writing_inverts_parsing),
        cmocka_unit_test(communicators_and_ranks),
        cmocka_unit_test(invalid_messages_are_rejected),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
