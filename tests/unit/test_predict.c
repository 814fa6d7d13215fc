/* test_predict.c - message predictors: published vectors, offer by offer, and invariants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "research/replay/replay.h"
#include "research/replay/sequence.h"

/* ---- helpers ---- */

static atn_sequence sequence(const char *words)
{
    atn_sequence s;
    atn_error err = {0};
    char *text = strdup(words);
    assert_non_null(text);
    assert_int_equal(atn_replay_sequence_parse(text, strlen(text), "test", &s, &err), ATN_OK);
    free(text);
    return s;
}

static atn_replay replay_by(const char *name, const atn_stream *stream, atn_replay_rules rules,
                            atn_symbols *offered)
{
    atn_predictor_choice c;
    atn_replay r;
    atn_error err = {0};
    assert_int_equal(atn_predict_predictor_find(name, &c, &err), ATN_OK);
    assert_int_equal(atn_replay_predict_replay(&c, &rules, stream, &r, offered, &err), ATN_OK);
    return r;
}

static atn_replay replay(const char *name, const atn_stream *stream)
{
    return replay_by(name, stream, (atn_replay_rules){.ahead = 1, .ports = 1}, NULL);
}

static int hits(const char *name, const char *words)
{
    atn_sequence s = sequence(words);
    const atn_replay r = replay(name, &s.stream);
    assert_int_equal(r.requests, s.stream.n);
    atn_replay_sequence_free(&s);
    return (int)r.hits;
}

/* The offers as text: "-" for none, "*" after a hit. */
static void assert_offers(const char *name, const char *words, const char *wanted)
{
    atn_sequence s = sequence(words);
    atn_symbols offered = {0};
    char printed[1024] = "";
    replay_by(name, &s.stream, (atn_replay_rules){.ahead = 1, .ports = 1}, &offered);
    for (int i = 0; i < offered.n; i++) {
        const int x = offered.v[i];
        const size_t used = strlen(printed);
        snprintf(printed + used, sizeof printed - used, "%s%s%s", i > 0 ? " " : "",
                 x == ATN_NO_SYMBOL ? "-" : atn_predict_numbered(&s.symbols, x),
                 x == s.stream.v[i].symbol ? "*" : "");
    }
    assert_string_equal(printed, wanted);
    atn_vec_free(&offered);
    atn_replay_sequence_free(&s);
}

static atn_replay_rules looking(int ahead, int ports)
{
    return (atn_replay_rules){.ahead = ahead, .ports = ports};
}

/* ---- published vectors ---- */

static const char sample[] = "1 3 5 6 1 3 5 6 7 7 1 3 5 6 1 7 7 1 3 2 1";
static const char tagged[] =
    "0:4 1:1 0:4 1:2 0:4 1:3 2:9 0:4 1:1 0:4 1:2 0:4 1:3 2:9 0:4 1:1 0:4 1:2";
static const char revised[] = "1 2 3 1 2 3 8 8 1 2 4 1 2 4 8 1 2 4 1";

static void sample_offers(void **state)
{
    (void)state;
    assert_offers("single-cycle", sample, "- - - - - 3* 5* 6* 1 - 7 - - - - 3 - 7 - - -");
    assert_offers("single-cycle2", sample, "- 1 3 5 6 3* 5* 6* 1 7* 7 1 3 5 6 3 7* 7 1 3 2");
    assert_offers("better-cycle", sample, "- - - - - 3* 5* 6* 1 - 7 3* 5* 6* 1* 3 7* 7 3* 5 -");
    assert_offers("better-cycle2", sample, "- 1 3 5 6 3* 5* 6* 1 7* 7 3* 5* 6* 1* 3 7* 7 3* 5 2");
}

static void sample_hits(void **state)
{
    (void)state;
    assert_int_equal(hits("single-cycle", sample), 3);
    assert_int_equal(hits("single-cycle2", sample), 5);
    assert_int_equal(hits("better-cycle", sample), 9);
    assert_int_equal(hits("better-cycle2", sample), 10);
}

static void sample_windows(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int hits[5];
    } rows[] = {{"lru", {2, 3, 4, 9, 15}},
                {"fifo", {2, 3, 3, 8, 14}},
                {"lfu", {2, 4, 5, 10, 15}},
                {"lfu-perfect", {2, 4, 4, 9, 15}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 1; k <= 5; k++) {
            char name[32];
            snprintf(name, sizeof name, "%s-%d", rows[i].name, k);
            assert_int_equal(hits(name, sample), rows[i].hits[k - 1]);
        }
}

static void tagged_offers(void **state)
{
    (void)state;
    static const char tag_cycle[] = "- - - - 4* - - 4* - 4* 2* 4* 3* - 4* 1* 4* 2*";
    static const char tag_cycle2[] = "- - 4* 1 4* 2 - 4* 3 4* 2* 4* 3* 9* 4* 1* 4* 2*";
    assert_offers("tagging", tagged, "- - 4* 1 4* 2 - 4* 3 4* 1 4* 2 9* 4* 3 4* 1");
    assert_offers("tag-cycle", tagged, tag_cycle);
    assert_offers("tag-cycle2", tagged, tag_cycle2);
    assert_offers("tag-bettercycle", tagged, tag_cycle);
    assert_offers("tag-bettercycle2", tagged, tag_cycle2);
    static const char *const untagged[] = {"single-cycle", "single-cycle2", "better-cycle",
                                           "better-cycle2"};
    for (int i = 0; i < 4; i++)
        assert_int_equal(hits(untagged[i], tagged), 7);
    assert_int_equal(hits("tagging", tagged), 8);
    assert_int_equal(hits("tag-cycle", tagged), 10);
    assert_int_equal(hits("tag-cycle2", tagged), 12);
}

static void revision(void **state)
{
    (void)state;
    assert_int_equal(hits("single-cycle", revised), 4);
    assert_int_equal(hits("single-cycle2", revised), 5);
    assert_int_equal(hits("better-cycle", revised), 5);
    assert_int_equal(hits("better-cycle2", revised), 6);
    assert_int_equal(hits("tagging", revised), 1);
}

/* ---- memory ---- */

static void sizes(void **state)
{
    (void)state;
    atn_sequence s = sequence(tagged);
    assert_int_equal(replay("single-cycle", &s.stream).size.longest, 7);
    const atn_replay tag = replay("tag-cycle", &s.stream);
    assert_int_equal(tag.size.sites, 3);
    assert_int_equal(tag.size.longest, 3);
    atn_replay_sequence_free(&s);
    s = sequence(sample);
    const atn_replay better = replay("better-cycle", &s.stream);
    assert_int_equal(better.size.heads, 2);
    assert_int_equal(better.base.longest, 4);
    assert_int_equal(better.size.peak, 4 + 1 + 3); /* both cycles, and the log of the revision */
    atn_replay_sequence_free(&s);
}

static void assert_entries(const char *name, const char *words, int plain, int closing)
{
    atn_sequence s = sequence(words);
    const atn_replay r = replay(name, &s.stream);
    atn_predictor_choice c;
    atn_error err = {0};
    assert_int_equal(atn_predict_predictor_find(name, &c, &err), ATN_OK);
    assert_int_equal(atn_replay_predict_entries(&c, &r, false), plain);
    assert_int_equal(atn_replay_predict_entries(&c, &r, true), closing);
    atn_replay_sequence_free(&s);
}

static void entries(void **state)
{
    (void)state;
    assert_entries("lru-3", sample, 3, 3);
    assert_entries("single-cycle", sample, 4, 5); /* (3.1) */
    assert_entries("single-cycle2", sample, 4, 5);
    assert_entries("better-cycle2", sample, 4 * 2, 5 * 2); /* (3.2) */
    assert_entries("all-cycle", sample, 4 * 2 * 2, 5 * 2 * 2);
    assert_entries("tagging", tagged, 3, 3);                  /* (3.3) */
    assert_entries("tag-cycle", tagged, 3 * 3, 3 * 4);        /* (3.4) */
    assert_entries("tag-bettercycle2", tagged, 3 * 3, 3 * 4); /* (3.5), one head per tag */
    assert_entries("two-level-tagging", tagged, 3 + 14, 3 + 16);
    assert_entries("single-cycle", "1 2 3", 0, 0);
}

/* ---- invariants ---- */

/* Requests with patterns and exceptions. */
static atn_stream noise(uint64_t seed, int n, int symbols, int sites)
{
    atn_stream s = {0};
    for (int i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int rare = (seed >> 33) % 7 == 0;
        const int x = rare ? (int)((seed >> 40) % (uint64_t)symbols) : i % symbols;
        assert_true(atn_push(&s, (atn_stream_request){.symbol = x, .site = (i + rare) % sites}));
    }
    return s;
}

static void assert_same_offers(const char *a, const char *b, const atn_stream *s)
{
    atn_symbols x = {0}, y = {0};
    replay_by(a, s, looking(1, 1), &x);
    replay_by(b, s, looking(1, 1), &y);
    assert_int_equal(x.n, y.n);
    assert_memory_equal(x.v, y.v, (size_t)x.n * sizeof *x.v);
    atn_vec_free(&x);
    atn_vec_free(&y);
}

static void one_cycle_per_head_is_better_cycle(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 40; seed++) {
        atn_stream s = noise((uint64_t)seed, 300, 2 + seed % 9, 1 + seed % 4);
        assert_same_offers("all-cycle-1", "better-cycle", &s);
        assert_same_offers("all-cycle2-1", "better-cycle2", &s);
        assert_same_offers("tag-allcycle-1", "tag-bettercycle", &s);
        assert_same_offers("tag-allcycle2-1", "tag-bettercycle2", &s);
        atn_vec_free(&s);
    }
}

static void one_site_equals_no_sites(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 20; seed++) {
        atn_stream s = noise((uint64_t)seed, 300, 2 + seed % 9, 1);
        assert_same_offers("tag-cycle", "single-cycle", &s);
        assert_same_offers("tag-cycle2", "single-cycle2", &s);
        assert_same_offers("tag-bettercycle", "better-cycle", &s);
        assert_same_offers("tag-bettercycle2", "better-cycle2", &s);
        assert_same_offers("tagging", "lru-1", &s);
        assert_same_offers("lru-1", "fifo-1", &s);
        assert_same_offers("lru-1", "lfu-1", &s);
        assert_same_offers("lru-1", "lfu-perfect-1", &s);
        atn_vec_free(&s);
    }
}

static void repeating_the_last_symbol_never_harms(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"single-cycle", "single-cycle2"},
                                           {"better-cycle", "better-cycle2"},
                                           {"all-cycle", "all-cycle2"},
                                           {"tag-cycle", "tag-cycle2"},
                                           {"tag-bettercycle", "tag-bettercycle2"},
                                           {"tag-allcycle", "tag-allcycle2"}};
    for (int seed = 1; seed <= 20; seed++) {
        atn_stream s = noise((uint64_t)seed, 400, 2 + seed % 9, 1 + seed % 5);
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
            assert_true(replay(pairs[i][0], &s).hits <= replay(pairs[i][1], &s).hits);
        atn_vec_free(&s);
    }
}

/* Two alternating cycles of one head: with one per head, each replaces the other. */
static void several_cycles_of_a_head(void **state)
{
    (void)state;
    static const char turns[] = "1 2 1 2 9 9 1 3 1 3 9 9 1 2 1 3 9 9 1 2 1 3 9 9 1 2 1 3";
    assert_true(hits("all-cycle", turns) > hits("better-cycle", turns));
    /* 1 2 is confirmed at its end, although 1 3 was used last; then 3 misses, but not 1. */
    assert_offers("all-cycle", "1 2 1 2 9 9 1 3 1 3 9 9 1 2 1 3 1",
                  "- - - 2* 1 - 9 2 - 3* 1 9* 9 3 1* 2 1*");
}

static void two_levels(void **state)
{
    (void)state;
    /* The last site is offered until the cycle of sites is complete. */
    assert_offers("two-level-tagging", "a:1 b:2 a:1 b:2 a:1 b:2", "- 1 2 2* 1* 2*");
    assert_offers("two-level-tagging", "a:1 b:2 a:1 b:3 a:1 b:3", "- 1 2 2 1* 3*");
    atn_sequence s = sequence(tagged);
    assert_true(replay("two-level-cycle2", &s.stream).hits <= replay("tag-cycle2", &s.stream).hits);
    atn_replay_sequence_free(&s);
}

static int64_t hits_hinted(const char *name, const char *words, const bool *hinted, int nhinted)
{
    atn_sequence s = sequence(words);
    atn_replay_rules rules = looking(1, 1);
    rules.hinted = hinted;
    rules.nhinted = nhinted;
    const atn_replay r = replay_by(name, &s.stream, rules, NULL);
    atn_replay_sequence_free(&s);
    return r.hits;
}

static void some_hints(void **state)
{
    (void)state;
    static const bool all[3] = {true, true, true}, none[3] = {false}, one[3] = {false, true, false};
    /* With all hints two-level equals the hinted predictor; without hints the latter has no
     * offers. */
    assert_int_equal(hits_hinted("two-level-cycle2", tagged, all, 3), hits("tag-cycle2", tagged));
    assert_int_equal(hits_hinted("two-level-cycle2", tagged, none, 3),
                     hits("two-level-cycle2", tagged));
    assert_int_equal(hits_hinted("tag-cycle2", tagged, none, 3), 0);
    assert_int_equal(hits_hinted("tag-cycle2", tagged, all, 0), 0);
    /* Site 1 of the published trace: hits at 2* 3* 1* 2*. */
    assert_int_equal(hits_hinted("tag-cycle2", tagged, one, 3), 4);
    assert_true(hits_hinted("two-level-cycle2", tagged, one, 3) >= 4);
}

/* ---- look-ahead ---- */

static int64_t hits_ahead(const char *name, const char *words, int ahead, int ports)
{
    atn_sequence s = sequence(words);
    const atn_replay r = replay_by(name, &s.stream, looking(ahead, ports), NULL);
    atn_replay_sequence_free(&s);
    return r.hits;
}

static void look_ahead(void **state)
{
    (void)state;
    static const char three[] = "1 2 3 1 2 3 1 2 3 1 2 3";
    /* Complete after the fourth request; from then on all distances have the same hits. */
    assert_int_equal(hits_ahead("single-cycle", three, 1, 1), 8);
    assert_int_equal(hits_ahead("single-cycle", three, 2, 1), 7);
    assert_int_equal(hits_ahead("single-cycle", three, 5, 1), 4);
    assert_int_equal(hits_ahead("single-cycle", three, 20, 1), 0);
    assert_int_equal(hits_ahead("lru-1", "1 1 2 2 1 1", 2, 1), 0);
    assert_int_equal(hits_ahead("lru-2", "1 2 1 2 1 2", 2, 1), 4);
    /* Hints also announce later sites; the cycle of each site advances with its requests. */
    assert_int_equal(hits_ahead("tag-cycle", "a:1 b:5 a:2 b:5 a:1 b:5 a:2 b:5 a:1 b:5", 3, 1), 3);
    assert_int_equal(hits_ahead("two-level-cycle", "a:1 b:5 a:2 b:5 a:1 b:5 a:2 b:5 a:1 b:5", 3, 1),
                     3);
}

static void several_ports(void **state)
{
    (void)state;
    /* 3 and 2 are swapped in the second pass: both are within two ports. */
    static const char swapped[] = "1 2 3 1 3 2 1 2 3";
    assert_true(hits_ahead("better-cycle", swapped, 1, 2) >
                hits_ahead("better-cycle", swapped, 1, 1));
    for (int seed = 1; seed <= 10; seed++) {
        atn_stream s = noise((uint64_t)seed, 200, 5, 3);
        for (int i = 0; i < atn_predict_predictor_rows(); i++) {
            const atn_predictor_row *row = atn_predict_predictor_row_at(i);
            const char *name = row->size == ATN_SIZE_NEEDED ? "lru-2" : row->name;
            const int64_t one = replay_by(name, &s, looking(1, 1), NULL).hits;
            assert_true(replay_by(name, &s, looking(1, 3), NULL).hits >= one);
        }
        atn_vec_free(&s);
    }
}

static void logs_are_bounded(void **state)
{
    (void)state;
    atn_sequence s = sequence("0 1 2 1 2 1 2 1 2 1 2 1 2");
    assert_int_equal(replay("single-cycle", &s.stream).hits, 0);
    atn_replay_rules rules = looking(1, 1);
    rules.rules.max_log = 3;
    const atn_replay r = replay_by("single-cycle", &s.stream, rules, NULL);
    assert_true(r.hits > 5);
    assert_int_equal(r.size.longest, 2);
    atn_replay_sequence_free(&s);
}

/* ---- names and text ---- */

static void names(void **state)
{
    (void)state;
    for (int i = 0; i < atn_predict_predictor_rows(); i++) {
        const atn_predictor_row *row = atn_predict_predictor_row_at(i);
        atn_predictor_choice c;
        atn_error err = {0};
        char name[48];
        assert_int_equal(atn_predict_predictor_find(row->name, &c, &err), ATN_OK);
        assert_ptr_equal(c.row, row);
        c.size = row->size == ATN_SIZE_NONE ? 0 : 7;
        assert_int_equal(atn_predict_predictor_find(atn_predict_predictor_name(&c, name), &c, &err),
                         ATN_OK);
        assert_ptr_equal(c.row, row);
        assert_int_equal(c.size, row->size == ATN_SIZE_NONE ? 0 : 7);
        if (row->base)
            assert_int_equal(atn_predict_predictor_find(row->base, &c, &err), ATN_OK);
    }
    static const char *const bad[] = {"",       "lru-",           "lru-0",     "lru-x", "lru-4x",
                                      "lru--4", "lru-4000000000", "tagging-2", "-3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        atn_predictor_choice c;
        atn_error err = {0};
        assert_int_equal(atn_predict_predictor_find(bad[i], &c, &err), ATN_USAGE);
    }
}

static void assert_rejected(const char *words, const char *why)
{
    atn_sequence s;
    atn_error err = {0};
    char *text = strdup(words);
    assert_non_null(text);
    assert_int_equal(atn_replay_sequence_parse(text, strlen(text), "f", &s, &err), ATN_INPUT);
    if (strncmp(err.text, why, strlen(why)) != 0)
        fail_msg("message: %s", err.text);
    free(text);
}

static void text_of_sequences(void **state)
{
    (void)state;
    atn_sequence s = sequence("x\ty # z\n\n  x\r\nlong-name");
    static const int wanted[] = {0, 1, 0, 2};
    assert_int_equal(s.stream.n, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(s.stream.v[i].symbol, wanted[i]);
    assert_string_equal(atn_predict_numbered(&s.symbols, 2), "long-name");
    assert_false(s.has_sites);
    atn_replay_sequence_free(&s);
}

static void invalid_sequences_are_rejected(void **state)
{
    (void)state;
    assert_rejected("", "f: contains no symbol");
    assert_rejected(" \n# 1 2\n", "f: contains no symbol");
    assert_rejected("1 2\n0:3", "f:2: \"0:3\" has a call site, others have none");
    assert_rejected("0:3\n\n7", "f:3: \"7\" has no call site, others have one");
    assert_rejected("0:", "f:1: \"0:\": nothing after the colon");
    assert_rejected(":4", "f:1: \":4\": nothing before the colon");
}

static void many_symbols_are_distinguished(void **state)
{
    (void)state;
    atn_numbers t = {0};
    char key[16];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 5000; i++) {
            snprintf(key, sizeof key, "%d", i);
            assert_int_equal(atn_predict_number_of(&t, key, strlen(key)), i);
            assert_string_equal(atn_predict_numbered(&t, i), key);
        }
    atn_predict_numbers_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample_offers),
        cmocka_unit_test(sample_hits),
        cmocka_unit_test(sample_windows),
        cmocka_unit_test(tagged_offers),
        cmocka_unit_test(revision),
        cmocka_unit_test(sizes),
        cmocka_unit_test(entries),
        cmocka_unit_test(one_cycle_per_head_is_better_cycle),
        cmocka_unit_test(one_site_equals_no_sites),
        cmocka_unit_test(repeating_the_last_symbol_never_harms),
        cmocka_unit_test(several_cycles_of_a_head),
        cmocka_unit_test(two_levels),
        cmocka_unit_test(some_hints),
        cmocka_unit_test(look_ahead),
        cmocka_unit_test(several_ports),
        cmocka_unit_test(logs_are_bounded),
        cmocka_unit_test(names),
        cmocka_unit_test(text_of_sequences),
        cmocka_unit_test(invalid_sequences_are_rejected),
        cmocka_unit_test(many_symbols_are_distinguished),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
