/* traced_access.c - calls that are not in traced.c: other send modes, matched probes, neighbourhood
 * and persistent collectives, one-sided communication, files.  run-trace has the number, partner
 * and size of each; `right` is the next rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 16, TAG = 31 };

static int p, r, right, left;
static double out[4 * N], in[4 * N];

static void wait_for(MPI_Request *q) { MPI_Wait(q, MPI_STATUS_IGNORE); }

/* ---- messages: to the right, 8 bytes times the index of the send mode ---- */

static void sends(void)
{
    MPI_Request q[2];
    const int room = 4 * N * (int)sizeof(double) + 4 * MPI_BSEND_OVERHEAD;
    char *const buffer = malloc((size_t)room);
    void *detached;
    int bytes;
    MPI_Buffer_attach(buffer, room);
    MPI_Bsend(out, 1, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD);
    MPI_Recv(in, N, MPI_DOUBLE, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ibsend(out, 2, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD, &q[0]);
    MPI_Recv(in, N, MPI_DOUBLE, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wait_for(&q[0]);
    MPI_Buffer_detach(&detached, &bytes);
    free(buffer);
    for (int i = 0; i < 2; i++) {
        MPI_Irecv(in, N, MPI_DOUBLE, left, TAG, MPI_COMM_WORLD, &q[1]);
        MPI_Barrier(MPI_COMM_WORLD); /* a ready send needs a posted receive */
        if (i == 0) {
            MPI_Rsend(out, 3, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD);
        } else {
            MPI_Irsend(out, 4, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD, &q[0]);
            wait_for(&q[0]);
        }
        wait_for(&q[1]);
    }
    MPI_Issend(out, 5, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD, &q[0]);
    MPI_Recv(in, N, MPI_DOUBLE, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wait_for(&q[0]);
}

/* The receive has no source argument; the probe has the sender. */
static void matched(void)
{
    MPI_Message message;
    MPI_Request q[2];
    int flag = 0;
    for (int i = 0; i < 2; i++)
        MPI_Isend(out, 6, MPI_DOUBLE, right, 41 + i, MPI_COMM_WORLD, &q[i]);
    MPI_Mprobe(MPI_ANY_SOURCE, 41, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, N, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    while (!flag)
        MPI_Improbe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    MPI_Imrecv(in, N, MPI_DOUBLE, &message, &q[0]);
    wait_for(&q[0]);
}

/* ---- neighbours: two on the ring, then only the right one as destination ---- */

static void neighbours(void)
{
    MPI_Comm ring, one_way;
    MPI_Request q;
    const int yes = 1, counts[] = {1, 2}, back[] = {2, 1}, at[] = {0, 2};
    const MPI_Aint displs[] = {0, 2 * sizeof(double)};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_DOUBLE};
    MPI_Cart_create(MPI_COMM_WORLD, 1, &p, &yes, 0, &ring);
    MPI_Neighbor_allgather(out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, ring);
    MPI_Neighbor_alltoall(out, 4, MPI_DOUBLE, in, 4, MPI_DOUBLE, ring);
    MPI_Neighbor_alltoallv(out, counts, at, MPI_DOUBLE, in, back, at, MPI_DOUBLE, ring);
    MPI_Neighbor_alltoallw(out, counts, displs, types, in, back, displs, types, ring);
    MPI_Ineighbor_alltoall(out, 4, MPI_DOUBLE, in, 4, MPI_DOUBLE, ring, &q);
    wait_for(&q);
    MPI_Comm_free(&ring);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &yes, 1, &right, &yes, MPI_INFO_NULL,
                                   0, &one_way);
    MPI_Neighbor_alltoallv(out, back, at, MPI_DOUBLE, in, back, at, MPI_DOUBLE, one_way);
    MPI_Neighbor_allgatherv(out, 5, MPI_DOUBLE, in, (const int[]){5}, at, MPI_DOUBLE, one_way);
    MPI_Comm_free(&one_way);
}

/* ---- handles that MPI reuses, in otherwise equal calls ---- */

static void handles_again(void)
{
    for (int i = 1; i <= 2; i++) {
        MPI_Datatype type;
        MPI_Comm comm;
        MPI_Type_contiguous(i, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        MPI_Bcast(out, 1, type, 0, MPI_COMM_WORLD);
        MPI_Type_free(&type);
        MPI_Comm_split(MPI_COMM_WORLD, i == 1 ? 0 : r, 0, &comm);
        MPI_Scan(out, in, 1, MPI_DOUBLE, MPI_SUM, comm);
        MPI_Comm_free(&comm);
    }
}

/* As some programs do for every call: mostly the same size, sometimes another. */
static void types_again(void)
{
    for (int i = 0; i < 24; i++) {
        MPI_Datatype type;
        MPI_Type_contiguous(2 + i % 5 / 4, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        MPI_Exscan(out, in, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allgather(out, 1, type, in, 1, type, MPI_COMM_WORLD);
        MPI_Type_free(&type);
    }
}

/* ---- calls of MPI 4; persistent ones are started twice each ---- */

static void modern(void)
{
#if MPI_VERSION >= 4
    MPI_Request q[2];
    MPI_Isendrecv(out, 7, MPI_DOUBLE, right, 51, in, N, MPI_DOUBLE, MPI_ANY_SOURCE, 51,
                  MPI_COMM_WORLD, &q[0]);
    wait_for(&q[0]);
    MPI_Isendrecv_replace(in, 8, MPI_DOUBLE, right, 52, left, 52, MPI_COMM_WORLD, &q[0]);
    wait_for(&q[0]);
    MPI_Bcast_init(out, N, MPI_DOUBLE, p - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &q[0]);
    MPI_Allreduce_init(out, in, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &q[1]);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            MPI_Start(&q[k]);
            wait_for(&q[k]);
        }
    MPI_Request_free(&q[0]);
    MPI_Request_free(&q[1]);
    if (r == 0)
        puts("has MPI 4");
#endif
}

/* ---- one-sided ---- */

static void epochs(MPI_Win win, MPI_Group to, MPI_Group from)
{
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(out, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
}

static void locked(MPI_Win win)
{
    MPI_Request q;
    double old = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Accumulate(out, 3, MPI_DOUBLE, right, 0, 3, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_flush(right, win);
    MPI_Win_unlock(right, win);
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(out, &old, MPI_DOUBLE, 0, 0, MPI_SUM, win);
    MPI_Win_flush_local(0, win);
    MPI_Rput(out, 2, MPI_DOUBLE, right, N, 2, MPI_DOUBLE, win, &q);
    wait_for(&q);
    MPI_Win_flush_all(win);
    MPI_Get_accumulate(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, left, 0, 2, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_unlock_all(win);
}

static void windows(void)
{
    MPI_Group all, to, from;
    MPI_Win win;
    double *memory;
    MPI_Win_allocate(4 * N * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    for (int i = 0; i < 4 * N; i++)
        memory[i] = 0;
    MPI_Win_fence(0, win);
    MPI_Put(out, N, MPI_DOUBLE, right, 0, N, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    MPI_Get(in, 4, MPI_DOUBLE, left, 0, 4, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &right, &to);
    MPI_Group_incl(all, 1, &left, &from);
    epochs(win, to, from);
    MPI_Barrier(MPI_COMM_WORLD);
    locked(win);
    MPI_Group_free(&all);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Win_free(&win);
}

/* ---- files: 8 bytes times the index of the routine ---- */

static void files(const char *path)
{
    MPI_File file;
    MPI_Request q;
    const MPI_Offset at = (MPI_Offset)r * N * (MPI_Offset)sizeof(double);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_write_at_all(file, at, out, N, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_write_at(file, at, out, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at(file, at, out, 2, MPI_DOUBLE, &q);
    wait_for(&q);
    MPI_File_sync(file);
    MPI_File_read_at_all(file, at, in, 3, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_read_at_all_begin(file, at, in, 4, MPI_DOUBLE);
    MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE);
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_read(file, in, 5, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    right = (r + 1) % p;
    left = (r + p - 1) % p;
    for (int i = 0; i < 4 * N; i++)
        out[i] = r + i;
    sends();
    matched();
    neighbours();
    handles_again();
    types_again();
    modern();
    windows();
    if (argc > 1)
        files(argv[1]);
    MPI_Finalize();
    return 0;
}
