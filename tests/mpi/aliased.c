/* aliased.c - calls whose arguments differ between ranks: some pass one buffer for both sides,
 * which is erroneous, but libraries may accept it, and some use other datatypes of the same
 * signature.  Ranks must still select the same algorithm, whatever earlier calls each of them has
 * cached.
 *
 *   aliased [ROUNDS [strict]]
 *
 * strict: the values of such calls are correct, too: algorithms of Attune copy the input first. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { N = 8, RANKS = 16 };

static int64_t x[RANKS * N], y[RANKS * N];
static int counts[RANKS], displs[RANKS];
static bool strict;

static int64_t term(int source, int i) { return (int64_t)(source + 1) * 1000 + i; }

static void fill(void)
{
    for (int i = 0; i < t_ranks * N; i++) {
        x[i] = term(t_rank, i);
        y[i] = -1;
    }
}

/* n numbers of rank `source`, starting with the i-th. */
static bool are_of(const int64_t *v, int source, int i, int n)
{
    for (int k = 0; k < n; k++)
        if (v[k] != term(source, i + k))
            return false;
    return true;
}

/* One block of N from each rank, starting with its i-th. */
static bool are_gathered(const int64_t *v, int i)
{
    for (int r = 0; r < t_ranks; r++)
        if (!are_of(v + (size_t)r * N, r, i, N))
            return false;
    return true;
}

/* The sums over ranks first .. last of the numbers starting with the i-th. */
static bool are_sums(const int64_t *v, int last, int i)
{
    for (int k = 0; k < N; k++) {
        int64_t sum = 0;
        for (int r = 0; r <= last; r++)
            sum += term(r, i + k);
        if (v[k] != sum)
            return false;
    }
    return true;
}

/* ---- calls: from x to `to`, which is x or y; `type`: one of several equal datatypes ---- */

static bool scatter(int64_t *to, MPI_Datatype type)
{
    MPI_Scatter(x, N, MPI_INT64_T, to, N, type, 0, MPI_COMM_WORLD);
    return are_of(to, 0, t_rank * N, N);
}
static bool gather(int64_t *to, MPI_Datatype type)
{
    MPI_Gather(x, N, type, to, N, MPI_INT64_T, 0, MPI_COMM_WORLD);
    return t_rank != 0 || are_gathered(to, 0);
}
static bool gatherv(int64_t *to, MPI_Datatype type)
{
    MPI_Gatherv(x, N, type, to, counts, displs, MPI_INT64_T, t_ranks - 1, MPI_COMM_WORLD);
    return t_rank != t_ranks - 1 || are_gathered(to, 0);
}
static bool allgather(int64_t *to, MPI_Datatype type)
{
    MPI_Allgather(x, N, type, to, N, type, MPI_COMM_WORLD);
    return are_gathered(to, 0);
}
static bool alltoall(int64_t *to, MPI_Datatype type)
{
    MPI_Alltoall(x, N, type, to, N, type, MPI_COMM_WORLD);
    return are_gathered(to, t_rank * N);
}
static bool scan(int64_t *to, MPI_Datatype type)
{
    (void)type;
    MPI_Scan(x, to, N, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return are_sums(to, t_rank, 0);
}
static bool one_sum(int64_t *to, MPI_Datatype type)
{
    (void)type;
    MPI_Allreduce(x, to, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    int64_t sum = 0;
    for (int r = 0; r < t_ranks; r++)
        sum += term(r, 0);
    return to[0] == sum;
}
static bool reduce_scatter_block(int64_t *to, MPI_Datatype type)
{
    (void)type;
    MPI_Reduce_scatter_block(x, to, N, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return are_sums(to, t_ranks - 1, t_rank * N);
}

/* easy: the native routine is correct with one buffer, too, because the input of the root is
 * already in place. */
static const struct {
    const char *name;
    bool (*call)(int64_t *to, MPI_Datatype type);
    bool easy;
} calls[] = {
    {"scatter", scatter, true},           {"gather", gather, true},
    {"gatherv", gatherv, false},          {"allgather", allgather, false},
    {"alltoall", alltoall, false},        {"scan", scan, false},
    {"allreduce of one", one_sum, false}, {"reduce_scatter_block", reduce_scatter_block, false},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* Rounds in which one rank, a different one in each call, passes one buffer, and rounds in which no
 * rank does.  In a scatter or gather this is erroneous only at the root. */
static bool is_wrong(int round) { return T_OPEN_MPI && round % 5 < 3; }
static bool is_mine(int round, int i) { return calls[i].easy || (round + i) % t_ranks == t_rank; }

static void borne(int round)
{
    MPI_Datatype own;
    const bool odd = t_rank % 2 == 1 && round % 3 > 0, wrong = is_wrong(round);
    MPI_Type_dup(MPI_INT64_T, &own);
    for (int i = 0; i < CALLS; i++) {
        t_where("round %d, %s", round, calls[i].name);
        fill();
        const bool right =
            calls[i].call(wrong && is_mine(round, i) ? x : y, odd ? own : MPI_INT64_T);
        t_check(right || (wrong && !strict && !calls[i].easy), "%s%s", calls[i].name,
                wrong ? ", one rank passes one buffer" : "");
    }
    MPI_Type_free(&own);
}

/* ---- calls that the library rejects on all ranks ---- */

static void add(void *a, void *b, int *n, MPI_Datatype *type)
{
    const int64_t *from = a;
    int64_t *to = b;
    (void)type;
    for (int i = 0; i < *n; i++)
        to[i] += from[i];
}

/* Ranks that have freed a type have fewer cached calls than others. */
static void refused(int round, MPI_Op op)
{
    MPI_Datatype freed;
    if (t_rank % 2 == round % 2) {
        MPI_Type_dup(MPI_INT64_T, &freed);
        MPI_Type_free(&freed);
    }
    t_where("round %d, rejected", round);
    fill();
    t_check(MPI_Allreduce(x, x, N, MPI_INT64_T, op, MPI_COMM_WORLD) != MPI_SUCCESS,
            "allreduce in one buffer is accepted");
    for (int k = 0; k < 3; k++) {
        fill();
        MPI_Allreduce(x, y, N, MPI_INT64_T, op, MPI_COMM_WORLD);
        t_check(are_sums(y, t_ranks - 1, 0), "allreduce");
    }
}

int main(int argc, char **argv)
{
    MPI_Op op;
    MPI_Init(&argc, &argv);
    t_start(50);
    const int rounds = argc > 1 ? atoi(argv[1]) : 400;
    strict = argc > 2;
    for (int r = 0; r < t_ranks; r++) {
        counts[r] = N;
        displs[r] = r * N;
    }
    t_point("ranks with aliased buffers or equivalent datatypes select the same algorithm");
    for (int k = 0; k < rounds; k++)
        borne(k);
    t_point("aliased buffers are rejected as natively");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Op_create(add, 1, &op);
    for (int k = 0; k < rounds; k++)
        refused(k, op);
    MPI_Op_free(&op);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
