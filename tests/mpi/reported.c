/* reported.c - calls of one class, for the reason in the report why they are native.
 *
 *   reported MODE CALLS
 *
 * messages: no collectives at all.  later: nonblocking reductions.  exact: sums of integers.
 * long: of many.  rounded: sums of doubles.  own: a user operator.  inter: an inter-communicator.
 * alone: a communicator of one process.  other: elements that overlap, which are not served.
 * empty: no data. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum { N = 40, LONG = 4096 };
static double in[N], out[N];
static int64_t whole[LONG], sum[LONG];

static void message(MPI_Comm comm)
{
    const int to = (t_rank + 1) % t_ranks, from = (t_rank + t_ranks - 1) % t_ranks;
    MPI_Sendrecv(in, N, MPI_DOUBLE, to, 1, out, N, MPI_DOUBLE, from, 1, comm, MPI_STATUS_IGNORE);
}

static void later(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Iallreduce(in, out, N, MPI_DOUBLE, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void exact(MPI_Comm comm) { MPI_Allreduce(whole, sum, N, MPI_INT64_T, MPI_SUM, comm); }

static void exact_long(MPI_Comm comm)
{
    MPI_Allreduce(whole, sum, LONG, MPI_INT64_T, MPI_SUM, comm);
}

static void rounded(MPI_Comm comm) { MPI_Allreduce(in, out, N, MPI_DOUBLE, MPI_SUM, comm); }

static void empty(MPI_Comm comm) { MPI_Bcast(in, 0, MPI_DOUBLE, 0, comm); }

static void add(void *from, void *to, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((double *)to)[i] += ((double *)from)[i];
}

static void own(MPI_Comm comm)
{
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(in, out, N, MPI_DOUBLE, op, comm);
    MPI_Op_free(&op);
}

/* Elements that overlap by half: a schedule must not split them into segments. */
static void other(MPI_Comm comm)
{
    MPI_Datatype dense;
    MPI_Op op;
    MPI_Type_create_resized(MPI_DOUBLE, 0, sizeof(double) / 2, &dense);
    MPI_Type_commit(&dense);
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(in, out, 1, dense, op, comm);
    MPI_Op_free(&op);
    MPI_Type_free(&dense);
}

static const struct {
    const char *name;
    void (*call)(MPI_Comm comm);
} modes[] = {{"messages", message}, {"later", later}, {"exact", exact},     {"rounded", rounded},
             {"own", own},          {"inter", exact}, {"long", exact_long}, {"alone", exact},
             {"other", other},      {"empty", empty}};

/* Even and odd ranks on either side. */
static MPI_Comm join_groups(void)
{
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, t_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - t_rank % 2, 7, &inter);
    MPI_Comm_free(&half);
    return inter;
}

static void run(void (*call)(MPI_Comm), MPI_Comm comm, int calls)
{
    for (int i = 0; i < calls; i++) {
        t_where("call %d", i);
        call(comm);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(60);
    t_point("calls");
    const char *const mode = argc > 1 ? argv[1] : "";
    MPI_Comm comm = MPI_COMM_WORLD;
    if (strcmp(mode, "inter") == 0)
        comm = join_groups();
    if (strcmp(mode, "alone") == 0)
        comm = MPI_COMM_SELF;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(mode, modes[i].name) == 0)
            run(modes[i].call, comm, argc > 2 ? atoi(argv[2]) : 1);
    if (strcmp(mode, "inter") == 0)
        MPI_Comm_free(&comm);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
