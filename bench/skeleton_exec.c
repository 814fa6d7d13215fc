/* skeleton_exec.c - executes a communication skeleton and checks the source of each message.
 *
 *   skeleton_exec NAME [ITERATIONS]     bt | cg | lu | mg | qcd | sp | transpose
 *
 * Every call of the application has its own call site in this file, so that a tracer sees as many
 * call sites as in the application.  Rank 0 prints messages, bytes and seconds of all ranks as CSV.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "research/skeleton/skeleton.h"

/* A call that the compiler must neither merge with another nor turn into a tail call. */
#define HERE(n, ...)                                                                               \
    case n:                                                                                        \
        __VA_ARGS__;                                                                               \
        __asm__ volatile("# site " #n);                                                            \
        break;
#define EACH_SITE(X)                                                                               \
    X(0)                                                                                           \
    X(1)                                                                                           \
    X(2)                                                                                           \
    X(3)                                                                                           \
    X(4)                                                                                           \
    X(5)                                                                                           \
    X(6)                                                                                           \
    X(7)                                                                                           \
    X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
_Static_assert(ATN_SKELETON_SITES == 24, "one call per site");

enum { MAX_REQUESTS = 64 };

/* The header of every message. */
typedef struct {
    int sender, tag;
} stamp;

typedef struct {
    const char *buffer; /* NULL for a send */
    stamp wanted;
} pending;

typedef struct {
    int r, n; /* n: requests */
    MPI_Comm comms[ATN_SKELETON_COMMS];
    char *buffers[ATN_SKELETON_BUFFERS], *sending;
    MPI_Request requests[MAX_REQUESTS];
    pending pending[MAX_REQUESTS];
    double messages, bytes;
} player;

static void give_up(const char *why, int number)
{
    fprintf(stderr, "skeleton_exec: %s %d\n", why, number);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- calls, by site ---- */

static void send(const atn_skeleton_call *c, const char *data, MPI_Comm comm)
{
    switch (c->site) {
#define X(n) HERE(n, MPI_Send(data, c->bytes, MPI_BYTE, c->partner, c->tag, comm))
        EACH_SITE(X)
#undef X
    }
}

static void receive(const atn_skeleton_call *c, char *data, MPI_Comm comm)
{
    switch (c->site) {
#define X(n)                                                                                       \
    HERE(n, MPI_Recv(data, c->bytes, MPI_BYTE, c->partner, c->tag, comm, MPI_STATUS_IGNORE))
        EACH_SITE(X)
#undef X
    }
}

static void start_send(const atn_skeleton_call *c, const char *data, MPI_Comm comm, MPI_Request *q)
{
    switch (c->site) {
#define X(n) HERE(n, MPI_Isend(data, c->bytes, MPI_BYTE, c->partner, c->tag, comm, q))
        EACH_SITE(X)
#undef X
    }
}

static void start_receive(const atn_skeleton_call *c, char *data, MPI_Comm comm, MPI_Request *q)
{
    const int from = c->partner == ATN_ANY_PARTNER ? MPI_ANY_SOURCE : c->partner;
    switch (c->site) {
#define X(n) HERE(n, MPI_Irecv(data, c->bytes, MPI_BYTE, from, c->tag, comm, q))
        EACH_SITE(X)
#undef X
    }
}

static void shift(const atn_skeleton_call *c, char *data, MPI_Comm comm)
{
    switch (c->site) {
#define X(n)                                                                                       \
    HERE(n, MPI_Sendrecv_replace(data, c->bytes, MPI_BYTE, c->partner, c->tag, c->from, c->tag,    \
                                 comm, MPI_STATUS_IGNORE))
        EACH_SITE(X)
#undef X
    }
}

/* ---- execution ---- */

static void put_stamp(const player *p, char *data, const atn_skeleton_call *c)
{
    const stamp s = {p->r, c->tag};
    memcpy(data, &s, sizeof s);
}

static void check_stamp(const char *data, stamp wanted)
{
    stamp s;
    memcpy(&s, data, sizeof s);
    if (s.sender != wanted.sender || s.tag != wanted.tag)
        give_up("wrong source of a message: rank", s.sender);
}

static void wait_for_all(player *p)
{
    if (MPI_Waitall(p->n, p->requests, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
        give_up("waiting failed on rank", p->r);
    for (int i = 0; i < p->n; i++)
        if (p->pending[i].buffer)
            check_stamp(p->pending[i].buffer, p->pending[i].wanted);
    p->n = 0;
}

static void start(player *p, const atn_skeleton_call *c, char *data)
{
    const bool sends = c->kind == ATN_SKELETON_ISEND;
    const int from = c->partner == ATN_ANY_PARTNER ? c->from : c->partner;
    if (p->n == MAX_REQUESTS)
        give_up("too many requests on rank", p->r);
    p->pending[p->n] = (pending){.buffer = sends ? NULL : data, .wanted = {from, c->tag}};
    if (sends) {
        put_stamp(p, data, c);
        start_send(c, data, p->comms[c->comm], &p->requests[p->n]);
    } else {
        start_receive(c, data, p->comms[c->comm], &p->requests[p->n]);
    }
    p->n++;
}

static void sum(player *p, const atn_skeleton_call *c)
{
    memset(p->sending, 0, (size_t)c->bytes);
    MPI_Allreduce(MPI_IN_PLACE, p->sending, c->bytes / 8, MPI_DOUBLE, MPI_SUM, p->comms[0]);
}

static void execute(player *p, const atn_skeleton_call *c)
{
    char *data = p->buffers[c->buffer];
    switch (c->kind) {
    case ATN_SKELETON_SEND:
        put_stamp(p, p->sending, c);
        send(c, p->sending, p->comms[c->comm]);
        break;
    case ATN_SKELETON_RECV:
        receive(c, data, p->comms[c->comm]);
        check_stamp(data, (stamp){c->partner, c->tag});
        break;
    case ATN_SKELETON_SHIFT:
        put_stamp(p, data, c);
        shift(c, data, p->comms[c->comm]);
        check_stamp(data, (stamp){c->from, c->tag});
        break;
    case ATN_SKELETON_ISEND:
    case ATN_SKELETON_IRECV:
        start(p, c, data);
        break;
    case ATN_SKELETON_WAIT:
        wait_for_all(p);
        break;
    case ATN_SKELETON_SUM:
        sum(p, c);
        break;
    }
}

/* ---- setup and result ---- */

static bool is_send(atn_skeleton_kind k)
{
    return k == ATN_SKELETON_SEND || k == ATN_SKELETON_ISEND || k == ATN_SKELETON_SHIFT;
}

/* Allocates each buffer for its largest message. */
static void make_room(player *p, const atn_skeleton_run *run)
{
    size_t room[ATN_SKELETON_BUFFERS] = {0}, sending = 64;
    for (int i = 0; i < run->calls.n; i++) {
        const atn_skeleton_call *c = &run->calls.v[i];
        const size_t bytes = (size_t)c->bytes + sizeof(stamp);
        room[c->buffer] = bytes > room[c->buffer] ? bytes : room[c->buffer];
        sending = bytes > sending ? bytes : sending;
        p->messages += is_send(c->kind);
        p->bytes += is_send(c->kind) ? c->bytes : 0;
    }
    p->sending = calloc(1, sending);
    for (int i = 0; i < ATN_SKELETON_BUFFERS; i++)
        p->buffers[i] = calloc(1, room[i] + 1);
    for (int i = 0; i < ATN_SKELETON_BUFFERS; i++)
        if (!p->sending || !p->buffers[i])
            give_up("out of memory on rank", p->r);
    p->comms[0] = MPI_COMM_WORLD;
    for (int i = 1; i < ATN_SKELETON_COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &p->comms[i]);
}

static void clean_up(player *p)
{
    for (int i = 0; i < ATN_SKELETON_BUFFERS; i++)
        free(p->buffers[i]);
    free(p->sending);
    for (int i = 1; i < ATN_SKELETON_COMMS; i++)
        MPI_Comm_free(&p->comms[i]);
}

static void print_result(player *p, const char *name, int ranks, int iterations, double seconds)
{
    double all[2] = {p->messages, p->bytes};
    MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (p->r == 0)
        printf("skeleton,ranks,iterations,messages,bytes,seconds\n%s,%d,%d,%.0f,%.0f,%.6f\n", name,
               ranks, iterations, all[0], all[1], seconds);
}

static atn_status prepare(int argc, char **argv, int p, int r, atn_skeleton_run *run,
                          atn_error *err)
{
    const atn_skeleton *s = argc > 1 ? atn_skeleton_find(argv[1]) : NULL;
    const int iterations = argc > 2 ? atoi(argv[2]) : 0;
    if (!s || argc > 3 || iterations < 0)
        return atn_fail(err, ATN_USAGE, "usage: skeleton_exec NAME [ITERATIONS]");
    return atn_skeleton_emit(s, p, r, iterations, run, err);
}

int main(int argc, char **argv)
{
    static player p;
    int ranks;
    atn_skeleton_run run = {0};
    atn_error err = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.r);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const atn_status st = prepare(argc, argv, ranks, p.r, &run, &err);
    if (st && p.r == 0)
        fprintf(stderr, "skeleton_exec: %s\n", err.text);
    if (!st) {
        make_room(&p, &run);
        MPI_Barrier(MPI_COMM_WORLD);
        const double start_s = MPI_Wtime();
        for (int i = 0; i < run.calls.n; i++)
            execute(&p, &run.calls.v[i]);
        wait_for_all(&p);
        print_result(&p, argv[1], ranks, run.iterations, MPI_Wtime() - start_s);
        clean_up(&p);
        atn_vec_free(&run.calls);
    }
    MPI_Finalize();
    return st;
}
