/* repeat.c - the fast path of repeated calls.  Calls that differ slightly - another operator, type,
 * root, buffer, in place or not, after a handle was freed and reused, after more sizes than plans
 * are cached - must not be taken for repetitions.
 *
 *   repeat [ROUNDS] */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 400, SIZES = 150, BLOCK = 12, RANKS = 16 };

static int64_t in[MOST], out[MOST];
static int32_t in32[MOST], out32[MOST];

static int64_t term(int rank, int i) { return (int64_t)(rank + 1) * 1000 + i % 97; }

static void fill(void)
{
    for (int i = 0; i < MOST; i++) {
        in[i] = term(t_rank, i);
        in32[i] = (int32_t)in[i];
        out[i] = out32[i] = -1;
    }
}

/* The result for the terms of ranks 0 .. last. */
static int64_t expected(MPI_Op op, int last, int i)
{
    int64_t sum = 0;
    for (int r = 0; r <= last; r++)
        sum += term(r, i);
    return op == MPI_SUM ? sum : op == MPI_MAX ? term(last, i) : term(0, i);
}

static bool is_result(const int64_t *v, MPI_Op op, int last, int n)
{
    for (int i = 0; i < n; i++)
        if (v[i] != expected(op, last, i))
            return false;
    return n == MOST || v[n] == -1 || v == in;
}

static void reductions(int n, MPI_Op op)
{
    fill();
    MPI_Allreduce(in, out, n, MPI_INT64_T, op, MPI_COMM_WORLD);
    t_check(is_result(out, op, t_ranks - 1, n), "allreduce of %d", n);
    fill();
    MPI_Allreduce(MPI_IN_PLACE, in, n, MPI_INT64_T, op, MPI_COMM_WORLD);
    t_check(is_result(in, op, t_ranks - 1, n), "allreduce of %d in place", n);
    fill();
    MPI_Scan(in, out, n, MPI_INT64_T, op, MPI_COMM_WORLD);
    t_check(is_result(out, op, t_rank, n), "scan of %d", n);
}

static void other_type(int n)
{
    bool ok = true;
    fill();
    MPI_Allreduce(in32, out32, n, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        ok = ok && out32[i] == expected(MPI_SUM, t_ranks - 1, i);
    t_check(ok && (n == MOST || out32[n] == -1), "allreduce of %d small integers", n);
}

static void rooted(int n, int root)
{
    fill();
    MPI_Reduce(in, out, n, MPI_INT64_T, MPI_SUM, root, MPI_COMM_WORLD);
    t_check(t_rank == root ? is_result(out, MPI_SUM, t_ranks - 1, n) : out[0] == -1,
            "reduce of %d to %d", n, root);
    fill();
    MPI_Bcast(in, n, MPI_INT64_T, root, MPI_COMM_WORLD);
    t_check(n == 0 || in[n - 1] == term(root, n - 1), "bcast of %d from %d", n, root);
}

/* ---- blocks: equal types on both sides, another type on one of them, in place ---- */

static int64_t from[RANKS * BLOCK + 1], to[RANKS * BLOCK + 1];
static MPI_Datatype couple;

static int64_t block_term(int source, int target, int i)
{
    return (int64_t)(source + 1) * 10000 + target * 100 + i;
}

typedef struct {
    int count;
    MPI_Datatype type;
} side;

/* The same n numbers, one by one or in pairs, the second one first. */
static side side_of(int n, bool couples)
{
    return couples ? (side){n / 2, couple} : (side){n, MPI_INT64_T};
}

static void fill_blocks(int n, bool one)
{
    for (int b = 0; b < t_ranks; b++)
        for (int i = 0; i < n; i++) {
            from[b * n + i] = block_term(t_rank, one ? 0 : b, i);
            to[b * n + i] = -1;
        }
    to[t_ranks * n] = -1;
}

/* `count` blocks from rank `first` on, sent to `target`; twisted: only one side uses pairs. */
static bool are_blocks(const int64_t *v, int n, int first, int count, int target, bool twisted)
{
    for (int b = 0; b < count; b++)
        for (int i = 0; i < n; i++)
            if (v[b * n + i] != block_term(first + b, target, i ^ twisted))
                return false;
    return v[count * n] == -1;
}

static void all_blocks(int n, side s, side t)
{
    const bool twisted = s.type != t.type;
    fill_blocks(n, true);
    MPI_Allgather(from, s.count, s.type, to, t.count, t.type, MPI_COMM_WORLD);
    t_check(are_blocks(to, n, 0, t_ranks, 0, twisted), "allgather of %d", n);
    fill_blocks(n, false);
    MPI_Alltoall(from, s.count, s.type, to, t.count, t.type, MPI_COMM_WORLD);
    t_check(are_blocks(to, n, 0, t_ranks, t_rank, twisted), "alltoall of %d", n);
    fill_blocks(n, true);
    memcpy(to + (size_t)t_rank * n, from, sizeof *to * n);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, t.count, t.type, MPI_COMM_WORLD);
    t_check(are_blocks(to, n, 0, t_ranks, 0, false), "allgather of %d in place", n);
}

static void rooted_blocks(int n, side s, side t, int root)
{
    const bool twisted = s.type != t.type;
    const int own[RANKS] = {[0] = t.count}, at[RANKS] = {0};
    int counts[RANKS], displs[RANKS];
    for (int r = 0; r < t_ranks; r++) {
        counts[r] = t.count;
        displs[r] = r * t.count;
    }
    fill_blocks(n, true);
    MPI_Gather(from, s.count, s.type, to, t.count, t.type, root, MPI_COMM_WORLD);
    t_check(t_rank == root ? are_blocks(to, n, 0, t_ranks, 0, twisted) : to[0] == -1,
            "gather of %d", n);
    fill_blocks(n, true);
    MPI_Gatherv(from, s.count, s.type, to, counts, displs, t.type, root, MPI_COMM_WORLD);
    t_check(t_rank == root ? are_blocks(to, n, 0, t_ranks, 0, twisted) : to[0] == -1,
            "gatherv of %d", n);
    fill_blocks(n, false);
    MPI_Scatter(from, s.count, s.type, to, t.count, t.type, root, MPI_COMM_WORLD);
    t_check(are_blocks(to, n, root, 1, t_rank, twisted), "scatter of %d", n);
    fill_blocks(n, false);
    MPI_Alltoallv(from, counts, displs, t.type, to, counts, displs, t.type, MPI_COMM_WORLD);
    t_check(are_blocks(to, n, 0, t_ranks, t_rank, false), "alltoallv of %d", n);
    fill_blocks(n, true);
    MPI_Gatherv(from, t_rank == 0 ? t.count : 0, t.type, to, own, at, t.type, 0, MPI_COMM_WORLD);
    t_check(t_rank != 0 || are_blocks(to, n, 0, 1, 0, false), "gatherv of one block of %d", n);
}

static void blocks(int k)
{
    MPI_Type_create_indexed_block(2, 1, (const int[]){1, 0}, MPI_INT64_T, &couple);
    MPI_Type_commit(&couple);
    for (int i = 0; i < 4 * 3 * 4; i++) {
        const int n = 2 * ((i / 3 + k) % (BLOCK / 2));
        const side s = side_of(n, i & 1), t = side_of(n, i / 2 & 1);
        t_where("round %d, blocks %d", k, i);
        all_blocks(n, s, t);
        rooted_blocks(n, s, t, i / 6 % t_ranks);
    }
    MPI_Type_free(&couple);
}

/* A new type and operator in every round, which reuse the handles that were just freed. */
static void add(void *a, void *b, int *n, MPI_Datatype *type)
{
    const int64_t *from = a;
    int64_t *to = b;
    int bytes;
    MPI_Type_size(*type, &bytes);
    for (int i = 0; i < *n * bytes / 8; i++)
        to[i] += from[i];
}

static void reused_handles(int round)
{
    const int each = 1 + round % 5, n = 7;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Type_contiguous(each, MPI_INT64_T, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add, 1, &op);
    for (int k = 0; k < 3; k++) {
        fill();
        MPI_Allreduce(in, out, n, type, op, MPI_COMM_WORLD);
        t_check(is_result(out, MPI_SUM, t_ranks - 1, n * each), "allreduce of %d x %d", n, each);
        MPI_Bcast(out, n, type, k % t_ranks, MPI_COMM_WORLD);
    }
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

static void round_of(int k)
{
    static const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_MIN};
    for (int i = 0; i < SIZES; i++) {
        const int n = (i * 37 + k) % MOST;
        t_where("round %d, %d elements", k, n);
        for (int again = 0; again < 3; again++)
            reductions(n, ops[(i + again / 2) % 3]);
        other_type(n);
        rooted(n, (i / 2) % t_ranks);
        rooted(n, i % t_ranks);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    reused_handles(k);
    blocks(k);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(60);
    t_point("slightly different calls are not taken for repetitions");
    const int rounds = argc > 1 ? atoi(argv[1]) : 6;
    for (int k = 0; k < rounds; k++)
        round_of(k);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
