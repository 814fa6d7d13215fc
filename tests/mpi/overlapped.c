/* overlapped.c - long nonblocking collectives that online tuning serves: few classes, many calls,
 * some open at once, ranks that start late, blocking calls and new communicators in between.
 *
 *     overlapped [SEED [CALLS [OPEN]]]     OPEN: number of calls that are open at once, at most
 *
 * All ranks derive the same calls from the seed; when they start and complete them differs. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_OPEN = 64, LONGEST = 6000 };
enum { BCAST, ALLREDUCE, ALLTOALL, ALLGATHER, KINDS };
static const int lengths[] = {2500, LONGEST};

typedef struct {
    int kind, count, value;
    MPI_Comm comm;
    int *from, *to;
} call;

static call calls[MOST_OPEN];
static MPI_Request requests[MOST_OPEN];
static int p, r;

static void fill(int *to, int n, int value)
{
    for (int i = 0; i < n; i++)
        to[i] = value + i;
}

/* Contribution of a rank to a call. */
static int part(const call *x, int rank) { return x->value + 7 * rank; }

static void start(call *x, MPI_Request *request)
{
    const int n = x->count;
    MPI_Comm_size(x->comm, &p);
    MPI_Comm_rank(x->comm, &r);
    for (int i = 0; i < p && x->kind == ALLTOALL; i++)
        fill(x->from + i * n, n, part(x, r) + i);
    if (x->kind != ALLTOALL)
        fill(x->from, n, part(x, r));
    if (x->kind == BCAST && r == x->value % p)
        fill(x->to, n, x->value);
    switch (x->kind) {
    case BCAST:
        MPI_Ibcast(x->to, n, MPI_INT, x->value % p, x->comm, request);
        break;
    case ALLREDUCE:
        MPI_Iallreduce(x->from, x->to, n, MPI_INT, MPI_SUM, x->comm, request);
        break;
    case ALLTOALL:
        MPI_Ialltoall(x->from, n, MPI_INT, x->to, n, MPI_INT, x->comm, request);
        break;
    default:
        MPI_Iallgather(x->from, n, MPI_INT, x->to, n, MPI_INT, x->comm, request);
    }
}

static int wanted(const call *x, int block, int i)
{
    int sum = 0;
    switch (x->kind) {
    case BCAST:
        return x->value + i;
    case ALLREDUCE:
        for (int k = 0; k < p; k++)
            sum += part(x, k) + i;
        return sum;
    case ALLTOALL:
        return part(x, block) + r + i;
    default:
        return part(x, block) + i;
    }
}

static void check(call *x, int number)
{
    long bad = 0;
    MPI_Comm_size(x->comm, &p);
    MPI_Comm_rank(x->comm, &r);
    const int blocks = x->kind == ALLTOALL || x->kind == ALLGATHER ? p : 1;
    for (int b = 0; b < blocks; b++)
        for (int i = 0; i < x->count; i++)
            bad += x->to[b * x->count + i] != wanted(x, b, i);
    t_check(bad == 0, "call %d, kind %d, %d ints: %ld wrong", number, x->kind, x->count, bad);
    for (int i = 0; i < blocks * x->count; i++)
        x->to[i] = -1;
}

/* A few at once; the last rank sometimes is late. */
static void batch(t_rng *rng, MPI_Comm comm, int number, int n)
{
    if (t_below(rng, 8) == 0 && t_rank == t_ranks - 1)
        usleep(2000);
    for (int k = 0; k < n; k++) {
        call *x = &calls[k];
        x->kind = t_below(rng, 12) == 0 ? t_below(rng, KINDS) : ALLREDUCE - (number / 64 % 2);
        x->count = lengths[t_below(rng, 16) == 0];
        x->value = number + k;
        x->comm = comm;
        t_where("call %d of kind %d, %d ints", x->value, x->kind, x->count);
        start(x, &requests[k]);
    }
    t_where("call %d to %d", number, number + n - 1);
    if (t_below(rng, 2) == 0)
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    for (int k = n - 1; k >= 0; k--)
        MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
    for (int k = 0; k < n; k++)
        check(&calls[k], number + k);
}

static void run(uint64_t seed, int n, int most_open)
{
    t_rng rng = t_seed(seed, 1, 2);
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int number = 0; number < n;) {
        const int some = 1 + t_below(&rng, most_open);
        batch(&rng, t_below(&rng, 6) == 0 ? other : MPI_COMM_WORLD, number, some);
        number += some;
        if (t_below(&rng, 10) == 0)
            MPI_Barrier(MPI_COMM_WORLD);
        if (t_below(&rng, 100) == 0) {
            MPI_Comm_free(&other);
            MPI_Comm_dup(MPI_COMM_WORLD, &other);
        }
    }
    MPI_Comm_free(&other);
}

int main(int argc, char **argv)
{
    char name[64];
    t_fake_hosts();
    MPI_Init(&argc, &argv);
    t_start(100);
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int n = argc > 2 ? atoi(argv[2]) : 1000, most_open = argc > 3 ? atoi(argv[3]) : 1;
    snprintf(name, sizeof name, "%d calls, %d open at once, seed %llu", n, most_open,
             (unsigned long long)seed);
    for (int i = 0; i < MOST_OPEN; i++) {
        calls[i].from = t_alloc(sizeof(int) * LONGEST * (size_t)t_ranks);
        calls[i].to = t_alloc(sizeof(int) * LONGEST * (size_t)t_ranks);
    }
    t_point(name);
    run(seed, n, most_open < MOST_OPEN ? most_open : MOST_OPEN);
    for (int i = 0; i < MOST_OPEN; i++) {
        free(calls[i].from);
        free(calls[i].to);
    }
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
