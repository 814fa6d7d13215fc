/* traces.h - traces in a private folder: written rank by rank, and read. */
#ifndef ATN_TEST_TRACES_H
#define ATN_TEST_TRACES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "trace/trace.h"
#include "trace/writer.h"

static const int64_t begin = 5000000000;

static inline atn_trace_writer *writer_of(uint64_t job, int rank, int ranks)
{
    char path[64];
    int why = 0;
    int all_ranks[8];
    const atn_trace_start start = {.job = job,
                                   .rank = rank,
                                   .ranks = ranks,
                                   .wall_ns = 1700000000000000000,
                                   .inside_ps = 20000,
                                   .around_ps = 60000,
                                   .clock = "CLOCK_MONOTONIC",
                                   .host = "h",
                                   .program = "app",
                                   .library = "1",
                                   .pid = 7};
    snprintf(path, sizeof path, "t/" ATN_TRACE_FILE, rank);
    mkdir("t", 0777);
    atn_trace_writer *const w = atn_trace_create(path, INT64_C(1) << 40, &why);
    assert_non_null(w);
    atn_trace_write_start(w, &start);
    for (int i = 0; i < ranks; i++)
        all_ranks[i] = i;
    atn_trace_define_comm(w, 0, 77, ranks, rank, rank == 0 ? all_ranks : NULL);
    atn_trace_define_type(w, 0, 8, "MPI_DOUBLE");
    atn_trace_define_module(w, 0, "/bin/app");
    atn_trace_define_site(w, 0, 0, 0x1234);
    return w;
}

static inline atn_trace_what send_to(int partner)
{
    return (atn_trace_what){.op = ATN_TRACE_SEND,
                            .count = 4,
                            .bytes = 32,
                            .buffer = 0xffff1234,
                            .partner = partner,
                            .tag = 9};
}

/* Calls of 100 ns every 1000 ns. */
static inline void put_sends(atn_trace_writer *w, int n, int64_t from)
{
    for (int i = 0; i < n; i++) {
        const atn_trace_what what = send_to(i % 3);
        atn_trace_put(w, &what, from + 1000 * i, from + 1000 * i + 100, 0);
    }
}

static inline void whole_rank(uint64_t job, int rank, int ranks, int sends)
{
    atn_trace_writer *const w = writer_of(job, rank, ranks);
    atn_trace_write_sync(w, begin, 0, 100);
    put_sends(w, sends, begin);
    assert_true(atn_trace_close(w));
}

static inline atn_trace *read_ok(atn_trace_how how)
{
    atn_error err = {0};
    atn_trace *t = NULL;
    if (atn_trace_read("t", how, &t, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return t;
}

/* Strict reading fails with this text; partial reading goes on with one problem. */
static inline atn_trace *read_bad(const char *text)
{
    atn_error err = {0};
    atn_trace *t = NULL;
    assert_int_equal(atn_trace_read("t", ATN_TRACE_WHOLE, &t, &err), ATN_INPUT);
    if (strstr(err.text, text) == NULL)
        fail_msg("\"%s\" does not contain \"%s\"", err.text, text);
    t = read_ok(ATN_TRACE_PARTIAL);
    assert_int_equal(t->problems.n, 1);
    assert_non_null(strstr(t->problems.v[0].text, text));
    return t;
}

static inline long size_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return (long)about.st_size;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter_folder, leave_folder)

#endif
