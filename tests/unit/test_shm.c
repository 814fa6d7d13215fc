/* test_shm.c - channels between threads and processes: every protocol, order, sleep, trust. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "shm/direct.h"
#include "shm/region.h"
#include "shm/wait.h"

/* Sizes around every limit: small, one segment, several, more than the ring, direct. */
static const int64_t sizes[] = {0,    1,    8,    47,    48,    49,    111,   112,    113,   1000,
                                8191, 8192, 8193, 24576, 65535, 65536, 65537, 100000, 200000};
enum { SIZES = sizeof sizes / sizeof *sizes, ROUNDS = 40, MOST = 200000 };

typedef struct {
    atn_shm_ring *ring[2]; /* by direction */
    atn_shm_bell *bell[2];
    int64_t direct, unit;
    bool ack, sinks;
    pid_t sender;   /* 0: this process */
    uint32_t first; /* number of the first message */
} link_setup;

static char byte_of(int message, int64_t at) { return (char)(message * 31 + at * 7 + at / 251); }

/* As many ranks as have small chunks, so that messages have several segments. */
enum { MANY = 64 };

static atn_shm_end end_of(const link_setup *s, int direction, int peer)
{
    return (atn_shm_end){.ring = s->ring[direction],
                         .next = s->first,
                         .consumed = s->first,
                         .bell = s->bell[peer],
                         .pid = s->sender != 0 ? s->sender : getpid(),
                         .chunk = atn_shm_chunk_bytes(MANY),
                         .direct = s->direct};
}

static atn_shm_waiting waiting_of(const link_setup *s, int side)
{
    return (atn_shm_waiting){.bell = s->bell[side], .yields = true, .bells = true};
}

static void complete(atn_shm_end *end, atn_shm_transfer *t, bool sends, const atn_shm_waiting *how)
{
    atn_shm_wait w = {.how = how};
    atn_shm_status status;
    while ((status = (sends ? atn_shm_send_step : atn_shm_receive_step)(end, t)) == ATN_SHM_BUSY)
        atn_shm_wait_pause(&w);
    atn_shm_wait_end(&w);
    assert_int_equal(status, ATN_SHM_DONE);
}

static void take_segment(void *context, const char *segment, int64_t at, int64_t bytes)
{
    memcpy((char *)context + at, segment, (size_t)bytes);
}

static void send_all(const link_setup *s)
{
    const atn_shm_waiting how = waiting_of(s, 0);
    atn_shm_end out = end_of(s, 0, 1);
    char *const data = malloc(MOST);
    for (int i = 0; i < ROUNDS * SIZES; i++) {
        atn_shm_transfer t = {
            .data = data, .bytes = sizes[i % SIZES], .unit = s->unit, .ack = s->ack};
        for (int64_t k = 0; k < t.bytes; k++)
            data[k] = byte_of(i, k);
        complete(&out, &t, true, &how);
    }
    free(data);
}

static bool is_message(const char *data, int message, int64_t bytes)
{
    for (int64_t k = 0; k < bytes; k++)
        if (data[k] != byte_of(message, k))
            return false;
    return data[bytes] == 'x';
}

/* Returns the number of wrong messages. */
static int receive_all(const link_setup *s)
{
    const atn_shm_waiting how = waiting_of(s, 1);
    atn_shm_end in = end_of(s, 0, 0);
    char *const data = malloc(MOST + 1), *const buffer = malloc(ATN_SHM_BUFFER);
    const atn_shm_sink sink = {take_segment, data};
    int wrong = 0;
    for (int i = 0; i < ROUNDS * SIZES; i++) {
        atn_shm_transfer t = {.data = data,
                              .bytes = sizes[i % SIZES],
                              .unit = s->unit,
                              .sink = s->sinks ? &sink : NULL,
                              .buffer = buffer};
        data[t.bytes] = 'x';
        complete(&in, &t, false, &how);
        wrong += !is_message(data, i, t.bytes);
    }
    free(data);
    free(buffer);
    return wrong;
}

/* ---- threads ---- */

static void *sender(void *context)
{
    send_all(context);
    return NULL;
}

static link_setup *new_link(int64_t direct, int64_t unit, bool ack, bool sinks, uint32_t first)
{
    link_setup *const s = calloc(1, sizeof *s);
    for (int i = 0; i < 2; i++) {
        s->ring[i] = aligned_alloc(4096, atn_shm_channel_bytes(MANY));
        s->bell[i] = aligned_alloc(128, sizeof *s->bell[i]);
        memset(s->ring[i], 0, atn_shm_channel_bytes(MANY));
        memset(s->bell[i], 0, sizeof *s->bell[i]);
        atomic_store(&s->ring[i]->consumed, first);
    }
    s->direct = direct, s->unit = unit, s->ack = ack, s->sinks = sinks, s->first = first;
    return s;
}

static void free_link(link_setup *s)
{
    for (int i = 0; i < 2; i++) {
        free(s->ring[i]);
        free(s->bell[i]);
    }
    free(s);
}

static void run_threads(int64_t direct, int64_t unit, bool ack, bool sinks, uint32_t first)
{
    link_setup *const s = new_link(direct, unit, ack, sinks, first);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, sender, s), 0);
    const int wrong = receive_all(s);
    pthread_join(thread, NULL);
    free_link(s);
    assert_int_equal(wrong, 0);
}

static void messages_arrive_in_order(void **state)
{
    (void)state;
    run_threads(INT64_MAX, 1, false, false, 0);
    run_threads(INT64_MAX, 12, false, true, 0);
    run_threads(INT64_MAX, 8, true, true, 7);
    run_threads(INT64_MAX, 100000, false, false, 0);
}

/* Message numbers have 32 bits and wrap. */
static void numbers_wrap(void **state)
{
    (void)state;
    run_threads(INT64_MAX, 1, false, false, UINT32_MAX - 20);
}

static void memory_is_read_directly(void **state)
{
    char byte = 1, copy = 0;
    (void)state;
    atn_shm_direct_permit();
    if (!atn_shm_direct_read(getpid(), &copy, (uint64_t)(uintptr_t)&byte, 1))
        skip();
    run_threads(8193, 1, false, false, 0);
    run_threads(200, 24, false, true, 0);
}

/* Memory of a process that does not exist cannot be read: the messages arrive in segments. */
static void unreadable_memory_is_sent(void **state)
{
    (void)state;
    for (int sinks = 0; sinks < 2; sinks++) {
        link_setup *const s = new_link(200, 8, false, sinks, 0);
        pthread_t thread;
        s->sender = 0x3fffffff;
        assert_int_equal(pthread_create(&thread, NULL, sender, s), 0);
        const int wrong = receive_all(s);
        pthread_join(thread, NULL);
        assert_int_not_equal(s->ring[0]->refused, 0);
        free_link(s);
        assert_int_equal(wrong, 0);
    }
}

/* ---- single steps ---- */

static atn_shm_status receive_one(atn_shm_end *in, char *x)
{
    atn_shm_transfer t = {.data = x, .bytes = 1};
    return atn_shm_receive_step(in, &t);
}

static void slots_are_returned_in_time(void **state)
{
    (void)state;
    link_setup *const s = new_link(INT64_MAX, 1, false, false, 0);
    atn_shm_end out = end_of(s, 0, 1), in = end_of(s, 0, 0);
    char x = 0;
    for (int i = 0; i < ATN_SHM_SLOTS; i++)
        assert_int_equal(atn_shm_send_small(&out, "a", 1), ATN_SHM_DONE);
    assert_int_equal(atn_shm_send_small(&out, "b", 1), ATN_SHM_BUSY);
    for (int i = 0; i < ATN_SHM_SLOTS / 2; i++) {
        assert_int_equal(receive_one(&in, &x), ATN_SHM_DONE);
        assert_int_equal(x, 'a');
    }
    assert_int_equal(atn_shm_send_small(&out, "b", 1), ATN_SHM_DONE);
    for (int i = 0; i < ATN_SHM_SLOTS / 2 + 1; i++)
        assert_int_equal(receive_one(&in, &x), ATN_SHM_DONE);
    assert_int_equal(x, 'b');
    assert_int_equal(receive_one(&in, &x), ATN_SHM_BUSY);
    free_link(s);
}

/* A synchronous send is complete when the message is consumed, not before. */
static void acknowledged_sends_wait(void **state)
{
    (void)state;
    link_setup *const s = new_link(INT64_MAX, 1, true, false, 0);
    atn_shm_end out = end_of(s, 0, 1), in = end_of(s, 0, 0);
    atn_shm_transfer t = {.data = (char[]){1}, .bytes = 1, .ack = true};
    char x = 0;
    assert_int_equal(atn_shm_send_step(&out, &t), ATN_SHM_BUSY);
    assert_int_equal(atn_shm_send_step(&out, &t), ATN_SHM_BUSY);
    assert_int_equal(receive_one(&in, &x), ATN_SHM_DONE);
    assert_int_equal(atn_shm_send_step(&out, &t), ATN_SHM_DONE);
    assert_int_equal(x, 1);
    free_link(s);
}

static atn_shm_status status_of(int64_t sent, int64_t expected)
{
    link_setup *const s = new_link(100000, 1, false, false, 0);
    atn_shm_end out = end_of(s, 0, 1), in = end_of(s, 0, 0);
    static char data[MOST];
    atn_shm_transfer t = {.data = data, .bytes = sent}, u = {.data = data, .bytes = expected};
    atn_shm_send_step(&out, &t);
    const atn_shm_status status = atn_shm_receive_step(&in, &u);
    free_link(s);
    return status;
}

static void other_sizes_are_detected(void **state)
{
    (void)state;
    assert_int_equal(status_of(8, 8), ATN_SHM_DONE);
    assert_int_equal(status_of(8, 16), ATN_SHM_MISMATCH);
    assert_int_equal(status_of(8, 5000), ATN_SHM_MISMATCH);
    assert_int_equal(status_of(5000, 8), ATN_SHM_MISMATCH);
    assert_int_equal(status_of(5000, 5001), ATN_SHM_MISMATCH);
    assert_int_equal(status_of(20000, 30000), ATN_SHM_MISMATCH);
    assert_int_equal(status_of(150000, 150001), ATN_SHM_MISMATCH);
}

/* ---- boards ---- */

static void entries_are_distinct(void **state)
{
    (void)state;
    static bool used[ATN_SHM_ENTRIES];
    for (int domain = 0; domain < ATN_SHM_DOMAINS; domain++)
        for (int number = 0; number < ATN_SHM_NUMBERS; number++) {
            const int i = atn_shm_board_index(6, domain, number);
            assert_in_range(i, 0, ATN_SHM_ENTRIES - 1);
            assert_false(used[i]);
            used[i] = true;
        }
    assert_int_not_equal(atn_shm_board_index(6, 0, 0), atn_shm_board_index(7, 0, 0));
    assert_int_equal(atn_shm_board_index(2, 3, 1), atn_shm_board_index(6, 3, 1));
    assert_int_not_equal(atn_shm_board_tag(2, 3, 1), atn_shm_board_tag(6, 3, 1));
}

static void exposures_wait_for_reads(void **state)
{
    (void)state;
    atn_shm_board *const b = aligned_alloc(128, (sizeof *b + 127) / 128 * 128);
    static char data[ATN_SHM_EXPOSED + 1] = "first";
    memset(b->entry, 0, sizeof b->entry);
    const int i = atn_shm_board_index(0, 0, 0);
    const uint64_t tag = atn_shm_board_tag(0, 0, 0);
    assert_null(atn_shm_board_find(b, i, tag));
    assert_true(atn_shm_board_is_read(b, i, 0));
    atn_shm_board_expose(b, i, tag, data, 6);
    data[0] = 'x'; /* a copy is exposed */
    assert_non_null(atn_shm_board_find(b, i, tag));
    assert_string_equal(atn_shm_board_data(b, i), "first");
    atn_shm_board_count(b, i);
    assert_false(atn_shm_board_is_read(b, i, 2));
    atn_shm_board_count(b, i);
    assert_true(atn_shm_board_is_read(b, i, 2));
    atn_shm_board_expose(b, i, tag + 1, data, sizeof data);
    assert_null(atn_shm_board_find(b, i, tag));
    assert_null(atn_shm_board_data(b, i));
    assert_int_equal(b->entry[i].address, (uint64_t)(uintptr_t)data);
    free(b);
}

/* ---- processes ---- */

static void maker_and_child(atn_shm_offer *offer, bool (*child)(const atn_shm_offer *offer))
{
    const pid_t pid = fork();
    if (pid == 0)
        _exit(child(offer) ? 0 : 1);
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static bool maps(const atn_shm_offer *offer)
{
    atn_shm_region m = {0};
    const bool ok = atn_shm_region_open(offer, 2, 1, &m);
    atn_shm_region_close(&m);
    return ok;
}
static bool cannot_map(const atn_shm_offer *offer) { return !maps(offer); }

static void regions_are_genuine(void **state)
{
    const uint64_t secret[2] = {4711, 42};
    atn_shm_offer offer;
    (void)state;
    atn_shm_offer_make(1, secret, &offer);
    assert_true(offer.fd >= 0);
    maker_and_child(&offer, maps);
    offer.secret[1]++;
    maker_and_child(&offer, cannot_map);
    offer.secret[1]--;
    offer.fd += 1;
    maker_and_child(&offer, cannot_map);
    offer.fd -= 1;
    assert_false(atn_shm_region_open(&offer, ATN_SHM_MOST_RANKS + 1, 0, &(atn_shm_region){0}));
    atn_shm_offer_close(&offer);
    maker_and_child(&offer, cannot_map);
}

/* Of memory that cannot be read, the threshold is never reached. */
static bool measures(const atn_shm_offer *offer)
{
    const int64_t bytes = atn_shm_direct_threshold(offer->pid, offer->area);
    return (bytes >= 32 << 10 && bytes <= ATN_SHM_AREA) || bytes == INT64_MAX;
}
static bool cannot_measure(const atn_shm_offer *offer)
{
    return atn_shm_direct_threshold(offer->pid, 0) == INT64_MAX &&
           atn_shm_direct_threshold(offer->pid, 4096) == INT64_MAX;
}
static void thresholds_are_measured(void **state)
{
    const uint64_t secret[2] = {4711, 42};
    atn_shm_offer offer;
    (void)state;
    atn_shm_offer_make(1, secret, &offer);
    assert_true(offer.area != 0);
    assert_true(offer.area == atn_shm_direct_area());
    maker_and_child(&offer, measures);
    maker_and_child(&offer, cannot_measure);
    atn_shm_offer_close(&offer);
}

/* SIGXFSZ would end the child. */
static bool respects_limit(const atn_shm_offer *offer)
{
    const uint64_t secret[2] = {4711, 42};
    atn_shm_offer small;
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096});
    const bool mapped = maps(offer);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1024, 4096});
    atn_shm_offer_make(1, secret, &small);
    return !mapped && small.fd < 0;
}

static void file_size_limits_are_respected(void **state)
{
    const uint64_t secret[2] = {4711, 42};
    atn_shm_offer offer;
    (void)state;
    atn_shm_offer_make(1, secret, &offer);
    maker_and_child(&offer, respects_limit);
    atn_shm_offer_close(&offer);
}

static link_setup region_link(const atn_shm_region *m)
{
    return (link_setup){.ring = {atn_shm_region_ring(m, 0, 1), atn_shm_region_ring(m, 1, 0)},
                        .bell = {atn_shm_region_bell(m, 0), atn_shm_region_bell(m, 1)},
                        .direct = INT64_MAX,
                        .unit = 1};
}

static bool child_receives(const atn_shm_offer *offer)
{
    atn_shm_region m;
    if (!atn_shm_bell_register() || !atn_shm_region_open(offer, 2, 1, &m))
        return false;
    const link_setup s = region_link(&m);
    const bool right = receive_all(&s) == 0;
    atn_shm_region_close(&m);
    return right;
}

/* The sender pauses, so that the receiver falls asleep. */
static void processes_exchange_messages(void **state)
{
    const uint64_t secret[2] = {1, 2};
    atn_shm_offer offer;
    atn_shm_region m;
    int status = -1;
    (void)state;
    atn_shm_offer_make(1, secret, &offer);
    if (!atn_shm_bell_register())
        skip();
    const pid_t pid = fork();
    if (pid == 0)
        _exit(child_receives(&offer) ? 0 : 1);
    assert_true(atn_shm_region_open(&offer, 2, 0, &m));
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    const link_setup s = region_link(&m);
    send_all(&s);
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    atn_shm_region_close(&m);
    atn_shm_offer_close(&offer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_arrive_in_order),
        cmocka_unit_test(numbers_wrap),
        cmocka_unit_test(memory_is_read_directly),
        cmocka_unit_test(unreadable_memory_is_sent),
        cmocka_unit_test(slots_are_returned_in_time),
        cmocka_unit_test(acknowledged_sends_wait),
        cmocka_unit_test(other_sizes_are_detected),
        cmocka_unit_test(entries_are_distinct),
        cmocka_unit_test(exposures_wait_for_reads),
        cmocka_unit_test(regions_are_genuine),
        cmocka_unit_test(file_size_limits_are_respected),
        cmocka_unit_test(thresholds_are_measured),
        cmocka_unit_test(processes_exchange_messages),
    };
    atn_clock_start();
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
