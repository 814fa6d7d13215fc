#include "progress.h"

#include <stdio.h>
#include <stdlib.h>

MPI_Comm p_same, p_another, p_others;
int p_current;
long p_failed;
static char *big;

void p_expect(int value, int wanted, const char *what)
{
    if (value != wanted && p_failed++ == 0)
        fprintf(stderr, "# rank %d, kind %d: %s is %d, not %d\n", t_rank, p_current, what, value,
                wanted);
}

void p_begin(void)
{
    p_storage_begin();
    big = t_alloc(P_LARGE);
    MPI_Comm_dup(MPI_COMM_WORLD, &p_same);
    MPI_Comm_dup(MPI_COMM_WORLD, &p_another);
    MPI_Comm_split(MPI_COMM_WORLD, t_rank > 0, 0, &p_others);
}

/* ---- messages ---- */

static bool is_partner(void) { return t_rank == 1; }

void p_partner_sends(void)
{
    if (is_partner())
        MPI_Send(big, 1, MPI_CHAR, 0, P_TAG, p_another);
}

static void partner_receives(void)
{
    if (is_partner())
        MPI_Recv(big, P_LARGE, MPI_CHAR, 0, P_TAG, p_another, MPI_STATUS_IGNORE);
}

void p_receives(void) { MPI_Recv(big, 1, MPI_CHAR, 1, P_TAG, p_another, MPI_STATUS_IGNORE); }

static void receives_on_same(void)
{
    MPI_Recv(big, 1, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, p_same, MPI_STATUS_IGNORE);
}

static void sends_on_same(void)
{
    if (is_partner())
        MPI_Send(big, 1, MPI_CHAR, 0, P_TAG, p_same);
}

static void sends_large(void) { MPI_Send(big, P_LARGE, MPI_CHAR, 1, P_TAG, p_another); }
static void sends_synchronously(void) { MPI_Ssend(big, 1, MPI_CHAR, 1, P_TAG, p_another); }

static void probes(void)
{
    MPI_Probe(1, P_TAG, p_another, MPI_STATUS_IGNORE);
    p_receives();
}

static void probes_matched(void)
{
    MPI_Message message;
    MPI_Mprobe(1, P_TAG, p_another, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(big, 1, MPI_CHAR, &message, MPI_STATUS_IGNORE);
}

/* The partner's message is announced, but its transfer needs the partner, too. */
static void receives_large(void)
{
    MPI_Recv(big, P_LARGE, MPI_CHAR, 1, P_TAG, p_another, MPI_STATUS_IGNORE);
}

static void receives_matched(void)
{
    MPI_Message message;
    MPI_Mprobe(1, P_TAG, p_another, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(big, P_LARGE, MPI_CHAR, &message, MPI_STATUS_IGNORE);
}

static void partner_sends_large(void)
{
    if (is_partner())
        MPI_Send(big, P_LARGE, MPI_CHAR, 0, P_TAG, p_another);
}

/* The buffer is in use until the partner has received. */
static void detaches_buffer(void)
{
    static char room[P_LARGE + MPI_BSEND_OVERHEAD];
    void *buffer;
    int bytes;
    MPI_Buffer_attach(room, sizeof room);
    MPI_Bsend(big, P_LARGE, MPI_CHAR, 1, P_TAG, p_another);
    MPI_Buffer_detach(&buffer, &bytes);
}

static void polls_probe(void)
{
    int there = 0;
    while (!there)
        MPI_Iprobe(MPI_ANY_SOURCE, P_TAG, p_another, &there, MPI_STATUS_IGNORE);
    p_receives();
}

static void polls_matched_probe(void)
{
    int there = 0;
    MPI_Message message;
    while (!there)
        MPI_Improbe(1, P_TAG, p_another, &there, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(big, 1, MPI_CHAR, &message, MPI_STATUS_IGNORE);
}

static void exchanges(void)
{
    char in, out = 1;
    if (t_rank < 2)
        MPI_Sendrecv(&out, 1, MPI_CHAR, 1 - t_rank, P_TAG, &in, 1, MPI_CHAR, 1 - t_rank, P_TAG,
                     p_another, MPI_STATUS_IGNORE);
}

static void exchanges_in_place(void)
{
    if (t_rank < 2)
        MPI_Sendrecv_replace(big, P_LARGE, MPI_CHAR, 1 - t_rank, P_TAG, 1 - t_rank, P_TAG,
                             p_another, MPI_STATUS_IGNORE);
}

/* ---- completion of other requests ---- */

static MPI_Request pair[2];

static void open_pair(void)
{
    MPI_Irecv(big, 1, MPI_CHAR, 1, P_TAG, p_another, &pair[0]);
    pair[1] = MPI_REQUEST_NULL;
}

static void waits(void)
{
    open_pair();
    MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
}

static void waits_for_all(void)
{
    open_pair();
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
}

static void waits_for_any(void)
{
    int index;
    open_pair();
    MPI_Waitany(2, pair, &index, MPI_STATUS_IGNORE);
}

static void waits_for_some(void)
{
    int n, indices[2];
    open_pair();
    MPI_Waitsome(2, pair, &n, indices, MPI_STATUSES_IGNORE);
}

static void tests(void)
{
    int done = 0;
    open_pair();
    while (!done)
        MPI_Test(&pair[0], &done, MPI_STATUS_IGNORE);
}

static void tests_all(void)
{
    int done = 0;
    open_pair();
    while (!done)
        MPI_Testall(2, pair, &done, MPI_STATUSES_IGNORE);
}

static void tests_any(void)
{
    int done = 0, index;
    open_pair();
    while (!done)
        MPI_Testany(2, pair, &index, &done, MPI_STATUS_IGNORE);
}

static void tests_some(void)
{
    int n = 0, indices[2];
    open_pair();
    while (n == 0)
        MPI_Testsome(2, pair, &n, indices, MPI_STATUSES_IGNORE);
}

static void gets_status(void)
{
    int done = 0;
    open_pair();
    while (!done)
        MPI_Request_get_status(pair[0], &done, MPI_STATUS_IGNORE);
    MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
}

static void waits_for_synchronous_send(void)
{
    MPI_Issend(big, 1, MPI_CHAR, 1, P_TAG, p_another, &pair[0]);
    MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
}

static void waits_for_persistent(void)
{
    MPI_Recv_init(big, 1, MPI_CHAR, 1, P_TAG, p_another, &pair[0]);
    MPI_Start(&pair[0]);
    MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&pair[0]);
}

#if MPI_VERSION >= 4
static void polls_partition(void)
{
    int done = 0;
    MPI_Precv_init(big, 1, 1, MPI_CHAR, 1, P_TAG, p_another, MPI_INFO_NULL, &pair[0]);
    MPI_Start(&pair[0]);
    while (!done)
        MPI_Parrived(pair[0], 0, &done);
    MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&pair[0]);
}

static void partner_sends_partition(void)
{
    if (!is_partner())
        return;
    MPI_Psend_init(big, 1, 1, MPI_CHAR, 0, P_TAG, p_another, MPI_INFO_NULL, &pair[0]);
    MPI_Start(&pair[0]);
    MPI_Pready(0, pair[0]);
    MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&pair[0]);
}

static void exchanges_by_request(void)
{
    char in, out = 1;
    MPI_Request request;
    if (t_rank > 1)
        return;
    MPI_Isendrecv(&out, 1, MPI_CHAR, 1 - t_rank, P_TAG, &in, 1, MPI_CHAR, 1 - t_rank, P_TAG,
                  p_another, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
#endif

/* ---- collectives: all ranks make the same call, the others after their waits ---- */

static void barrier(void) { MPI_Barrier(p_another); }
static void barrier_on_same(void) { MPI_Barrier(p_same); }
static void bcast(void) { MPI_Bcast(big, 100, MPI_CHAR, 1, p_another); }
static void large_bcast_on_same(void) { MPI_Bcast(big, P_LARGE, MPI_CHAR, 1, p_same); }

static void allreduce(void)
{
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, p_another);
    p_expect(sum, t_ranks, "sum");
}

static void gather_on_same(void)
{
    char *all = t_alloc((size_t)t_ranks);
    MPI_Gather(big, 1, MPI_CHAR, all, 1, MPI_CHAR, 0, p_same);
    free(all);
}

static void ibarrier(void)
{
    MPI_Request request;
    MPI_Ibarrier(p_another, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void iallreduce_on_same(void)
{
    int one = 1, sum = 0;
    MPI_Request request;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, p_same, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    p_expect(sum, t_ranks, "sum");
}

/* ---- communicators ---- */

static MPI_Comm made, half;

static void free_made(void) { MPI_Comm_free(&made); }
static void dup_another(void) { MPI_Comm_dup(p_another, &made); }
static void dup_same(void) { MPI_Comm_dup(p_same, &made); }
static void split(void) { MPI_Comm_split(p_another, 0, -t_rank, &made); }

static void idup(void)
{
    MPI_Request request;
    MPI_Comm_idup(p_another, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void split_by_host(void)
{
    MPI_Comm_split_type(p_another, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
}

static void create(void)
{
    MPI_Group group;
    MPI_Comm_group(p_another, &group);
    MPI_Comm_create(p_another, group, &made);
    MPI_Group_free(&group);
}

static void create_of_group(void)
{
    MPI_Group group;
    MPI_Comm_group(p_another, &group);
    MPI_Comm_create_group(p_another, group, 11, &made);
    MPI_Group_free(&group);
}

static void cartesian(void) { MPI_Cart_create(p_another, 1, &t_ranks, (int[]){1}, 0, &made); }

static void cut_grid(void)
{
    MPI_Comm grid;
    MPI_Cart_create(p_another, 2, (int[]){t_ranks, 1}, (int[]){1, 1}, 0, &grid);
    made = grid;
}
static MPI_Comm row;
static void sub_grid(void) { MPI_Cart_sub(made, (int[]){1, 0}, &row); }
static void free_row(void)
{
    MPI_Comm_free(&row);
    free_made();
}

/* Rank 0 and the partner are neighbours, the others have none. */
static void graph(void)
{
    int index[64], edges[] = {1, 0};
    for (int i = 0; i < t_ranks && i < 64; i++)
        index[i] = i == 0 ? 1 : 2;
    MPI_Graph_create(p_another, t_ranks, index, edges, 0, &made);
}

static void distributed_graph(void)
{
    const int next = (t_rank + 1) % t_ranks, degree = 1, weight = 1;
    MPI_Dist_graph_create(p_another, 1, &t_rank, &degree, &next, &weight, MPI_INFO_NULL, 0, &made);
}

static void dup_with_info(void) { MPI_Comm_dup_with_info(p_another, MPI_INFO_NULL, &made); }

static void neighbor_alltoall(void)
{
    int out[4] = {t_rank, t_rank, t_rank, t_rank}, in[4];
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, made);
}

static void adjacent_graph(void)
{
    const int next = (t_rank + 1) % t_ranks, before = (t_rank + t_ranks - 1) % t_ranks, weight = 1;
    MPI_Dist_graph_create_adjacent(p_another, 1, &before, &weight, 1, &next, &weight, MPI_INFO_NULL,
                                   0, &made);
}

static void split_halves(void) { MPI_Comm_split(MPI_COMM_WORLD, t_rank == 0, t_rank, &half); }
static void free_half(void) { MPI_Comm_free(&half); }

static void join_halves(void)
{
    MPI_Intercomm_create(half, 0, p_another, t_rank == 0 ? 1 : 0, 12, &made);
}
static void free_joined(void)
{
    free_made();
    free_half();
}

static void split_and_join(void)
{
    split_halves();
    join_halves();
}
static MPI_Comm merged;
static void merge(void) { MPI_Intercomm_merge(made, t_rank == 0, &merged); }
static void free_merged(void)
{
    MPI_Comm_free(&merged);
    free_joined();
}

static void barrier_between(void) { MPI_Barrier(made); }

static void disconnect(void) { MPI_Comm_disconnect(&made); }

/* Not here: MPI_Comm_spawn, MPI_Comm_accept and MPI_Comm_connect, in which Open MPI waits for its
 * launcher outside of its progress loop (its own collectives hang there, too), and routines that
 * complete requests, started in other ways than here. */
const p_kind p_kinds[] = {
    {"MPI_Recv", NULL, p_receives, p_partner_sends, NULL, 0},
    {"MPI_Recv on the same communicator", NULL, receives_on_same, sends_on_same, NULL, 0},
    {"MPI_Send, large", NULL, sends_large, partner_receives, NULL, 0},
    {"MPI_Ssend", NULL, sends_synchronously, partner_receives, NULL, 0},
    {"MPI_Probe", NULL, probes, p_partner_sends, NULL, 0},
    {"MPI_Mprobe", NULL, probes_matched, p_partner_sends, NULL, 0},
    {"MPI_Iprobe", NULL, polls_probe, p_partner_sends, NULL, 0},
    {"MPI_Improbe", NULL, polls_matched_probe, p_partner_sends, NULL, 0},
    {"MPI_Sendrecv", NULL, ALL_CALL(exchanges), NULL, 0},
    {"MPI_Sendrecv_replace", NULL, ALL_CALL(exchanges_in_place), NULL, 0},
    {"MPI_Wait", NULL, waits, p_partner_sends, NULL, 0},
    {"MPI_Waitall", NULL, waits_for_all, p_partner_sends, NULL, 0},
    {"MPI_Waitany", NULL, waits_for_any, p_partner_sends, NULL, 0},
    {"MPI_Waitsome", NULL, waits_for_some, p_partner_sends, NULL, 0},
    {"MPI_Test", NULL, tests, p_partner_sends, NULL, 0},
    {"MPI_Testall", NULL, tests_all, p_partner_sends, NULL, 0},
    {"MPI_Testany", NULL, tests_any, p_partner_sends, NULL, 0},
    {"MPI_Testsome", NULL, tests_some, p_partner_sends, NULL, 0},
    {"MPI_Request_get_status", NULL, gets_status, p_partner_sends, NULL, 0},
    {"MPI_Wait of a synchronous send", NULL, waits_for_synchronous_send, partner_receives, NULL, 0},
    {"MPI_Wait of a persistent receive", NULL, waits_for_persistent, p_partner_sends, NULL, 0},
    {"MPI_Recv, large", NULL, receives_large, partner_sends_large, NULL, 0},
    {"MPI_Mrecv, large", NULL, receives_matched, partner_sends_large, NULL, 0},
    {"MPI_Buffer_detach", NULL, detaches_buffer, partner_receives, NULL, 0},
#if MPI_VERSION >= 4
    {"MPI_Parrived", NULL, polls_partition, partner_sends_partition, NULL, P_NOT_MPICH},
    {"MPI_Wait for MPI_Isendrecv", NULL, ALL_CALL(exchanges_by_request), NULL, 0},
#endif
    {"MPI_Barrier", NULL, ALL_CALL(barrier), NULL, 0},
    {"MPI_Barrier on the same communicator", NULL, ALL_CALL(barrier_on_same), NULL, 0},
    {"MPI_Bcast", NULL, ALL_CALL(bcast), NULL, 0},
    {"MPI_Bcast on the same communicator", NULL, ALL_CALL(large_bcast_on_same), NULL, 0},
    {"MPI_Allreduce", NULL, ALL_CALL(allreduce), NULL, 0},
    {"MPI_Gather on the same communicator", NULL, ALL_CALL(gather_on_same), NULL, 0},
    {"MPI_Ibarrier", NULL, ALL_CALL(ibarrier), NULL, 0},
    {"MPI_Iallreduce on the same communicator", NULL, ALL_CALL(iallreduce_on_same), NULL, 0},
    {"MPI_Comm_dup", NULL, ALL_CALL(dup_another), free_made, 0},
    {"MPI_Comm_dup of the same communicator", NULL, ALL_CALL(dup_same), free_made, 0},
    {"MPI_Comm_dup_with_info", NULL, ALL_CALL(dup_with_info), free_made, 0},
    {"MPI_Comm_idup", NULL, ALL_CALL(idup), free_made, 0},
    {"MPI_Comm_split", NULL, ALL_CALL(split), free_made, 0},
    {"MPI_Comm_split_type", NULL, ALL_CALL(split_by_host), free_made, 0},
    {"MPI_Comm_create", NULL, ALL_CALL(create), free_made, 0},
    {"MPI_Comm_create_group", NULL, ALL_CALL(create_of_group), free_made, 0},
    {"MPI_Comm_free", dup_another, ALL_CALL(free_made), NULL, 0},
    {"MPI_Comm_disconnect", dup_another, ALL_CALL(disconnect), NULL, 0},
    {"MPI_Cart_create", NULL, ALL_CALL(cartesian), free_made, 0},
    {"MPI_Cart_sub", cut_grid, ALL_CALL(sub_grid), free_row, 0},
    {"MPI_Neighbor_alltoall", cut_grid, ALL_CALL(neighbor_alltoall), free_made, 0},
    {"MPI_Graph_create", NULL, ALL_CALL(graph), free_made, 0},
    {"MPI_Dist_graph_create", NULL, ALL_CALL(distributed_graph), free_made, 0},
    {"MPI_Dist_graph_create_adjacent", NULL, ALL_CALL(adjacent_graph), free_made, 0},
    {"MPI_Intercomm_create", split_halves, ALL_CALL(join_halves), free_joined, 0},
    {"MPI_Barrier between groups", split_and_join, ALL_CALL(barrier_between), free_joined, 0},
    {"MPI_Intercomm_merge", split_and_join, ALL_CALL(merge), free_merged, 0},
};
const int p_kind_count = sizeof p_kinds / sizeof *p_kinds;
