/* direct_exec.c - the size from which on a message inside a host is read from the sender's memory:
 * each sender uses its own.  Two ranks. */
#include <string.h>

#include "exec/place.h"
#include "exec/shared.h"
#include "harness.h"

enum { BYTES = 100000 };
static const atn_place_mpi library = {MPI_Bcast, MPI_Allreduce};
static char data[BYTES];

/* Sends or receives `bytes` and returns whether they were read from the sender's memory, which the
 * sender reports. */
static bool moved_directly(atn_shared *m, int r, int64_t bytes)
{
    atn_shared_peer *const peer = &m->peer[m->index[1 - r]];
    atn_shm_transfer t = {.data = data, .bytes = bytes, .unit = 1};
    atn_shm_wait w = {.how = &m->waiting};
    int direct = 0;
    memset(data, r == 0 ? 7 : 0, sizeof data);
    while ((r == 0 ? atn_shm_send_step(&peer->out, &t) : atn_shm_receive_step(&peer->in, &t)) ==
           ATN_SHM_BUSY)
        atn_shm_wait_pause(&w);
    atn_shm_wait_end(&w);
    t_check(data[0] == 7 && data[bytes - 1] == 7, "%lld bytes arrive", (long long)bytes);
    direct = t.referred;
    MPI_Bcast(&direct, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return direct;
}

static void check_limit(atn_shared *m, int r, int64_t limit)
{
    t_check(!moved_directly(m, r, limit - 1), "%lld bytes are copied", (long long)limit - 1);
    t_check(moved_directly(m, r, limit), "%lld bytes are read", (long long)limit);
}

int main(int argc, char **argv)
{
    atn_sharing sharing;
    MPI_Init(&argc, &argv);
    t_start(60);
    const int r = t_rank;
    atn_shared *const m = atn_exec_shared_open(&library, MPI_COMM_WORLD, true, false, &sharing);
    t_point("the limit of single copies");
    if (sharing == ATN_SHARED_ALL) {
        atn_exec_shared_set_direct(m, r == 0 ? 5000 : 90000); /* only the sender's counts */
        check_limit(m, r, 5000);
        atn_exec_shared_set_direct(m, 70001);
        check_limit(m, r, 70001);
        atn_exec_shared_set_direct(m, 0); /* not measured: no change */
        check_limit(m, r, 70001);
    } else {
        t_skip("the ranks cannot read each other's memory");
    }
    atn_exec_shared_set_direct(NULL, 1);
    atn_exec_shared_close(m);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
