/* staging.c - random messages between all ranks, received by all MPI routines: each byte, each
 * status and the matching order are checked.
 *
 * The pattern of a round is a function of its number, so each rank can compute the messages that it
 * must receive.  Rounds are repeated, so that they can be predicted; between sending and receiving
 * there is time for messages to arrive, and there are calls in which they may be staged.
 *
 * A receive matches the oldest message of the sender in its status that fits and that no earlier
 * receive has matched.  This is checked with a list of all messages. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attune/attune.h"
#include "harness.h"

enum { REPEATS = 8, COMMS = 2, MAX_MESSAGES = 256, BIG = 300000, GUARD = 64 };

typedef struct {
    int source, dest, tag, bytes, number; /* number: of its source, to this rank, in this comm */
    bool received;
} message;

typedef struct {
    message *v;
    int n, cap;
} message_list;

static MPI_Comm comms[COMMS];
static message_list expected[COMMS]; /* all messages to this rank, in order of each source */
static MPI_Datatype
    holes; /* 8 bytes each: four of data, a hole of four, four of data, a hole of four */
static bool hinting;

/* ---- the pattern ---- */

static uint32_t mix(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint32_t h = 2166136261u;
    const uint32_t v[] = {a, b, c, d};
    for (int i = 0; i < 4; i++) {
        h = (h ^ v[i]) * 16777619u;
        h ^= h >> 15;
        h *= 2246822519u;
        h ^= h >> 13;
    }
    return h;
}

static char content(const message *l, int comm, int i)
{
    return (char)(l->source * 31 + l->dest * 17 + l->number * 7 + comm * 3 + i + (i >> 8) * 5);
}

static int size_of(uint32_t h)
{
    switch (h % 8) {
    case 0:
        return 0;
    case 1:
        return 40000 + (int)(h >> 8) % 40000;
    case 2:
        return BIG - (int)(h >> 8) % 100000;
    default:
        return (int)(h >> 8) % 600;
    }
}

/* The messages of a round from one rank to another. */
static int make_messages(int round, int repeat, int source, int dest, message *out)
{
    const int n = source == dest ? 0 : (int)(mix((uint32_t)round, 1, source, dest) % 4);
    for (int i = 0; i < n; i++) {
        const uint32_t h = mix((uint32_t)round, 100 + i, source, dest);
        out[i] = (message){.source = source,
                           .dest = dest,
                           .tag = (int)(h % 3),
                           .bytes = size_of(mix(h, (uint32_t)repeat % 2, 0, 0))};
    }
    return n;
}

enum { EXACT, ANY_TAG, ANY_SOURCE, ANY_AT_ALL, PATTERNS };
static int pattern_of(int round) { return (int)(mix((uint32_t)round, 2, 0, 0) % PATTERNS); }
static int comm_of(int round) { return (int)(mix((uint32_t)round, 3, 0, 0) % COMMS); }
static bool with_holes(int round) { return mix((uint32_t)round, 4, 0, 0) % 4 == 0; }

/* ---- sending ---- */

typedef struct {
    MPI_Request request;
    char *buf;
} sending;
static int sent_before[COMMS][64]; /* by destination */

static void post_send(sending *s, message *l, int comm, int how)
{
    l->number = sent_before[comm][l->dest]++;
    s->buf = malloc((size_t)l->bytes + 1);
    for (int i = 0; i < l->bytes; i++)
        s->buf[i] = content(l, comm, i);
    s->request = MPI_REQUEST_NULL;
    if (how == 0 && l->bytes < 100)
        MPI_Send(s->buf, l->bytes, MPI_BYTE, l->dest, l->tag, comms[comm]);
    else if (how == 1)
        MPI_Issend(s->buf, l->bytes, MPI_BYTE, l->dest, l->tag, comms[comm], &s->request);
    else if (how == 2) {
        MPI_Send_init(s->buf, l->bytes, MPI_BYTE, l->dest, l->tag, comms[comm], &s->request);
        MPI_Start(&s->request);
    } else
        MPI_Isend(s->buf, l->bytes, MPI_BYTE, l->dest, l->tag, comms[comm], &s->request);
}

static int send_round(int round, int repeat, sending *out)
{
    message l[4];
    int n = 0;
    const int comm = comm_of(round);
    for (int dest = 0; dest < t_ranks; dest++) {
        const int k = make_messages(round, repeat, t_rank, dest, l);
        for (int i = 0; i < k; i++) {
            int how = (int)(mix((uint32_t)round, 5, t_rank, i) % 4);
            if (how == 1 && (t_rank != t_ranks - 1 || round % 4 != 3))
                how =
                    3; /* only one rank sends synchronously, so messages of others can be staged */
            post_send(&out[n++], &l[i], comm, how);
        }
    }
    return n;
}

static void end_sends(sending *s, int n)
{
    for (int i = 0; i < n; i++) {
        MPI_Wait(&s[i].request, MPI_STATUS_IGNORE);
        if (s[i].request != MPI_REQUEST_NULL)
            MPI_Request_free(&s[i].request);
        free(s[i].buf);
    }
}

/* ---- receiving ---- */

typedef struct {
    int source, tag; /* arguments of the receive */
    int room;        /* bytes */
    char *buf;
    MPI_Status status;
    bool done;
} receiving;

static MPI_Datatype type_now;
static int unit_now; /* bytes of the message for each element */

static int place(int i)
{
    return type_now == MPI_BYTE ? i : i / 8 * 16 + (i % 8 < 4 ? 0 : 4) + i % 8;
}
static int count_for(int bytes) { return (bytes + unit_now - 1) / unit_now; }

static int buffer_bytes(const receiving *r) { return 2 * r->room + 16 + GUARD; }

static int expect_round(int round, int repeat, message *due)
{
    message_list *const all = &expected[comm_of(round)];
    static int numbers[COMMS][64];
    int n = 0;
    for (int source = 0; source < t_ranks; source++) {
        const int k = make_messages(round, repeat, source, t_rank, due + n);
        for (int i = 0; i < k; i++) {
            due[n + i].number = numbers[comm_of(round)][source]++;
            if (all->n == all->cap) {
                all->cap = 2 * all->cap + 64;
                all->v = realloc(all->v, (size_t)all->cap * sizeof *all->v);
            }
            all->v[all->n++] = due[n + i];
        }
        n += k;
    }
    return n;
}

/* Receives that together match exactly the messages of the round, in another order. */
static void name_receives(int round, const message *due, int n, receiving *out)
{
    const int pattern = pattern_of(round);
    for (int i = 0; i < n; i++) {
        const message *const l = &due[(i * 7 + round) % n];
        const bool all_once = n % 7 != 0; /* 7 and n must share no factor */
        const message *const x = all_once ? l : &due[i];
        out[i] = (receiving){
            .source = pattern == ANY_SOURCE || pattern == ANY_AT_ALL ? MPI_ANY_SOURCE : x->source,
            .tag = pattern == ANY_TAG || pattern == ANY_AT_ALL ? MPI_ANY_TAG : x->tag,
            .room = BIG};
        out[i].buf = malloc((size_t)buffer_bytes(&out[i]));
        memset(out[i].buf, 0x5a, (size_t)buffer_bytes(&out[i]));
    }
}

static const message *match(const receiving *r, int comm)
{
    message_list *const all = &expected[comm];
    for (int i = 0; i < all->n; i++) {
        message *const l = &all->v[i];
        if (l->received || l->source != r->status.MPI_SOURCE ||
            (r->tag != MPI_ANY_TAG && r->tag != l->tag))
            continue;
        l->received = true;
        return l;
    }
    return NULL;
}

static bool bytes_right(const receiving *r, const message *l, int comm)
{
    int b = 0;
    for (int i = 0; i < buffer_bytes(r); i++) {
        const bool mine = b < l->bytes && place(b) == i;
        if (r->buf[i] != (mine ? content(l, comm, b) : 0x5a))
            return t_check(false, "byte %d of a message of %d from %d, number %d", i, l->bytes,
                           l->source, l->number);
        b += mine;
    }
    return true;
}

static void check_receive(const receiving *r, int comm)
{
    int count = -1, cancelled = 1, elements = -1;
    const message *const l = match(r, comm);
    if (!t_check(l != NULL, "receive for %d/%d matched %d/%d: no such message", r->source, r->tag,
                 r->status.MPI_SOURCE, r->status.MPI_TAG))
        return;
    t_check(r->status.MPI_TAG == l->tag, "tag %d, wanted %d", r->status.MPI_TAG, l->tag);
    MPI_Get_count(&r->status, MPI_BYTE, &count);
    t_check(count == l->bytes, "count %d, wanted %d", count, l->bytes);
    MPI_Get_elements(&r->status, type_now, &elements);
    t_check(elements == l->bytes, "%d elements, wanted %d", elements, l->bytes);
    MPI_Test_cancelled(&r->status, &cancelled);
    t_check(!cancelled, "cancelled");
    bytes_right(r, l, comm);
}

/* ---- receiving routines ---- */

static void post(receiving *r, MPI_Comm comm, MPI_Request *request)
{
    MPI_Irecv(r->buf, count_for(r->room), type_now, r->source, r->tag, comm, request);
}

static void by_recv(receiving *r, int n, MPI_Comm comm)
{
    for (int i = 0; i < n; i++) {
        if (hinting)
            attune_pre_recv(i);
        MPI_Recv(r[i].buf, count_for(r[i].room), type_now, r[i].source, r[i].tag, comm,
                 &r[i].status);
    }
}

static void by_waitall(receiving *r, int n, MPI_Comm comm)
{
    MPI_Request requests[MAX_MESSAGES];
    MPI_Status statuses[MAX_MESSAGES];
    for (int i = 0; i < n; i++)
        post(&r[i], comm, &requests[i]);
    MPI_Waitall(n, requests, statuses);
    for (int i = 0; i < n; i++)
        r[i].status = statuses[i];
}

static void by_waitany(receiving *r, int n, MPI_Comm comm)
{
    MPI_Request requests[MAX_MESSAGES];
    for (int i = 0; i < n; i++)
        post(&r[i], comm, &requests[i]);
    for (int left = n, at; left > 0; left--) {
        MPI_Status status;
        MPI_Waitany(n, requests, &at, &status);
        if (!t_check(at >= 0 && at < n && !r[at].done, "waitany: %d", at))
            return;
        r[at].status = status;
        r[at].done = true;
    }
}

static void by_some(receiving *r, int n, MPI_Comm comm)
{
    MPI_Request requests[MAX_MESSAGES];
    MPI_Status statuses[MAX_MESSAGES];
    int indices[MAX_MESSAGES], found = 0;
    for (int i = 0; i < n; i++)
        post(&r[i], comm, &requests[i]);
    for (int done = 0, turn = 0; done < n; done += found, turn++) {
        if (turn % 2)
            MPI_Testsome(n, requests, &found, indices, statuses);
        else
            MPI_Waitsome(n, requests, &found, indices, statuses);
        for (int i = 0; i < found; i++)
            r[indices[i]].status = statuses[i];
    }
}

static void by_test(receiving *r, int n, MPI_Comm comm)
{
    for (int i = 0; i < n; i++) {
        MPI_Request request;
        int flag = 0, known = 0;
        post(&r[i], comm, &request);
        while (!known)
            MPI_Request_get_status(request, &known, MPI_STATUS_IGNORE);
        while (!flag)
            MPI_Test(&request, &flag, &r[i].status);
        t_check(request == MPI_REQUEST_NULL, "a request is not null");
    }
}

static void by_testall(receiving *r, int n, MPI_Comm comm)
{
    MPI_Request requests[MAX_MESSAGES];
    MPI_Status statuses[MAX_MESSAGES];
    int flag = 0;
    for (int i = 0; i < n; i++)
        post(&r[i], comm, &requests[i]);
    while (!flag)
        MPI_Testall(n, requests, &flag, statuses);
    for (int i = 0; i < n; i++)
        r[i].status = statuses[i];
}

static void by_probe(receiving *r, int n, MPI_Comm comm)
{
    for (int i = 0; i < n; i++) {
        MPI_Status probed;
        int flag = 0;
        if (i % 2)
            MPI_Probe(r[i].source, r[i].tag, comm, &probed);
        while (i % 2 == 0 && !flag)
            MPI_Iprobe(r[i].source, r[i].tag, comm, &flag, &probed);
        int count = -1, got = -1;
        MPI_Get_count(&probed, MPI_BYTE, &count);
        MPI_Recv(r[i].buf, count_for(count), type_now, probed.MPI_SOURCE, probed.MPI_TAG, comm,
                 &r[i].status);
        MPI_Get_count(&r[i].status, MPI_BYTE, &got);
        t_check(got == count, "probed %d bytes, received %d", count, got);
    }
}

static void by_matched_probe(receiving *r, int n, MPI_Comm comm)
{
    for (int i = 0; i < n; i++) {
        MPI_Message matched;
        MPI_Request request;
        MPI_Status probed;
        int flag = 0;
        if (i % 2) {
            MPI_Mprobe(r[i].source, r[i].tag, comm, &matched, &probed);
            MPI_Mrecv(r[i].buf, count_for(r[i].room), type_now, &matched, &r[i].status);
        } else {
            while (!flag)
                MPI_Improbe(r[i].source, r[i].tag, comm, &flag, &matched, &probed);
            MPI_Imrecv(r[i].buf, count_for(r[i].room), type_now, &matched, &request);
            MPI_Wait(&request, &r[i].status);
        }
        t_check(matched == MPI_MESSAGE_NULL, "a message handle is not null");
        t_check(probed.MPI_SOURCE == r[i].status.MPI_SOURCE &&
                    probed.MPI_TAG == r[i].status.MPI_TAG,
                "the probe matched another message");
    }
}

static void by_persistent(receiving *r, int n, MPI_Comm comm)
{
    MPI_Request requests[MAX_MESSAGES];
    MPI_Status statuses[MAX_MESSAGES];
    for (int i = 0; i < n; i++)
        MPI_Recv_init(r[i].buf, count_for(r[i].room), type_now, r[i].source, r[i].tag, comm,
                      &requests[i]);
    for (int i = 0; i < n / 2; i++)
        MPI_Start(&requests[i]);
    if (n > n / 2)
        MPI_Startall(n - n / 2, requests + n / 2);
    MPI_Waitall(n, requests, statuses);
    for (int i = 0; i < n; i++) {
        int flag = 0;
        t_check(requests[i] != MPI_REQUEST_NULL, "a persistent request became null");
        MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
        t_check(flag, "a persistent request is active");
        MPI_Request_free(&requests[i]);
        r[i].status = statuses[i];
    }
}

typedef void way(receiving *r, int n, MPI_Comm comm);
static const struct {
    const char *name;
    way *receive;
} ways[] = {{"recv", by_recv},
            {"irecv, waitall", by_waitall},
            {"irecv, waitany", by_waitany},
            {"irecv, waitsome, testsome", by_some},
            {"irecv, request_get_status, test", by_test},
            {"irecv, testall", by_testall},
            {"probe, iprobe", by_probe},
            {"mprobe, improbe", by_matched_probe},
            {"recv_init", by_persistent}};
enum { WAYS = sizeof ways / sizeof *ways };

/* ---- rounds ---- */

/* Time for messages to arrive, and calls in which they may be staged. */
static void linger(void)
{
    MPI_Request none = MPI_REQUEST_NULL;
    int flag;
    for (int i = 0; i < 4; i++) {
        usleep(50);
        MPI_Test(&none, &flag, MPI_STATUS_IGNORE);
    }
}

static void exchange(int round, int repeat, way *receive)
{
    static message due[MAX_MESSAGES];
    static receiving r[MAX_MESSAGES];
    static sending s[MAX_MESSAGES];
    const int comm = comm_of(round);
    const int nsent = send_round(round, repeat, s), n = expect_round(round, repeat, due);
    type_now = with_holes(round) ? holes : MPI_BYTE;
    unit_now = with_holes(round) ? 8 : 1;
    if (mix((uint32_t)round, (uint32_t)repeat, t_rank, 6) % 2)
        linger();
    name_receives(round, due, n, r);
    receive(r, n, comms[comm]);
    for (int i = 0; i < n; i++) {
        check_receive(&r[i], comm);
        free(r[i].buf);
    }
    end_sends(s, nsent);
    /* wildcard receives must not match messages of the next round */
    if (pattern_of(round) == ANY_SOURCE || pattern_of(round) == ANY_AT_ALL ||
        pattern_of(round + (repeat == REPEATS - 1)) == ANY_SOURCE ||
        pattern_of(round + (repeat == REPEATS - 1)) == ANY_AT_ALL)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void rounds(int way_number, int n)
{
    t_point(ways[way_number].name);
    for (int i = 0; i < n; i++)
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            t_where("%s, round %d, repeat %d", ways[way_number].name, i, repeat);
            hinting = attune_pre_recv != NULL && i % 2;
            exchange(way_number * 1000 + i, repeat, ways[way_number].receive);
        }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Datatype blocks;
    MPI_Init(&argc, &argv);
    t_start(60);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Type_vector(2, 4, 8, MPI_BYTE, &blocks);
    MPI_Type_create_resized(blocks, 0, 16, &holes);
    MPI_Type_commit(&holes);
    MPI_Type_free(&blocks);
    const int n = argc > 1 ? atoi(argv[1]) : 6;
    for (int i = 0; i < WAYS; i++)
        rounds(i, n);
    for (int i = 0; i < COMMS; i++)
        free(expected[i].v);
    MPI_Type_free(&holes);
    MPI_Comm_free(&comms[1]);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
