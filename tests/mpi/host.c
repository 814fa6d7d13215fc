/* host.c - stress test of collectives between ranks of one host: random arrivals, buffers that are
 * overwritten at once, sizes around every limit of a transport, types with holes, operators that do
 * not commute, many communicators, pending messages, fork, threads.  Every rank computes the
 * expected results itself.
 *
 *   host [single|threads [LARGEST [SEED]]]     LARGEST: bytes of the largest buffer (4 MB) */
#include "exercise.h"
#include "host_bytes.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PENDING = 8 << 20, TAG = 4 };

static size_t largest = (size_t)4 << 20;
static uint64_t seed = 1;

static void sizes(void)
{
    t_point("sizes around every power of two");
    t_bytes_move(0);
    for (size_t size = 1; size <= largest; size *= 2)
        for (size_t bytes = size - 1; bytes <= size + 1; bytes++)
            t_bytes_move(bytes);
}

/* Where messages fit into a slot with its header, or are sent in chunks. */
static void limits(void)
{
    static const size_t near[] = {24, 40, 48, 56, 112, 120, 240, 248, 4032, 8128, 32704, 65472};
    t_point("sizes around the limits of slots and chunks");
    for (size_t i = 0; i < sizeof near / sizeof *near; i++)
        for (size_t bytes = near[i] - 2; bytes <= near[i] + 10; bytes++)
            if (bytes <= largest)
                t_bytes_move(bytes);
}

static void random_sizes(int calls)
{
    t_rng all = t_seed(seed, 11, 0);
    t_point("random sizes");
    for (int i = 0; i < calls; i++) {
        const int bits = t_below(&all, 22);
        t_bytes_move((size_t)t_below(&all, 1 << bits) % (largest + 1));
    }
}

/* ---- many calls without any pause: results are checked afterwards ---- */

enum { BURST = 300 };
static void burst(int number)
{
    t_rng all = t_seed(seed, 21, (uint64_t)number);
    static const int steps[] = {1, 8, 60, 200, 3000, 9000};
    const int step = steps[number % 6];
    unsigned char *at = t_in;
    int roots[BURST], bytes[BURST], calls = 0;
    t_where("burst %d of up to %d bytes", number, step);
    for (; calls < BURST && (size_t)(at - t_in) + (size_t)step <= largest; calls++) {
        bytes[calls] = t_below(&all, step + 1);
        roots[calls] = t_below(&all, t_ranks);
        unsigned char *buffer = t_rank == roots[calls] ? t_out : at;
        if (t_rank == roots[calls])
            t_bytes((uint64_t)calls + 1, buffer, (size_t)bytes[calls]);
        MPI_Bcast(buffer, bytes[calls], MPI_BYTE, roots[calls], MPI_COMM_WORLD);
        t_scramble(t_out, (size_t)step);
        at += bytes[calls];
    }
    at = t_in;
    for (int i = 0; i < calls; at += bytes[i], i++) {
        t_bytes((uint64_t)i + 1, t_wanted, (size_t)bytes[i]);
        t_check(t_rank == roots[i] || memcmp(at, t_wanted, (size_t)bytes[i]) == 0,
                "call %d of burst %d: wrong bytes", i, number);
    }
}

static void bursts(int rounds)
{
    t_point("many calls without a pause");
    for (int i = 0; i < rounds; i++) {
        t_arrive();
        burst(i);
    }
}

/* ---- barrier: no rank leaves before every rank has entered ---- */

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void barriers(int rounds)
{
    t_point("no rank leaves a barrier before all have entered it");
    for (int i = 0; i < rounds; i++) {
        int64_t mine[2], last;
        t_arrive();
        mine[0] = now_ns();
        MPI_Barrier(MPI_COMM_WORLD);
        mine[1] = now_ns();
        t_real()->Allreduce(&mine[0], &last, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        t_check(mine[1] >= last, "barrier %d: left %lld ns too early", i,
                (long long)(last - mine[1]));
    }
}

/* ---- datatypes with holes ---- */

enum { STRIDE = 3 }; /* one integer, two of hole */

static MPI_Datatype holes_type(void)
{
    MPI_Datatype type;
    MPI_Type_create_resized(MPI_INT, 0, STRIDE * (MPI_Aint)sizeof(int), &type);
    MPI_Type_commit(&type);
    return type;
}

/* Returns the number of wrong values, holes included. */
static long wrong_holes(const int *got, int count, int first)
{
    long bad = 0;
    for (int i = 0; i < count * STRIDE; i++)
        bad += got[i] != (i % STRIDE ? -1 : first + i / STRIDE);
    return bad;
}

static void fill_holes(int *to, int count, int first)
{
    for (int i = 0; i < count * STRIDE; i++)
        to[i] = i % STRIDE ? -1 : first + i / STRIDE;
}

static void blank(int *to, int count)
{
    for (int i = 0; i < count * STRIDE; i++)
        to[i] = -1;
}

static void move_holes(MPI_Datatype type, int count, int root)
{
    int *mine = (int *)t_out, *all = (int *)t_in;
    blank(all, count * t_ranks);
    fill_holes(mine, count, 1000 * t_rank);
    t_where("%d elements with holes, root %d", count, root);
    t_arrive();
    MPI_Allgather(mine, count, type, all, count, type, MPI_COMM_WORLD);
    t_scramble(t_out, (size_t)(count * STRIDE) * sizeof(int));
    for (int q = 0; q < t_ranks; q++)
        t_check(wrong_holes(all + q * count * STRIDE, count, 1000 * q) == 0, "allgather");
    blank(all, count);
    if (t_rank == root)
        fill_holes(all, count, 77);
    MPI_Bcast(all, count, type, root, MPI_COMM_WORLD);
    t_check(wrong_holes(all, count, 77) == 0, "bcast");
}

static void holes(void)
{
    MPI_Datatype type = holes_type();
    t_point("datatypes with holes");
    for (int count = 1; (size_t)(count * STRIDE * t_ranks) * sizeof(int) <= largest; count *= 2)
        for (int more = -1; more <= 1; more++)
            if ((size_t)((count + more) * STRIDE * t_ranks) * sizeof(int) <= largest)
                move_holes(type, count + more, count % t_ranks);
    MPI_Type_free(&type);
}

/* ---- an operator that does not commute: composition of maps x -> ax + b ---- */

typedef struct {
    uint32_t a, b;
} affine;

static void compose(void *first, void *second, int *n, MPI_Datatype *type)
{
    const affine *f = first;
    affine *g = second;
    (void)type;
    for (int i = 0; i < *n; i++)
        g[i] = (affine){f[i].a * g[i].a, f[i].b * g[i].a + g[i].b};
}

static affine map_of(int rank, int i)
{
    return (affine){(uint32_t)(2 * (rank + i) + 3), (uint32_t)(rank * 31 + i)};
}

static long wrong_maps(const affine *got, int n, int last)
{
    long bad = 0;
    for (int i = 0; i < n; i++) {
        affine want = map_of(0, i);
        for (int q = 1; q <= last; q++) {
            affine next = map_of(q, i);
            int one = 1;
            compose(&want, &next, &one, NULL);
            want = next;
        }
        bad += got[i].a != want.a || got[i].b != want.b;
    }
    return bad;
}

static void reduce_maps(MPI_Datatype type, MPI_Op op, int n)
{
    affine *mine = (affine *)t_out, *result = (affine *)t_in;
    t_where("%d maps", n);
    for (int i = 0; i < n; i++)
        mine[i] = map_of(t_rank, i);
    t_arrive();
    MPI_Allreduce(mine, result, n, type, op, MPI_COMM_WORLD);
    t_check(wrong_maps(result, n, t_ranks - 1) == 0, "allreduce of %d maps", n);
    MPI_Scan(mine, result, n, type, op, MPI_COMM_WORLD);
    t_check(wrong_maps(result, n, t_rank) == 0, "scan of %d maps", n);
    MPI_Reduce(mine, result, n, type, op, n % t_ranks, MPI_COMM_WORLD);
    t_scramble(t_out, (size_t)n * sizeof *mine);
    t_check(t_rank != n % t_ranks || wrong_maps(result, n, t_ranks - 1) == 0, "reduce of %d", n);
}

static void operators(void)
{
    MPI_Datatype type;
    MPI_Op op;
    t_point("an operator that does not commute");
    MPI_Type_contiguous(2, MPI_UINT32_T, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose, 0, &op);
    for (int n = 1; (size_t)n * sizeof(affine) <= largest / 4; n = n * 3 + 1)
        reduce_maps(type, op, n);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

/* ---- all operations, on many communicators ---- */

static void all_operations(int rounds)
{
    t_point("all operations with random arrivals");
    for (int i = 0; i < rounds; i++)
        for (int which = 0; which < T_EXERCISES; which++) {
            const int elements = 1 << (i % 15);
            t_where("%s, round %d, about %d elements", t_exercise_name(which), i, elements);
            t_arrive();
            t_check(t_exercise(which, MPI_COMM_WORLD, seed + (uint64_t)(100 * i + which),
                               elements / t_ranks + 1) == 0,
                    "wrong values");
        }
}

static void communicators(int n)
{
    MPI_Comm *comm = t_alloc(sizeof(MPI_Comm) * (size_t)n);
    t_point("hundreds of communicators");
    for (int i = 0; i < n; i++) {
        t_where("communicator %d", i);
        if (i % 2)
            MPI_Comm_split(MPI_COMM_WORLD, i % 3 ? 0 : t_rank % 2, i % 5 ? -t_rank : t_rank,
                           &comm[i]);
        else
            MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        t_check(t_exercise(12, comm[i], (uint64_t)i, 20) == 0, "allreduce on communicator %d", i);
    }
    for (int i = 0; i < 2 * n; i++) {
        const int which = i * 7 % n;
        t_check(t_exercise(i % T_EXERCISES, comm[which], (uint64_t)i, 100) == 0, "%s",
                t_exercise_name(i % T_EXERCISES));
    }
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&comm[i]);
    t_check(t_exercise_all(MPI_COMM_WORLD, seed, 50) == 0, "after all were freed");
    free(comm);
}

/* ---- messages that complete only if a rank inside of a collective progresses them ---- */

static void small_collective(int kind)
{
    int mine = t_rank + 1, sum = 0, from_one = t_rank == 1 ? 4711 : 0;
    switch (kind % 3) {
    case 0:
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        t_check(sum == t_ranks * (t_ranks + 1) / 2, "the sum is %d", sum);
        break;
    case 1:
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    default: /* the root is a rank that receives first */
        MPI_Bcast(&from_one, 1, MPI_INT, 1, MPI_COMM_WORLD);
        t_check(from_one == 4711, "received %d", from_one);
    }
}

/* Even ranks send and enter the collective; odd ranks enter it after they have received. */
static void pending_send(int kind, unsigned char *buffer, int bytes, bool synchronous)
{
    const bool sends = t_rank % 2 == 0 && t_rank + 1 < t_ranks, receives = t_rank % 2 == 1;
    MPI_Request request = MPI_REQUEST_NULL;
    if (sends) {
        t_bytes((uint64_t)(kind + t_rank), buffer, (size_t)bytes);
        if (synchronous)
            MPI_Issend(buffer, bytes, MPI_BYTE, t_rank + 1, TAG, MPI_COMM_WORLD, &request);
        else
            MPI_Isend(buffer, bytes, MPI_BYTE, t_rank + 1, TAG, MPI_COMM_WORLD, &request);
    } else if (receives) {
        usleep((unsigned)(kind % 4) * 3000);
        unsigned char *want = t_alloc((size_t)bytes);
        MPI_Recv(buffer, bytes, MPI_BYTE, t_rank - 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        t_bytes((uint64_t)(kind + t_rank - 1), want, (size_t)bytes);
        t_check(memcmp(buffer, want, (size_t)bytes) == 0, "the pending message has wrong bytes");
        free(want);
    }
    small_collective(kind);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void pending(int rounds)
{
    unsigned char *buffer = t_alloc(PENDING);
    t_point("pending messages progress in a collective");
    for (int i = 0; i < rounds; i++) {
        t_where("pending message %d", i);
        pending_send(i, buffer, PENDING, false);
        pending_send(i + 1, buffer, 16, true);
    }
    free(buffer);
}

/* Odd ranks complete a nonblocking collective first, even ranks last. */
static void pending_collective(int rounds)
{
    MPI_Comm dup;
    t_point("nonblocking collectives progress in a collective");
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    for (int i = 0; i < rounds; i++) {
        int mine = t_rank, sum = -1;
        MPI_Request request;
        t_where("nonblocking collective %d", i);
        MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, dup, &request);
        if (t_rank % 2)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        small_collective(i);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        t_check(sum == t_ranks * (t_ranks - 1) / 2, "the sum is %d", sum);
    }
    MPI_Comm_free(&dup);
}

/* ---- fork: the child ends at once, the pages of the parent are copied on write ---- */

static void forks(int rounds)
{
    t_point("collectives after fork");
    for (int i = 0; i < rounds; i++) {
        pid_t child = 0;
        t_where("fork %d", i);
        if (i % t_ranks == t_rank) {
            child = fork();
            if (child == 0)
                _exit(0);
        }
        t_bytes_move((size_t)1 << (i % 19));
        if (child > 0)
            waitpid(child, NULL, 0);
        t_check(t_exercise_all(MPI_COMM_WORLD, seed + (uint64_t)i, 60) == 0, "wrong values");
    }
}

/* ---- threads on different communicators ---- */

enum { THREADS = 3 };
typedef struct {
    pthread_t id;
    MPI_Comm comm;
    int number, rounds;
    long wrong;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    for (int i = 0; i < w->rounds; i++)
        w->wrong += t_exercise_all(w->comm, (uint64_t)(1000 * w->number + i), 1 << (i % 14));
    return NULL;
}

static void threads(int rounds)
{
    worker workers[THREADS];
    t_point("threads on different communicators");
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.number = i, .rounds = rounds};
        MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? -t_rank : t_rank, &workers[i].comm);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&workers[i].id, NULL, work, &workers[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].id, NULL);
        t_check(workers[i].wrong == 0, "thread %d: %ld wrong values", i, workers[i].wrong);
        MPI_Comm_free(&workers[i].comm);
    }
}

static void run_all(int effort)
{
    sizes();
    limits();
    random_sizes(10 * effort);
    bursts(6 * effort);
    barriers(50 * effort);
    holes();
    operators();
    all_operations(5 * effort);
    communicators(300);
    pending(4 * effort);
    pending_collective(10 * effort);
    forks(5 * effort);
}

int main(int argc, char **argv)
{
    const bool threaded = argc > 1 && strcmp(argv[1], "threads") == 0;
    int provided;
    MPI_Init_thread(&argc, &argv, threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    t_start(200);
    t_fake_hosts();
    largest = argc > 2 ? (size_t)atol(argv[2]) : largest;
    seed = argc > 3 ? (uint64_t)atol(argv[3]) : seed;
    t_bytes_begin(largest, seed);
    t_exercise_begin();
    if (!threaded)
        run_all(t_ranks <= 2 ? 4 : 1);
    else if (provided == MPI_THREAD_MULTIPLE)
        threads(t_ranks <= 2 ? 28 : 14);
    else {
        t_point("threads on different communicators");
        t_skip("this MPI does not provide MPI_THREAD_MULTIPLE");
    }
    t_exercise_end();
    t_bytes_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
