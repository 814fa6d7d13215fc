/* held_calls.c - what ranks do while rank 0 has not started nonblocking calls that they have
 * started.  If these are tuned online, they wait for decisions of rank 0; routines that need not
 * wait for rank 0 must not do so either, and later collectives keep their order.
 *
 *     held_calls [ROUNDS [OPEN]]     OPEN: number of calls that are open at once; for 3 ranks and
 *                                    more */
#include "operation.h"

#include <stdlib.h>

enum { MOST_OPEN = 300, LENGTH = 4000, TAG = 4 };

static int n_open = 30, in[LENGTH], out[MOST_OPEN][LENGTH];
static MPI_Request requests[MOST_OPEN];

static void start_all(MPI_Comm comm)
{
    for (int i = 0; i < n_open; i++)
        MPI_Iallreduce(in, out[i], LENGTH, MPI_INT, MPI_SUM, comm, &requests[i]);
}

static void complete_all(void)
{
    MPI_Waitall(n_open, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n_open; i++)
        t_check(out[i][LENGTH - 1] == t_ranks, "sum %d", out[i][LENGTH - 1]);
}

/* Rank 0 continues when all others have come this far. */
static void others_first(void)
{
    char token = 0;
    if (t_rank > 0)
        MPI_Send(&token, 1, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
    for (int q = 1; t_rank == 0 && q < t_ranks; q++)
        MPI_Recv(&token, 1, MPI_CHAR, q, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void check_made(MPI_Comm *made)
{
    int one = 1, sum = 0, p = 0;
    if (*made == MPI_COMM_NULL)
        return;
    MPI_Comm_size(*made, &p);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, *made);
    t_check(sum == p, "sum %d of %d ranks", sum, p);
    MPI_Comm_free(made);
}

/* ---- in the order of calls, without rank 0 ---- */

static void duplicates(MPI_Comm comm)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request;
    if (t_rank == 0)
        others_first();
    start_all(comm);
    MPI_Comm_idup(comm, &made, &request);
    if (t_rank > 0)
        others_first();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    complete_all();
    check_made(&made);
}

static void makes_group(MPI_Comm comm)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group all, group;
    const int zero = 0;
    MPI_Comm_group(comm, &all);
    MPI_Group_excl(all, 1, &zero, &group);
    if (t_rank == 0)
        others_first();
    start_all(comm);
    if (t_rank > 0)
        MPI_Comm_create_group(comm, group, 3, &made);
    if (t_rank > 0)
        others_first();
    complete_all();
    check_made(&made);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

/* ---- in the order of calls, with rank 0 ---- */

#ifdef T_INIT
/* Rank 0 starts its calls after those of the others, which are then probably held. */
static void start_behind(MPI_Comm comm)
{
    if (t_rank == 0)
        others_first();
    start_all(comm);
    if (t_rank > 0)
        others_first();
}

static int words[2];
static MPI_Request bcasts[2];

static void make_bcasts(MPI_Comm comm)
{
    for (int i = 0; i < 2; i++) {
        words[i] = t_rank == t_ranks - 1 ? 4711 + i : 0;
        T_INIT(Bcast)(&words[i], 1, MPI_INT, t_ranks - 1, comm, MPI_INFO_NULL, &bcasts[i]);
    }
}

static void complete_bcasts(MPI_Comm comm)
{
    MPI_Request barrier;
    MPI_Start(&bcasts[0]);
    MPI_Ibarrier(comm, &barrier);
    MPI_Start(&bcasts[1]);
    MPI_Waitall(2, bcasts, MPI_STATUSES_IGNORE);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    complete_all();
    t_check(words[0] == 4711 && words[1] == 4712, "bcasts of %d and %d", words[0], words[1]);
    MPI_Request_free(&bcasts[0]);
    MPI_Request_free(&bcasts[1]);
}

static void inits_after(MPI_Comm comm)
{
    start_behind(comm);
    make_bcasts(comm);
    complete_bcasts(comm);
}

static void inits_before(MPI_Comm comm)
{
    make_bcasts(comm);
    start_behind(comm);
    complete_bcasts(comm);
}
#endif

static void repeat(const char *name, void (*once)(MPI_Comm comm), int rounds)
{
    MPI_Comm comm;
    t_point(name);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < rounds; i++) {
        t_where("round %d", i);
        once(comm);
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(100);
    const int rounds = argc > 1 ? atoi(argv[1]) : 30;
    n_open = argc > 2 ? atoi(argv[2]) : n_open;
    for (int i = 0; i < LENGTH; i++)
        in[i] = 1;
    repeat("MPI_Comm_idup does not wait for rank 0", duplicates, rounds);
    repeat("MPI_Comm_create_group does not wait for others", makes_group, rounds);
#ifdef T_INIT
    repeat("persistent requests made behind nonblocking calls", inits_after, rounds);
    repeat("persistent requests started behind nonblocking calls", inits_before, rounds);
#endif
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
