/* test_trace.c - traces written, read back, damaged and mixed. */
#include "trace/handles.h"

#include "traces.h"

/* ---- round trips ---- */

static void test_round_trip(void **state)
{
    (void)state;
    whole_rank(1, 0, 2, 3);
    whole_rank(1, 1, 2, 20000);
    atn_trace *const t = read_ok(ATN_TRACE_WHOLE);
    assert_int_equal(t->p, 2);
    assert_int_equal(t->problems.n, 0);
    assert_int_equal(t->comms.n, 1);
    assert_int_equal(t->comms.v[0].ranks[1], 1);
    assert_int_equal(t->ranks[0].events.n, 3);
    assert_int_equal(t->ranks[1].events.n, 20000);
    assert_true(t->ranks[1].finished);
    for (int i = 0; i < 20000; i++) {
        const atn_trace_event *const e = &t->ranks[1].events.v[i];
        assert_int_equal(e->enter, 1000 * i);
        assert_int_equal(e->exit, 1000 * i + 100);
        assert_int_equal(e->partner, i % 3);
        assert_int_equal(e->bytes, 32);
        assert_int_equal(e->buffer, 0xffff1234);
        assert_int_equal(e->tag, 9);
    }
    char name[64];
    assert_string_equal(atn_trace_site_name(t, 0, name, sizeof name), "app+0x1234");
    assert_string_equal(atn_trace_comm_name(t, 0, name, sizeof name), "MPI_COMM_WORLD");
    atn_trace_free(t);
    assert_true(size_of("t/rank-00001.trace") < 20000 * 6); /* small because calls repeat */
}

/* More different calls than the dictionary of a block, and numbers of any size. */
static void test_signatures(void **state)
{
    (void)state;
    atn_trace_writer *const w = writer_of(1, 0, 1);
    for (int i = 0; i < 5000; i++) {
        atn_trace_what what = send_to(0);
        what.buffer = UINT64_MAX - (uint64_t)(i % 1000);
        what.bytes = INT64_MAX - i;
        what.tag = INT32_MIN + i;
        atn_trace_put(w, &what, begin + i, begin + i, 0);
    }
    assert_true(atn_trace_close(w));
    atn_trace *const t = read_ok(ATN_TRACE_WHOLE);
    assert_int_equal(t->ranks[0].events.n, 5000);
    for (int i = 0; i < 5000; i++) {
        const atn_trace_event *const e = &t->ranks[0].events.v[i];
        assert_true(e->buffer == UINT64_MAX - (uint64_t)(i % 1000));
        assert_true(e->bytes == INT64_MAX - i);
        assert_int_equal(e->tag, INT32_MIN + i);
    }
    atn_trace_free(t);
}

/* Requests: made in one block, done in another. */
static void test_requests(void **state)
{
    (void)state;
    atn_trace_writer *const w = writer_of(1, 0, 1);
    atn_trace_what start = send_to(0), wait = {.op = ATN_TRACE_WAITALL, .partner = -1, .tag = -1},
                   done = {.op = ATN_TRACE_DONE, .partner = 3, .tag = -1};
    start.op = ATN_TRACE_ISEND;
    atn_trace_put(w, &start, begin, begin + 1, 0);
    assert_int_equal(atn_trace_last_request(w), 1);
    atn_trace_put(w, &start, begin + 5, begin + 6, 0);
    atn_trace_flush(w);
    atn_trace_put(w, &start, begin + 10, begin + 11, 0);
    atn_trace_put(w, &wait, begin + 20, begin + 40, 0);
    atn_trace_put(w, &done, 0, 0, 1);
    atn_trace_put(w, &done, 0, 0, 3);
    atn_trace_write_times(w, (const int64_t[]){8, 1024}, (const int64_t[]){500, 900}, 2);
    assert_true(atn_trace_close(w));
    atn_trace *const t = read_ok(ATN_TRACE_WHOLE);
    const atn_trace_event *const e = t->ranks[0].events.v;
    assert_int_equal(t->ranks[0].events.n, 6);
    assert_int_equal(e[1].request, 2);
    assert_int_equal(e[2].request, 3);
    assert_int_equal(e[4].request, 1);
    assert_int_equal(e[5].request, 3);
    assert_int_equal(e[5].enter, 20);
    assert_int_equal(e[5].exit, 40);
    assert_true(atn_trace_is_part(&e[5]) && !atn_trace_is_part(&e[3]));
    assert_int_equal(t->ranks[0].times.n, 2);
    assert_int_equal(t->ranks[0].times.v[1].bytes, 1024);
    assert_int_equal(t->ranks[0].times.v[1].ns, 900);
    atn_trace_free(t);
}

/* ---- clocks ---- */

static void put_call(atn_trace_writer *w, atn_trace_op op, int at)
{
    atn_trace_what call = send_to(ATN_TRACE_NO_RANK);
    call.op = (uint8_t)op;
    call.tag = ATN_TRACE_NO_TAG;
    atn_trace_put(w, &call, begin + at, begin + at + 5, 0);
}

static int64_t first_size(const atn_trace *t, int i)
{
    const atn_trace_rank *const rank = &t->ranks[0];
    const int row = rank->events.v[i].row;
    return row >= 0 ? rank->rows.v[row].bytes[0] : -1;
}

/* A row holds for its operation until the next one, whatever is written in between. */
static void test_rows(void **state)
{
    (void)state;
    const int64_t rows[][2] = {{1, INT64_MAX}, {2, 0}, {3, 3}};
    const int64_t expected[] = {-1, 1, -1, 1, 2, 3, 2, -1};
    atn_trace_writer *const w = writer_of(1, 0, 1);
    put_call(w, ATN_TRACE_ALLTOALLV, 0);
    atn_trace_write_row(w, begin + 10, ATN_TRACE_ALLTOALLV, 0, rows[0], 2);
    put_call(w, ATN_TRACE_ALLTOALLV, 10);
    put_call(w, ATN_TRACE_BCAST, 20);
    put_call(w, ATN_TRACE_ALLTOALLV, 30);
    atn_trace_flush(w);
    atn_trace_write_row(w, begin + 40, ATN_TRACE_ALLTOALLV, 0, rows[1], 2);
    put_call(w, ATN_TRACE_ALLTOALLV, 40);
    atn_trace_write_row(w, begin + 50, ATN_TRACE_ALLGATHERV, 0, rows[2], 2);
    put_call(w, ATN_TRACE_ALLGATHERV, 50);
    put_call(w, ATN_TRACE_ALLTOALLV, 60);
    atn_trace_write_row(w, begin + 70, ATN_TRACE_ALLTOALLV, 0, NULL, 0);
    put_call(w, ATN_TRACE_ALLTOALLV, 70);
    assert_true(atn_trace_close(w));
    atn_trace *const t = read_ok(ATN_TRACE_WHOLE);
    assert_int_equal(t->ranks[0].events.n, 8);
    for (int i = 0; i < 8; i++)
        assert_int_equal(first_size(t, i), expected[i]);
    assert_true(t->ranks[0].rows.v[0].bytes[1] == INT64_MAX);
    atn_trace_free(t);
}

static void test_clocks(void **state)
{
    (void)state;
    const atn_trace_sync syncs[] = {{1000000, 500, 10}, {2000000, 700, 10}};
    assert_int_equal(atn_trace_common_time(syncs, 0, 42), 42);
    assert_int_equal(atn_trace_common_time(syncs, 1, 42), 542);
    assert_int_equal(atn_trace_common_time(syncs, 2, 1500000), 1500600);
    assert_int_equal(atn_trace_common_time(syncs, 2, 3000000), 3000900);
    assert_false(atn_trace_clock_jumped(syncs, 2));
    const atn_trace_sync jump[] = {{1000000, 500, 10}, {2000000, 5700, 10}};
    assert_true(atn_trace_clock_jumped(jump, 2));
}

static void test_two_clocks(void **state)
{
    (void)state;
    whole_rank(1, 0, 2, 3);
    atn_trace_writer *const w = writer_of(1, 1, 2);
    atn_trace_write_sync(w, 100, begin - 100, 50);
    put_sends(w, 2, 100);
    atn_trace_write_sync(w, 100 + 1000000, begin - 100 + 500, 50);
    assert_true(atn_trace_close(w));
    atn_trace *const t = read_ok(ATN_TRACE_WHOLE);
    assert_int_equal(t->ranks[1].events.v[0].enter, 0);
    assert_int_equal(t->ranks[1].events.v[1].enter, 1001); /* 500 in a million faster */
    atn_trace_free(t);
}

/* ---- invalid input ---- */

static void test_killed(void **state)
{
    (void)state;
    whole_rank(1, 0, 2, 3);
    atn_trace_writer *const w = writer_of(1, 1, 2);
    put_sends(w, 10, begin);
    atn_trace_flush(w); /* then the process ends */
    atn_trace *const t = read_bad("t/rank-00001.trace: ends before MPI_Finalize");
    assert_int_equal(t->ranks[1].events.n, 10);
    atn_trace_free(t);
    atn_trace_close(w);
}

/* Truncated at every length: never a crash, and never a spurious event. */
static void test_truncated(void **state)
{
    (void)state;
    whole_rank(1, 0, 1, 300);
    const long whole = size_of("t/rank-00000.trace");
    for (long n = whole - 1; n >= 0; n -= 7) {
        atn_error err = {0};
        atn_trace *t = NULL;
        assert_int_equal(truncate("t/rank-00000.trace", n), 0);
        assert_int_equal(atn_trace_read("t", ATN_TRACE_WHOLE, &t, &err), ATN_INPUT);
        assert_non_null(strstr(err.text, "t/rank-00000.trace"));
        if (atn_trace_read("t", ATN_TRACE_PARTIAL, &t, NULL) != ATN_OK)
            continue;
        assert_true(t->ranks[0].events.n == 0 || t->ranks[0].events.n == 300);
        atn_trace_free(t);
    }
}

static void test_damaged(void **state)
{
    (void)state;
    whole_rank(1, 0, 1, 20000);
    FILE *const f = fopen("t/rank-00000.trace", "r+");
    fseek(f, 50000, SEEK_SET);
    fputs("here was something else", f);
    fclose(f);
    atn_trace *const t = read_bad("1 blocks are damaged");
    const int n = t->ranks[0].events.n;
    assert_true(n > 5000 && n < 20000);
    assert_int_equal(t->ranks[0].events.v[n - 1].enter, 1000 * 19999);
    atn_trace_free(t);
}

static void test_mixed_jobs(void **state)
{
    (void)state;
    whole_rank(1, 0, 3, 3);
    whole_rank(1, 1, 3, 3);
    whole_rank(2, 2, 3, 3);
    atn_error err = {0};
    atn_trace *t = NULL;
    assert_int_equal(atn_trace_read("t", ATN_TRACE_WHOLE, &t, &err), ATN_INPUT);
    assert_non_null(strstr(err.text, "t/rank-00002.trace: was recorded by another job"));
    t = read_ok(ATN_TRACE_PARTIAL);
    assert_int_equal(t->problems.n, 2); /* also because the rank is missing */
    assert_true(t->ranks[1].present && !t->ranks[2].present);
    atn_trace_free(t);
}

static void test_missing_rank(void **state)
{
    (void)state;
    whole_rank(1, 0, 3, 3);
    whole_rank(1, 2, 3, 3);
    atn_trace *const t = read_bad("t/rank-00001.trace: rank 1 of 3 is missing");
    assert_int_equal(t->ranks[2].events.n, 3);
    atn_trace_free(t);
}

static void test_clock_back(void **state)
{
    (void)state;
    atn_trace_writer *const w = writer_of(1, 0, 1);
    put_sends(w, 5, begin);
    put_sends(w, 5, begin - 1000000);
    assert_true(atn_trace_close(w));
    atn_trace *const t = read_bad("clock jump: event 5");
    assert_int_equal(t->ranks[0].events.n, 5);
    atn_trace_free(t);
}

/* Some hundred nanoseconds back are clock jitter, not a jump. */
static void test_clock_inexact(void **state)
{
    (void)state;
    const atn_trace_what what = send_to(0);
    atn_trace_writer *const w = writer_of(1, 0, 1);
    atn_trace_put(w, &what, begin, begin + 1000, 0);
    atn_trace_put(w, &what, begin + 900, begin + 1500, 0);  /* begins too early */
    atn_trace_put(w, &what, begin + 1200, begin + 1300, 0); /* is too early */
    atn_trace_put(w, &what, begin + 1600, begin + 1700, 0);
    assert_true(atn_trace_close(w));
    atn_trace *const t = read_ok(ATN_TRACE_WHOLE);
    static const int64_t times[][2] = {{0, 1000}, {1000, 1500}, {1500, 1500}, {1600, 1700}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(t->ranks[0].events.v[i].enter, times[i][0]);
        assert_int_equal(t->ranks[0].events.v[i].exit, times[i][1]);
    }
    atn_trace_free(t);
}

/* The fast path writes the same, and leaves other calls to the slow path. */
static void test_repeats(void **state)
{
    (void)state;
    const atn_trace_what what = send_to(1), start = {.op = ATN_TRACE_ISEND, .partner = 2};
    atn_trace_writer *const w = writer_of(1, 0, 1);
    atn_trace_cursor *const h = atn_trace_cursor_of(w);
    assert_false(atn_trace_repeat(h, 1, false, begin, begin + 10)); /* no block has begun */
    assert_int_equal(atn_trace_put(w, &what, begin, begin + 10, 0), 1);
    assert_int_equal(atn_trace_put(w, &start, begin + 20, begin + 30, 0), 2);
    assert_int_equal(atn_trace_put(w, &what, begin + 40, begin + 50, 0), 1);
    assert_false(atn_trace_repeat(h, 1, false, begin + 45, begin + 60)); /* overlaps */
    assert_true(atn_trace_repeat(h, 2, true, begin + 50, begin + 60));
    assert_int_equal(atn_trace_last_request(w), 2);
    assert_false(atn_trace_repeat(h, 1, false, begin + 2000000000, begin + 2000000001));
    assert_true(atn_trace_close(w));
    atn_trace *const t = read_ok(ATN_TRACE_WHOLE);
    assert_int_equal(t->ranks[0].events.n, 4);
    assert_int_equal(t->ranks[0].events.v[3].enter, 50);
    assert_int_equal(t->ranks[0].events.v[3].exit, 60);
    assert_int_equal(t->ranks[0].events.v[3].partner, 2);
    atn_trace_free(t);
}

/* Blocks end where they must. */
static void test_repeats_fill_blocks(void **state)
{
    (void)state;
    enum { MANY = 30000 };
    const atn_trace_what what = send_to(1);
    atn_trace_writer *const w = writer_of(1, 0, 1);
    atn_trace_cursor *const h = atn_trace_cursor_of(w);
    uint32_t epoch = 0;
    for (int64_t i = 0, at = begin; i < MANY; i++, at += 100)
        if (epoch != h->epoch || !atn_trace_repeat(h, 1, false, at, at + 90)) {
            assert_int_equal(atn_trace_put(w, &what, at, at + 90, 0), 1);
            epoch = h->epoch;
        }
    assert_true(atn_trace_close(w));
    atn_trace *const t = read_ok(ATN_TRACE_WHOLE);
    assert_int_equal(t->ranks[0].events.n, MANY);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(t->ranks[0].events.v[i].enter, 100 * i);
    atn_trace_free(t);
}

static void test_clock_jump(void **state)
{
    (void)state;
    atn_trace_writer *const w = writer_of(1, 0, 1);
    atn_trace_write_sync(w, begin, 0, 100);
    put_sends(w, 5, begin);
    atn_trace_write_sync(w, begin + 1000000, 3600000000000, 100);
    assert_true(atn_trace_close(w));
    atn_trace *const t = read_bad("clock jump: 0.000000 s against rank 0 at the start and 3600.0");
    assert_int_equal(t->ranks[0].events.v[4].enter, 4000);
    atn_trace_free(t);
}

static void test_strangers(void **state)
{
    (void)state;
    atn_error err = {0};
    atn_trace *t = NULL;
    assert_int_equal(atn_trace_read("nowhere", ATN_TRACE_WHOLE, &t, &err), ATN_INPUT);
    mkdir("t", 0777);
    err = (atn_error){0};
    assert_int_equal(atn_trace_read("t", ATN_TRACE_PARTIAL, &t, &err), ATN_INPUT);
    assert_non_null(strstr(err.text, "holds no trace"));
    assert_int_equal(atn_write_file("t/x.trace", "attune trace 9\n", 15, NULL), ATN_OK);
    err = (atn_error){0};
    assert_int_equal(atn_trace_read("t", ATN_TRACE_WHOLE, &t, &err), ATN_INPUT);
    assert_non_null(strstr(err.text, "is of version 9"));
    assert_int_equal(atn_write_file("t/x.trace", "hello\n", 6, NULL), ATN_OK);
    err = (atn_error){0};
    assert_int_equal(atn_trace_read("t", ATN_TRACE_WHOLE, &t, &err), ATN_INPUT);
    assert_non_null(strstr(err.text, "is no trace of Attune"));
}

/* ---- other versions ---- */

/* Writes the definition of an operation again: without flags, or with another name. */
static uint8_t *rename_op(atn_bytes *b, uint8_t *to, int version, const char *from,
                          const char *name)
{
    assert_int_equal(atn_trace_get_varint(b), ATN_TRACE_DEF_OP);
    const uint64_t number = atn_trace_get_varint(b);
    char *const was = atn_trace_get_text(b);
    const uint64_t flags = atn_trace_get_varint(b);
    const char *const text = strcmp(was, from) == 0 ? name : was;
    to = atn_trace_put_varint(to, ATN_TRACE_DEF_OP);
    to = atn_trace_put_varint(to, number);
    to = atn_trace_put_varint(to, strlen(text));
    memcpy(to, text, strlen(text));
    to += strlen(text);
    free(was);
    return version > 1 ? atn_trace_put_varint(to, flags) : to;
}

/* The trace as another version would have written it, whose operation `from` has another name.  The
 * operations are the second block. */
static void rewrite(int version, const char *from, const char *name)
{
    static const char path[] = "t/rank-00000.trace";
    static uint8_t made[1 << 16], ops[1 << 14];
    char *text;
    size_t bytes;
    atn_trace_block block;
    atn_error err = {0};
    assert_int_equal(atn_read_file(path, &text, &bytes, &err), ATN_OK);
    const uint8_t *at = (const uint8_t *)strchr(text, '\n') + 1;
    size_t n = (size_t)snprintf((char *)made, sizeof made, "%s%d\n", ATN_TRACE_LINE, version);
    for (int i = 0; i < 2; i++) {
        assert_true(atn_trace_block_open(at, bytes, &block));
        const uint8_t *payload = at + ATN_TRACE_BLOCK_HEAD;
        at = payload + block.bytes;
        if (block.kind == ATN_TRACE_DEFINITIONS) {
            atn_bytes b = {.at = payload, .stop = at};
            uint8_t *to = ops;
            while (b.at < b.stop)
                to = rename_op(&b, to, version, from, name);
            block.bytes = (uint32_t)(to - ops);
            payload = ops;
        }
        atn_trace_block_seal(&block, payload, made + n);
        memcpy(made + n + ATN_TRACE_BLOCK_HEAD, payload, block.bytes);
        n += ATN_TRACE_BLOCK_HEAD + block.bytes;
    }
    const size_t rest = bytes - (size_t)(at - (const uint8_t *)text);
    memcpy(made + n, at, rest);
    free(text);
    assert_int_equal(atn_write_file(path, (const char *)made, n + rest, &err), ATN_OK);
}

/* A call with a part that makes a request, and a wait for it. */
static void write_start(void)
{
    const atn_trace_what call = {.op = ATN_TRACE_START, .partner = -1, .tag = -1},
                         part = {.op = ATN_TRACE_START_BCAST, .partner = 2, .tag = -1},
                         wait = {.op = ATN_TRACE_WAIT, .partner = -1, .tag = -1},
                         done = {.op = ATN_TRACE_DONE, .partner = -1, .tag = -1};
    atn_trace_writer *const w = writer_of(1, 0, 1);
    atn_trace_put(w, &call, begin, begin + 100, 0);
    atn_trace_put(w, &part, 0, 0, 0);
    atn_trace_put(w, &wait, begin + 200, begin + 300, 0);
    atn_trace_put(w, &done, 0, 0, 1);
    assert_true(atn_trace_close(w));
}

static void check_start(atn_trace_op second)
{
    atn_trace *const t = read_ok(ATN_TRACE_WHOLE);
    const atn_trace_event *const e = t->ranks[0].events.v;
    assert_int_equal(t->ranks[0].events.n, 4);
    assert_int_equal(e[1].op, second);
    assert_true(atn_trace_is_part(&e[1]));
    assert_int_equal(e[1].partner, 2);
    assert_int_equal(e[1].request, 1);
    assert_int_equal(e[1].exit, 100);
    assert_int_equal(e[2].op, ATN_TRACE_WAIT);
    assert_int_equal(e[2].enter, 200);
    assert_int_equal(e[3].request, 1);
    atn_trace_free(t);
}

/* Earlier versions: without flags of operations. */
static void test_version_before(void **state)
{
    (void)state;
    write_start();
    check_start(ATN_TRACE_START_BCAST);
    rewrite(1, "", "");
    check_start(ATN_TRACE_START_BCAST);
}

/* Later versions: unknown blocks can be skipped. */
static void test_unknown_operation(void **state)
{
    (void)state;
    write_start();
    rewrite(2, "start-bcast", "start-something");
    check_start(ATN_TRACE_UNKNOWN_PART);
}

/* The limit ends the recording, not the file. */
static void test_limit(void **state)
{
    (void)state;
    int why;
    mkdir("t", 0777);
    atn_trace_writer *const w = atn_trace_create("t/rank-00000.trace", 100000, &why);
    atn_trace_write_start(w, &(atn_trace_start){.ranks = 1});
    put_sends(w, 100000, begin);
    assert_true(atn_trace_close(w));
    assert_true(size_of("t/rank-00000.trace") < 140000);
    atn_trace *const t = read_bad("calls were not recorded");
    assert_int_equal(t->ranks[0].events.n + t->ranks[0].dropped, 100000);
    atn_trace_free(t);
}

/* ---- tables of handles ---- */

static void test_handles(void **state)
{
    (void)state;
    atn_handles h = {0};
    uint32_t mirror[512] = {0}; /* value + 1 */
    uint32_t seed = 1;
    assert_int_equal(atn_trace_handles_get(&h, 5), ATN_HANDLE_NONE);
    assert_int_equal(atn_trace_handles_remove(&h, 5), ATN_HANDLE_NONE);
    for (int i = 0; i < 20000; i++) {
        seed = seed * 1664525 + 1013904223;
        const uint32_t key = seed >> 16 & 511;
        if (seed >> 28 & 1) {
            assert_true(atn_trace_handles_set(&h, key * 64, (uint32_t)i));
            mirror[key] = (uint32_t)i + 1;
        } else {
            assert_int_equal(atn_trace_handles_remove(&h, key * 64), (int64_t)mirror[key] - 1);
            mirror[key] = 0;
        }
        const uint32_t other = seed >> 7 & 511;
        assert_int_equal(atn_trace_handles_get(&h, other * 64), (int64_t)mirror[other] - 1);
    }
    assert_true(atn_trace_handles_set(&h, 1, 10));
    assert_true(atn_trace_handles_add(&h, 1, 11));
    assert_true(atn_trace_handles_add(&h, 1, 12));
    assert_int_equal(atn_trace_handles_remove(&h, 1), 12);
    assert_int_equal(atn_trace_handles_remove(&h, 1), 11);
    assert_int_equal(atn_trace_handles_remove(&h, 1), 10);
    assert_int_equal(atn_trace_handles_remove(&h, 1), ATN_HANDLE_NONE);
    atn_trace_handles_free(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_round_trip),
        TEST(test_signatures),
        TEST(test_requests),
        TEST(test_rows),
        TEST(test_clocks),
        TEST(test_two_clocks),
        TEST(test_killed),
        TEST(test_truncated),
        TEST(test_damaged),
        TEST(test_mixed_jobs),
        TEST(test_missing_rank),
        TEST(test_clock_back),
        TEST(test_clock_inexact),
        TEST(test_version_before),
        TEST(test_unknown_operation),
        TEST(test_repeats),
        TEST(test_repeats_fill_blocks),
        TEST(test_clock_jump),
        TEST(test_strangers),
        TEST(test_limit),
        TEST(test_handles),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
