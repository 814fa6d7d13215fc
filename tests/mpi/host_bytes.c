#include "host_bytes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GUARD = 64, GUARD_BYTE = 0xa5, SCRAMBLED = 0x5a };

unsigned char *t_out, *t_in, *t_wanted;
static size_t largest;
static uint64_t seed;
static t_rng own; /* different on every rank: for delays only */

static void spin(int us)
{
    const double end = MPI_Wtime() + 1e-6 * us;
    while (MPI_Wtime() < end)
        continue;
}

void t_arrive(void)
{
    const int kind = t_below(&own, 40);
    if (kind == 0)
        usleep((unsigned)t_below(&own, 4000));
    else if (kind < 8)
        spin(t_below(&own, 60));
}

typedef struct {
    int root;
    uint64_t seed;
    size_t bytes; /* of a block */
} message;

static uint64_t stream(const message *m, int from, int to)
{
    return m->seed * 1000003 + (uint64_t)from * 8191 + (uint64_t)to;
}

static unsigned char *block(unsigned char *base, const message *m, int i)
{
    return base + (size_t)i * m->bytes;
}

/* The sender may change its buffer as soon as the call has returned. */
void t_scramble(unsigned char *buffer, size_t bytes) { memset(buffer, SCRAMBLED, bytes); }

static void expect(const char *op, const message *m, int blocks)
{
    const size_t bytes = (size_t)blocks * m->bytes;
    size_t at = 0, guard = 0;
    if (memcmp(t_in, t_wanted, bytes) != 0)
        while (at < bytes && t_in[at] == t_wanted[at])
            at++;
    else
        at = bytes;
    t_check(at == bytes, "%s of %zu bytes, root %d: byte %zu is %d instead of %d", op, m->bytes,
            m->root, at, t_in[at], t_wanted[at]);
    while (guard < GUARD && t_in[bytes + guard] == GUARD_BYTE)
        guard++;
    t_check(guard == GUARD, "%s of %zu bytes: byte %zu behind the buffer changed", op, m->bytes,
            guard);
}

static void clear_in(const message *m, int blocks)
{
    memset(t_in, GUARD_BYTE, (size_t)blocks * m->bytes + GUARD);
}

static void do_bcast(const message *m)
{
    clear_in(m, 1);
    t_bytes(stream(m, m->root, 0), t_rank == m->root ? t_in : t_wanted, m->bytes);
    t_arrive();
    MPI_Bcast(t_in, (int)m->bytes, MPI_BYTE, m->root, MPI_COMM_WORLD);
    if (t_rank == m->root)
        t_scramble(t_in, m->bytes);
    else
        expect("bcast", m, 1);
}

/* wanted: the bitwise sum over ranks first .. last of their streams to `to`. */
static void want_sum(const message *m, int last, int to, unsigned char *sum)
{
    memset(sum, 0, m->bytes);
    for (int q = 0; q <= last; q++) {
        t_bytes(stream(m, q, to), t_out, m->bytes);
        for (size_t i = 0; i < m->bytes; i++)
            sum[i] ^= t_out[i];
    }
}

/* The result is computed first, because it needs the send buffer. */
static void operand(const message *m, int last, int blocks)
{
    clear_in(m, blocks);
    want_sum(m, last, 0, t_wanted);
    t_bytes(stream(m, t_rank, 0), t_out, m->bytes);
    t_arrive();
}

static void do_allreduce(const message *m)
{
    operand(m, t_ranks - 1, 1);
    MPI_Allreduce(t_out, t_in, (int)m->bytes, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
    t_scramble(t_out, m->bytes);
    expect("allreduce", m, 1);
}

static void do_in_place(const message *m)
{
    operand(m, t_ranks - 1, 1);
    memcpy(t_in, t_out, m->bytes);
    MPI_Allreduce(MPI_IN_PLACE, t_in, (int)m->bytes, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
    expect("allreduce in place", m, 1);
}

static void do_reduce(const message *m)
{
    operand(m, t_ranks - 1, 1);
    MPI_Reduce(t_out, t_in, (int)m->bytes, MPI_BYTE, MPI_BXOR, m->root, MPI_COMM_WORLD);
    t_scramble(t_out, m->bytes);
    if (t_rank == m->root)
        expect("reduce", m, 1);
}

static void do_scan(const message *m)
{
    operand(m, t_rank, 1);
    MPI_Scan(t_out, t_in, (int)m->bytes, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
    t_scramble(t_out, m->bytes);
    expect("scan", m, 1);
}

static void do_reduce_scatter(const message *m)
{
    clear_in(m, 1);
    want_sum(m, t_ranks - 1, t_rank, t_wanted);
    for (int q = 0; q < t_ranks; q++)
        t_bytes(stream(m, t_rank, q), block(t_out, m, q), m->bytes);
    t_arrive();
    MPI_Reduce_scatter_block(t_out, t_in, (int)m->bytes, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
    t_scramble(t_out, m->bytes * (size_t)t_ranks);
    expect("reduce_scatter_block", m, 1);
}

static void want_blocks(const message *m, bool to_me)
{
    clear_in(m, t_ranks);
    for (int q = 0; q < t_ranks; q++)
        t_bytes(stream(m, q, to_me ? t_rank : 0), block(t_wanted, m, q), m->bytes);
}

static void do_allgather(const message *m)
{
    want_blocks(m, false);
    t_bytes(stream(m, t_rank, 0), t_out, m->bytes);
    t_arrive();
    MPI_Allgather(t_out, (int)m->bytes, MPI_BYTE, t_in, (int)m->bytes, MPI_BYTE, MPI_COMM_WORLD);
    t_scramble(t_out, m->bytes);
    expect("allgather", m, t_ranks);
}

static void do_gather(const message *m)
{
    want_blocks(m, false);
    t_bytes(stream(m, t_rank, 0), t_out, m->bytes);
    t_arrive();
    MPI_Gather(t_out, (int)m->bytes, MPI_BYTE, t_in, (int)m->bytes, MPI_BYTE, m->root,
               MPI_COMM_WORLD);
    t_scramble(t_out, m->bytes);
    if (t_rank == m->root)
        expect("gather", m, t_ranks);
}

static void do_scatter(const message *m)
{
    clear_in(m, 1);
    for (int q = 0; q < t_ranks; q++)
        t_bytes(stream(m, m->root, q), block(t_out, m, q), m->bytes);
    t_bytes(stream(m, m->root, t_rank), t_wanted, m->bytes);
    t_arrive();
    MPI_Scatter(t_out, (int)m->bytes, MPI_BYTE, t_in, (int)m->bytes, MPI_BYTE, m->root,
                MPI_COMM_WORLD);
    t_scramble(t_out, m->bytes * (size_t)t_ranks);
    expect("scatter", m, 1);
}

static void do_alltoall(const message *m)
{
    want_blocks(m, true);
    for (int q = 0; q < t_ranks; q++)
        t_bytes(stream(m, t_rank, q), block(t_out, m, q), m->bytes);
    t_arrive();
    MPI_Alltoall(t_out, (int)m->bytes, MPI_BYTE, t_in, (int)m->bytes, MPI_BYTE, MPI_COMM_WORLD);
    t_scramble(t_out, m->bytes * (size_t)t_ranks);
    expect("alltoall", m, t_ranks);
}

static const struct {
    const char *name;
    bool blocks; /* a buffer has a block for every rank */
    void (*run)(const message *m);
} moves[] = {
    {"bcast", false, do_bcast},        {"allreduce", false, do_allreduce},
    {"in place", false, do_in_place},  {"reduce", false, do_reduce},
    {"scan", false, do_scan},          {"reduce_scatter", true, do_reduce_scatter},
    {"allgather", true, do_allgather}, {"gather", true, do_gather},
    {"scatter", true, do_scatter},     {"alltoall", true, do_alltoall},
};

void t_bytes_move(size_t bytes)
{
    static uint64_t number;
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        const message m = {.root = (int)(number % (uint64_t)t_ranks),
                           .seed = seed * 7919 + number,
                           .bytes = bytes};
        number++;
        if (bytes * (moves[i].blocks ? (size_t)t_ranks : 1) > largest)
            continue;
        t_where("%s of %zu bytes, root %d", moves[i].name, bytes, m.root);
        moves[i].run(&m);
    }
}

void t_bytes_begin(size_t bytes, uint64_t number)
{
    largest = bytes;
    seed = number;
    own = t_seed(seed, 31, (uint64_t)t_rank);
    t_out = t_alloc(largest + GUARD);
    t_in = t_alloc(largest + GUARD);
    t_wanted = t_alloc(largest + GUARD);
}

void t_bytes_end(void)
{
    free(t_out);
    free(t_in);
    free(t_wanted);
}
