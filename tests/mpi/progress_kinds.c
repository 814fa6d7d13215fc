#include "progress.h"

#include <stdio.h>
#include <stdlib.h>

MPI_Comm p_same, p_another, p_others;
int p_current;
long p_failed;
static char *big;
static char path[400];

void p_expect(int value, int wanted, const char *what)
{
    if (value != wanted && p_failed++ == 0)
        fprintf(stderr, "# rank %d, kind %d: %s is %d, not %d\n", t_rank, p_current, what, value,
                wanted);
}

void p_begin(void)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/progress.%s.data", folder ? folder : "/tmp",
             T_OPEN_MPI ? "openmpi" : "mpich");
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

static void disconnect(void) { MPI_Comm_disconnect(&made); }

/* ---- windows and files ---- */

static MPI_Win win;
static int shared_int, *allocated;

static void make_window(void)
{
    MPI_Win_create(&shared_int, sizeof shared_int, sizeof shared_int, MPI_INFO_NULL, p_another,
                   &win);
}
static void free_window(void) { MPI_Win_free(&win); }

static void allocate_window(void)
{
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, p_another, &allocated, &win);
}

static void fence(void) { MPI_Win_fence(0, win); }

static void make_fenced_window(void)
{
    make_window();
    fence();
}

/* Rank 1 holds the lock of its own window until the collectives are complete. */
static void make_locked_window(void)
{
    allocate_window();
    if (is_partner())
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void lock_and_flush(void)
{
    const int one = 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_flush(1, win);
    MPI_Win_unlock(1, win);
}

static void unlock_own(void)
{
    if (is_partner())
        MPI_Win_unlock(1, win);
}

/* General active target synchronization: rank 0 waits for the post of rank 1. */
static void access_posted(void)
{
    const int target = 1, one = 1;
    MPI_Group all, group;
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &target, &group);
    MPI_Win_start(group, 0, win);
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

static void post_and_wait(void)
{
    const int origin = 0;
    MPI_Group all, group;
    if (!is_partner())
        return;
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &origin, &group);
    MPI_Win_post(group, 0, win);
    MPI_Win_wait(win);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

static MPI_File file;

static void open_file(void)
{
    const int code =
        MPI_File_open(p_another, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file);
    p_expect(code, MPI_SUCCESS, "the code of MPI_File_open");
}
static void close_file(void) { MPI_File_close(&file); }

static void write_file(void)
{
    MPI_File_write_at_all(file, 4 * t_rank, &t_rank, 1, MPI_INT, MPI_STATUS_IGNORE);
}

#define ALL_CALL(call) call, call

const p_kind p_kinds[] = {
    {"MPI_Recv", NULL, p_receives, p_partner_sends, NULL, false},
    {"MPI_Recv on the same communicator", NULL, receives_on_same, sends_on_same, NULL, false},
    {"MPI_Send, large", NULL, sends_large, partner_receives, NULL, false},
    {"MPI_Ssend", NULL, sends_synchronously, partner_receives, NULL, false},
    {"MPI_Probe", NULL, probes, p_partner_sends, NULL, false},
    {"MPI_Mprobe", NULL, probes_matched, p_partner_sends, NULL, false},
    {"MPI_Iprobe", NULL, polls_probe, p_partner_sends, NULL, false},
    {"MPI_Improbe", NULL, polls_matched_probe, p_partner_sends, NULL, false},
    {"MPI_Sendrecv", NULL, ALL_CALL(exchanges), NULL, false},
    {"MPI_Sendrecv_replace", NULL, ALL_CALL(exchanges_in_place), NULL, false},
    {"MPI_Wait", NULL, waits, p_partner_sends, NULL, false},
    {"MPI_Waitall", NULL, waits_for_all, p_partner_sends, NULL, false},
    {"MPI_Waitany", NULL, waits_for_any, p_partner_sends, NULL, false},
    {"MPI_Waitsome", NULL, waits_for_some, p_partner_sends, NULL, false},
    {"MPI_Test", NULL, tests, p_partner_sends, NULL, false},
    {"MPI_Testall", NULL, tests_all, p_partner_sends, NULL, false},
    {"MPI_Testany", NULL, tests_any, p_partner_sends, NULL, false},
    {"MPI_Testsome", NULL, tests_some, p_partner_sends, NULL, false},
    {"MPI_Request_get_status", NULL, gets_status, p_partner_sends, NULL, false},
    {"MPI_Wait of a synchronous send", NULL, waits_for_synchronous_send, partner_receives, NULL,
     false},
    {"MPI_Wait of a persistent receive", NULL, waits_for_persistent, p_partner_sends, NULL, false},
    {"MPI_Barrier", NULL, ALL_CALL(barrier), NULL, false},
    {"MPI_Barrier on the same communicator", NULL, ALL_CALL(barrier_on_same), NULL, false},
    {"MPI_Bcast", NULL, ALL_CALL(bcast), NULL, false},
    {"MPI_Bcast on the same communicator", NULL, ALL_CALL(large_bcast_on_same), NULL, false},
    {"MPI_Allreduce", NULL, ALL_CALL(allreduce), NULL, false},
    {"MPI_Gather on the same communicator", NULL, ALL_CALL(gather_on_same), NULL, false},
    {"MPI_Ibarrier", NULL, ALL_CALL(ibarrier), NULL, false},
    {"MPI_Iallreduce on the same communicator", NULL, ALL_CALL(iallreduce_on_same), NULL, false},
    {"MPI_Comm_dup", NULL, ALL_CALL(dup_another), free_made, false},
    {"MPI_Comm_dup of the same communicator", NULL, ALL_CALL(dup_same), free_made, false},
    {"MPI_Comm_idup", NULL, ALL_CALL(idup), free_made, false},
    {"MPI_Comm_split", NULL, ALL_CALL(split), free_made, false},
    {"MPI_Comm_split_type", NULL, ALL_CALL(split_by_host), free_made, false},
    {"MPI_Comm_create", NULL, ALL_CALL(create), free_made, false},
    {"MPI_Comm_create_group", NULL, ALL_CALL(create_of_group), free_made, false},
    {"MPI_Comm_free", dup_another, ALL_CALL(free_made), NULL, false},
    {"MPI_Comm_disconnect", dup_another, ALL_CALL(disconnect), NULL, false},
    {"MPI_Cart_create", NULL, ALL_CALL(cartesian), free_made, false},
    {"MPI_Dist_graph_create_adjacent", NULL, ALL_CALL(adjacent_graph), free_made, false},
    {"MPI_Intercomm_create", split_halves, ALL_CALL(join_halves), free_joined, false},
    {"MPI_Intercomm_merge", split_and_join, ALL_CALL(merge), free_merged, false},
    {"MPI_Win_create", NULL, ALL_CALL(make_window), free_window, false},
    {"MPI_Win_allocate", NULL, ALL_CALL(allocate_window), free_window, false},
    {"MPI_Win_fence", make_fenced_window, ALL_CALL(fence), free_window, false},
    {"MPI_Win_lock and MPI_Win_flush", make_locked_window, lock_and_flush, unlock_own, free_window,
     true},
    {"MPI_Win_complete", make_window, access_posted, post_and_wait, free_window, true},
    {"MPI_Win_free", make_window, ALL_CALL(free_window), NULL, false},
    {"MPI_File_open", NULL, ALL_CALL(open_file), close_file, false},
    {"MPI_File_write_at_all", open_file, ALL_CALL(write_file), close_file, false},
    {"MPI_File_close", open_file, ALL_CALL(close_file), NULL, false},
};
const int p_kind_count = sizeof p_kinds / sizeof *p_kinds;
