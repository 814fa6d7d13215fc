/* volume_exec.c - the bytes of a rank in operations whose sizes differ between ranks, from which
 * the summary of a call class is computed.  One process, as rank 1 of 3. */
#include "exec/exec.h"
#include "harness.h"

enum { P = 3, R = 1 };

static const int counts[P] = {5, 7, 11}, none[P] = {0, 0, 0}, bad[P] = {5, -1, 11};
static const MPI_Datatype types[P] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
static atn_exec *exec;

static bool never(void *context, const atn_problem *q, atn_choice *choice_p)
{
    (void)context;
    (void)q;
    (void)choice_p;
    return false;
}

static void expect(const char *what, const atn_call *call, int64_t bytes)
{
    atn_problem q;
    const int64_t found = atn_exec_call_volume(exec, call);
    t_check(found == bytes, "%s: %lld bytes, expected %lld", what, (long long)found,
            (long long)bytes);
    t_check(atn_exec_call_problem(exec, call, &q) && q.bytes == -1,
            "%s: sizes differ between ranks", what);
}

static atn_user one(int64_t count) { return (atn_user){.count = count, .type = MPI_DOUBLE}; }
static atn_user many(const int *each)
{
    return (atn_user){.counts = each, .displs = none, .type = MPI_INT};
}
static atn_user typed(void)
{
    return (atn_user){.counts = counts, .displs = none, .types = types, .type = MPI_DATATYPE_NULL};
}

static void rooted(void)
{
    t_point("gatherv and scatterv: one block");
    for (int root = 0; root < P; root++) {
        const bool own = root == R;
        expect("gatherv",
               &(atn_call){.op = ATN_GATHERV, .src = one(9), .dst = many(counts), .root = root},
               72);
        expect("scatterv",
               &(atn_call){.op = ATN_SCATTERV, .src = many(counts), .dst = one(9), .root = root},
               72);
        if (own) { /* both sides are then equal */
            expect("gatherv in place",
                   &(atn_call){.op = ATN_GATHERV,
                               .src = many(counts),
                               .dst = many(counts),
                               .root = root,
                               .in_place = true},
                   7 * sizeof(int));
            expect("scatterv in place",
                   &(atn_call){.op = ATN_SCATTERV,
                               .src = many(counts),
                               .dst = many(counts),
                               .root = root,
                               .in_place = true},
                   7 * sizeof(int));
        }
    }
}

static void from_all_to_all(void)
{
    t_point("alltoallv and alltoallw: a row of blocks");
    expect("alltoallv", &(atn_call){.op = ATN_ALLTOALLV, .src = many(counts), .dst = many(none)},
           23 * sizeof(int));
    expect("alltoallv of nothing",
           &(atn_call){.op = ATN_ALLTOALLV, .src = many(none), .dst = many(counts)}, 0);
    expect("alltoallv in place",
           &(atn_call){
               .op = ATN_ALLTOALLV, .src = many(counts), .dst = many(counts), .in_place = true},
           23 * sizeof(int));
    expect("alltoallw", &(atn_call){.op = ATN_ALLTOALLW, .src = typed(), .dst = typed()},
           5 * sizeof(int) + 7 * sizeof(double) + 11);
    expect("erroneous calls count as 0 bytes",
           &(atn_call){.op = ATN_ALLTOALLV, .src = many(bad), .dst = many(counts)},
           16 * sizeof(int));
}

static void wide(void)
{
    t_point("large counts");
    const MPI_Count huge[P] = {1, INT64_C(3) << 31, 2};
    const MPI_Aint places[P] = {0, 0, 0};
    const atn_user side = {.counts = huge, .displs = places, .type = MPI_INT};
    expect("alltoallv", &(atn_call){.op = ATN_ALLTOALLV, .src = side, .dst = side, .wide = true},
           4 * ((INT64_C(3) << 31) + 3));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(60);
    exec = atn_exec_new(P, R, false, never, NULL);
    if (exec == NULL)
        t_die("out of memory");
    rooted();
    from_all_to_all();
    wide();
    atn_exec_free(exec);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
