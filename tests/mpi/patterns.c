/* patterns.c - calls whose sizes recur, change, alternate, or differ from a pattern on some ranks
 * only; every byte that is received is checked.
 *
 *   patterns CASE CALLS
 *
 * steady: one sparse pattern.  changing: another one every CALLS / 4 calls, one of them without any
 * data, another one with an idle rank.  alternating: two patterns in turn.  partial: in each fifth
 * call the sizes of a single pair differ.  inplace, gather, types: a steady one in MPI_IN_PLACE,
 * in allgatherv (in place in every third call, and with other sizes in the last third), and in
 * alltoallw.  parts: sub-communicators and the world by turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum { MOST = 64, UNIT = 1024 };

typedef struct {
    MPI_Comm comm;
    int p, r;
    int out[MOST], in[MOST], from[MOST], to[MOST], sent, received;
    unsigned char *source, *result;
} exchange;

/* Kilobytes from one rank to another in pattern `which`. */
static int size_of(int which, int p, int from, int to)
{
    const int distance = (to - from + p) % p;
    if (which == 3 || distance == 0 || (which == 2 && (from == p - 1 || to == p - 1)))
        return 0;
    if (which == 4) /* symmetric: usable in place */
        return from + to == p || from + to == 1 ? 24 + abs(from - to) : 0;
    return distance == 1 + which || distance == p / 2 ? (16 << (from + which) % 3) + which : 0;
}

static unsigned char byte_of(int from, int to, int call, int i)
{
    return (unsigned char)(from * 31 + to * 17 + call * 7 + i);
}

static void measure(exchange *x, int which, int odd)
{
    x->sent = x->received = 0;
    for (int j = 0; j < x->p; j++) {
        x->out[j] = UNIT * size_of(which, x->p, x->r, j) + (x->r == 0 && j == 1 ? odd : 0);
        x->in[j] = UNIT * size_of(which, x->p, j, x->r) + (j == 0 && x->r == 1 ? odd : 0);
        x->from[j] = x->sent;
        x->to[j] = x->received;
        x->sent += x->out[j];
        x->received += x->in[j];
    }
}

/* Some bytes of every block. */
static void fill(exchange *x, int call)
{
    for (int j = 0; j < x->p; j++)
        for (int i = 0; i < x->out[j]; i += 509)
            x->source[x->from[j] + i] = byte_of(x->r, j, call, i);
    memset(x->result, 0, (size_t)x->received);
}

static int wrong(const exchange *x, int call)
{
    int n = 0;
    for (int j = 0; j < x->p; j++)
        for (int i = 0; i < x->in[j]; i += 509)
            n += x->result[x->to[j] + i] != byte_of(j, x->r, call, i);
    return n;
}

static exchange begin(MPI_Comm comm)
{
    exchange x = {.comm = comm};
    MPI_Comm_size(comm, &x.p);
    MPI_Comm_rank(comm, &x.r);
    x.source = t_alloc((size_t)x.p * 128 * UNIT);
    x.result = t_alloc((size_t)x.p * 128 * UNIT);
    return x;
}

static void end(exchange *x)
{
    free(x->source);
    free(x->result);
}

/* ---- a call; each returns the number of wrong bytes ---- */

static int send_all(exchange *x, int which, int odd, int call)
{
    measure(x, which, odd);
    fill(x, call);
    MPI_Alltoallv(x->source, x->out, x->from, MPI_BYTE, x->result, x->in, x->to, MPI_BYTE, x->comm);
    return wrong(x, call);
}

static int send_in_place(exchange *x, int call)
{
    measure(x, 4, 0);
    for (int j = 0; j < x->p; j++)
        for (int i = 0; i < x->in[j]; i += 509)
            x->result[x->to[j] + i] = byte_of(x->r, j, call, i);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_BYTE, x->result, x->in, x->to, MPI_BYTE, x->comm);
    return wrong(x, call);
}

static int send_types(exchange *x, int call)
{
    MPI_Datatype types[MOST];
    for (int j = 0; j < x->p; j++)
        types[j] = MPI_BYTE;
    measure(x, 0, 0);
    fill(x, call);
    MPI_Alltoallw(x->source, x->out, x->from, types, x->result, x->in, x->to, types, x->comm);
    return wrong(x, call);
}

static int gather(exchange *x, bool late, int call)
{
    x->received = 0;
    for (int j = 0; j < x->p; j++) {
        x->in[j] = UNIT * (j % 3 == 1 ? 96 : late ? 3 : j % 2);
        x->to[j] = x->received;
        x->received += x->in[j];
    }
    memset(x->result, 0, (size_t)x->received);
    unsigned char *const own = call % 3 == 0 ? x->result + x->to[x->r] : x->source;
    for (int i = 0; i < x->in[x->r]; i += 509)
        own[i] = byte_of(x->r, 0, call, i);
    MPI_Allgatherv(call % 3 == 0 ? MPI_IN_PLACE : (void *)own, x->in[x->r], MPI_BYTE, x->result,
                   x->in, x->to, MPI_BYTE, x->comm);
    int n = 0;
    for (int j = 0; j < x->p; j++)
        for (int i = 0; i < x->in[j]; i += 509)
            n += x->result[x->to[j] + i] != byte_of(j, 0, call, i);
    return n;
}

/* ---- cases ---- */

static int steady(exchange *x, int call, int calls)
{
    (void)calls;
    return send_all(x, 0, 0, call);
}
static int changing(exchange *x, int call, int calls)
{
    return send_all(x, 4 * call / calls, 0, call);
}
static int alternating(exchange *x, int call, int calls)
{
    (void)calls;
    return send_all(x, call % 2, 0, call);
}
static int partial(exchange *x, int call, int calls)
{
    (void)calls;
    return send_all(x, 0, call % 5 == 4 ? 777 : 0, call);
}
static int inplace(exchange *x, int call, int calls)
{
    (void)calls;
    return send_in_place(x, call);
}
static int gathers(exchange *x, int call, int calls)
{
    return gather(x, call >= calls / 3 * 2, call);
}
static int types(exchange *x, int call, int calls)
{
    (void)calls;
    return send_types(x, call);
}

static const struct {
    const char *name;
    int (*make)(exchange *x, int call, int calls);
} cases[] = {{"steady", steady},
             {"changing", changing},
             {"alternating", alternating},
             {"partial", partial},
             {"inplace", inplace},
             {"gather", gathers},
             {"types", types},
             {NULL, NULL}};

static void run(const char *name, int calls)
{
    exchange x = begin(MPI_COMM_WORLD);
    int which = 0;
    while (cases[which].name && strcmp(cases[which].name, name) != 0)
        which++;
    if (!cases[which].name)
        t_die("unknown case %s", name);
    t_point(name);
    for (int i = 0; i < calls; i++) {
        t_where("call %d", i);
        const int n = cases[which].make(&x, i, calls);
        t_check(n == 0, "%d wrong bytes in call %d", n, i);
    }
    end(&x);
}

/* Ranks of one half have other patterns, and make other numbers of calls. */
static void run_parts(int calls)
{
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, t_rank, &half);
    exchange world = begin(MPI_COMM_WORLD), part = begin(half);
    t_point("parts");
    for (int i = 0; i < calls; i++) {
        t_where("call %d", i);
        int n = send_all(&world, i < calls / 2 ? 0 : 1, 0, i);
        for (int k = 0; k <= t_rank % 2; k++)
            n += send_all(&part, t_rank % 2, 0, i);
        t_check(n == 0, "%d wrong bytes in call %d", n, i);
    }
    end(&world);
    end(&part);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    const char *const name = argc > 1 ? argv[1] : "steady";
    const int calls = argc > 2 ? atoi(argv[2]) : 40;
    t_fake_hosts();
    MPI_Init(&argc, &argv);
    t_start(60);
    if (strcmp(name, "parts") == 0)
        run_parts(calls);
    else
        run(name, calls);
    const int failed = t_finish();
    MPI_Finalize();
    return failed;
}
