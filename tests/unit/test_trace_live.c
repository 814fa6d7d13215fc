/* test_trace_live.c - calls that were buffered when a process was killed, and traces as CSV. */
#include "trace/export.h"

#include "traces.h"

static const char path[] = "t/rank-00000.trace" ATN_TRACE_LIVE;

/* A writer with buffered calls, and the file that holds them; none on remote file systems. */
static atn_trace_writer *with_in_hand(int calls, char **in_hand_p, size_t *bytes_p)
{
    atn_trace_writer *const w = writer_of(1, 0, 1);
    put_sends(w, calls, begin);
    if (access(path, F_OK) != 0) {
        atn_trace_close(w);
        skip();
    }
    assert_int_equal(atn_read_file(path, in_hand_p, bytes_p, NULL), ATN_OK);
    return w;
}

/* Buffered calls are read exactly once, whenever the process ends. */
static void test_killed_in_hand(void **state)
{
    (void)state;
    char *in_hand = NULL;
    size_t bytes = 0;
    atn_trace_writer *const w = with_in_hand(9000, &in_hand, &bytes);
    for (int written = 0; written < 2; written++) {
        atn_trace *const t = read_bad("ends before MPI_Finalize");
        assert_int_equal(t->ranks[0].events.n, 9000);
        assert_int_equal(t->ranks[0].events.v[8999].enter, 1000 * 8999);
        assert_int_equal(t->comms.n, 1);
        atn_trace_free(t);
        atn_trace_flush(w);
        assert_int_equal(atn_write_file(path, in_hand, bytes, NULL), ATN_OK);
    }
    free(in_hand);
    assert_true(atn_trace_close(w));
    assert_int_not_equal(access(path, F_OK), 0);
}

/* The file beside a trace may belong to another job, or be damaged. */
static void test_strange_in_hand(void **state)
{
    (void)state;
    char *in_hand = NULL;
    size_t bytes = 0;
    atn_trace_writer *const w = with_in_hand(9, &in_hand, &bytes);
    for (size_t n = 0; n < bytes; n += n < 200 ? 1 : 997) {
        const char was = in_hand[n];
        in_hand[n] = (char)~was;
        assert_int_equal(atn_write_file(path, in_hand, bytes - (n & 1), NULL), ATN_OK);
        atn_trace *const t = read_ok(ATN_TRACE_PARTIAL);
        assert_true(t->ranks[0].events.n <= 9);
        atn_trace_free(t);
        in_hand[n] = was;
    }
    free(in_hand);
    assert_true(atn_trace_close(w));
}

/* Names may contain CSV separators, and a receive its requested size. */
static void test_csv(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    atn_trace_writer *const w = writer_of(1, 0, 1);
    atn_trace_what what = send_to(0);
    atn_trace_define_type(w, 1, 8, "row, \"long\"\n");
    what.op = ATN_TRACE_RECV;
    what.type = 1;
    what.flags = ATN_TRACE_ANY_SOURCE_POSTED;
    atn_trace_put(w, &what, begin, begin + 1, 0);
    assert_true(atn_trace_close(w));
    atn_trace *const t = read_ok(ATN_TRACE_WHOLE);
    FILE *const f = open_memstream(&text, &bytes);
    atn_trace_csv(f, t, -1);
    fclose(f);
    assert_string_equal(strchr(text, '\n') + 1,
                        "0,recv,0,1,0,0,9,32,4,\"row, \"\"long\"\" \",0xffff1234,app+0x1234,,0,0,0,"
                        "any-source\n");
    free(text);
    atn_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_killed_in_hand),
        TEST(test_strange_in_hand),
        TEST(test_csv),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
