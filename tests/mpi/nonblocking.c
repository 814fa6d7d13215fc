/* nonblocking.c - nonblocking, neighbourhood and persistent collectives that are active while
 * blocking ones are served on the same and on other communicators.  For 2 ranks and more. */
#include "exercise.h"

#include <stdlib.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

/* Open MPI 4 has the persistent collectives of MPI 4 under the name of an extension. */
#if defined(OPEN_MPI) && defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define allreduce_init MPIX_Allreduce_init
#elif MPI_VERSION >= 4
#define allreduce_init MPI_Allreduce_init
#endif

enum { N = 300 };

static int sum_to(int n) { return n * (n - 1) / 2; }

static void overlapping(MPI_Comm comm)
{
    int in[N], sum[N], bcast[N] = {0}, bad = 0;
    MPI_Request request[3];
    MPI_Status status[3];
    t_point("nonblocking collectives that are active during blocking ones");
    for (int i = 0; i < N; i++) {
        in[i] = t_rank + i;
        bcast[i] = t_rank == 0 ? 7 * i : -1;
    }
    MPI_Iallreduce(in, sum, N, MPI_INT, MPI_SUM, comm, &request[0]);
    t_check(t_exercise_all(comm, 1, 30) == 0, "wrong blocking result on the same communicator");
    MPI_Ibcast(bcast, N, MPI_INT, 0, comm, &request[1]);
    t_check(t_exercise_all(MPI_COMM_WORLD, 2, 30) == 0,
            "wrong blocking result on another communicator");
    MPI_Ibarrier(comm, &request[2]);
    t_check(t_exercise_all(comm, 3, 30) == 0, "wrong blocking result on the same communicator");
    MPI_Waitall(3, request, status);
    for (int i = 0; i < N; i++)
        bad += sum[i] != sum_to(t_ranks) + t_ranks * i || bcast[i] != 7 * i;
    t_check(bad == 0, "%d wrong values", bad);
}

static void all_kinds(MPI_Comm comm)
{
    int *out = t_alloc(sizeof(int) * (size_t)t_ranks), *in = t_alloc(sizeof(int) * (size_t)t_ranks);
    int *all = t_alloc(sizeof(int) * (size_t)t_ranks), mine = 5 * t_rank, prefix = -1, bad = 0;
    MPI_Request request[3];
    MPI_Status status[3];
    t_point("all nonblocking collectives");
    for (int i = 0; i < t_ranks; i++)
        out[i] = 100 * t_rank + i;
    MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, &request[0]);
    MPI_Iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm, &request[1]);
    MPI_Iscan(&mine, &prefix, 1, MPI_INT, MPI_SUM, comm, &request[2]);
    MPI_Barrier(comm);
    MPI_Waitall(3, request, status);
    for (int i = 0; i < t_ranks; i++)
        bad += in[i] != 100 * i + t_rank || all[i] != 5 * i;
    t_check(bad == 0, "%d wrong values", bad);
    t_check(prefix == 5 * sum_to(t_rank + 1), "scan is %d", prefix);
    free(out);
    free(in);
    free(all);
}

/* Legal; a deadlock if nonblocking collectives progress only in their own wait. */
static void crossing(MPI_Comm comm)
{
    int data = t_rank == 0 ? 4711 : 0, token = 0;
    MPI_Request request;
    t_point("a nonblocking bcast progresses during a blocking receive");
    if (t_ranks < 3) {
        t_skip("needs 3 ranks");
        return;
    }
    MPI_Ibcast(&data, 1, MPI_INT, 0, comm, &request);
    if (t_rank == 1)
        MPI_Recv(&token, 1, MPI_INT, 2, 1, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (t_rank == 2)
        MPI_Send(&data, 1, MPI_INT, 1, 1, comm);
    t_check(data == 4711, "bcast received %d", data);
}

/* Each rank is its own neighbour when there is only one other. */
static void neighbourhood(void)
{
    int mine = 10 * t_rank, around[2] = {-1, -1}, out[2], in[2] = {-1, -1};
    const int left = (t_rank + t_ranks - 1) % t_ranks, right = (t_rank + 1) % t_ranks;
    MPI_Comm ring;
    MPI_Request request;
    t_point("neighbourhood collectives");
    MPI_Cart_create(MPI_COMM_WORLD, 1, &t_ranks, (int[]){1}, 0, &ring);
    MPI_Neighbor_allgather(&mine, 1, MPI_INT, around, 1, MPI_INT, ring);
    t_check(around[0] == 10 * left && around[1] == 10 * right, "%d, %d", around[0], around[1]);
    out[0] = 100 + t_rank, out[1] = 200 + t_rank;
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &request);
    t_check(t_exercise_all(ring, 4, 30) == 0, "wrong blocking result on the same communicator");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (t_ranks > 2)
        t_check(in[0] == 200 + left && in[1] == 100 + right, "%d, %d", in[0], in[1]);
    MPI_Comm_free(&ring);
}

static void persistent(MPI_Comm comm)
{
    t_point("persistent collectives");
#ifdef allreduce_init
    int in = 0, out = 0;
    MPI_Request request;
    allreduce_init(&in, &out, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    for (int i = 0; i < 5; i++) {
        in = t_rank * (i + 1);
        MPI_Start(&request);
        t_check(t_exercise(i + 1, comm, (uint64_t)i, 30) == 0, "wrong blocking result");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        t_check(out == (i + 1) * sum_to(t_ranks), "round %d: %d", i, out);
    }
    MPI_Request_free(&request);
#else
    (void)comm;
    t_skip("this MPI has none");
#endif
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    t_start(60);
    t_exercise_begin();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    overlapping(comm);
    all_kinds(comm);
    crossing(comm);
    neighbourhood();
    persistent(comm);
    MPI_Comm_free(&comm);
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
