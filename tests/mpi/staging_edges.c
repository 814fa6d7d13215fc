/* staging_edges.c - cases in which staging could change behaviour: combined sends and receives,
 * truncated messages, synchronous sends, cancelled receives. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

enum { BIG = 300000 };
static MPI_Comm world, twin;

/* Time for messages to arrive, and calls in which they may be staged. */
static void linger(void)
{
    MPI_Request none = MPI_REQUEST_NULL;
    int flag;
    for (int i = 0; i < 4; i++) {
        usleep(50);
        MPI_Test(&none, &flag, MPI_STATUS_IGNORE);
    }
}

/* ---- combined sends and receives ---- */

static void check_shift(const char *buf, int n, int from, int step, const MPI_Status *status)
{
    int count = -1, bad = 0;
    MPI_Get_count(status, MPI_BYTE, &count);
    for (int i = 0; i < n; i++)
        bad += buf[i] != (char)(from + step + i);
    t_check(bad == 0 && count == n && status->MPI_SOURCE == from && status->MPI_TAG == 5,
            "step %d: %d bytes wrong, count %d of %d, from %d", step, bad, count, n,
            status->MPI_SOURCE);
}

static void shifts(void)
{
    static char out[BIG], in[BIG];
    const int right = (t_rank + 1) % t_ranks, left = (t_rank + t_ranks - 1) % t_ranks;
    t_point("sendrecv, sendrecv_replace and isendrecv deliver the right messages");
    for (int step = 0; step < 80; step++) {
        const int n = step % 3 == 0 ? BIG : step % 3 == 1 ? 3000 : 9;
        MPI_Status status;
        t_where("shift %d", step);
        for (int i = 0; i < n; i++)
            out[i] = (char)(t_rank + step + i);
        if ((step + t_rank) % 2)
            linger();
        if (step % 4 == 1) {
            MPI_Sendrecv_replace(out, n, MPI_BYTE, right, 5, left, 5, twin, &status);
            check_shift(out, n, left, step, &status);
            continue;
        }
#if MPI_VERSION >= 4
        if (step % 4 > 1) {
            MPI_Request request;
            if (step % 4 == 2)
                MPI_Isendrecv(out, n, MPI_BYTE, right, 5, in, n, MPI_BYTE, left, 5, twin, &request);
            else
                MPI_Isendrecv_replace(out, n, MPI_BYTE, right, 5, left, 5, twin, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            /* MPICH 4.0.2 does not set the status, so only the bytes are checked */
            MPI_Status_set_elements(&status, MPI_BYTE, n);
            status.MPI_SOURCE = left;
            status.MPI_TAG = 5;
            check_shift(step % 4 == 2 ? in : out, n, left, step, &status);
            continue;
        }
#endif
        MPI_Sendrecv(out, n, MPI_BYTE, right, 5, in, n, MPI_BYTE, left, 5, twin, &status);
        check_shift(in, n, left, step, &status);
    }
}

/* ---- errors, synchronous sends, cancellation ---- */

/* Rank 0 predicts messages of rank 1; the last one is too long. */
static void truncation(bool later)
{
    char buf[4096] = {0};
    int class = MPI_SUCCESS;
    t_point(later ? "irecv of a message that is too long returns MPI_ERR_TRUNCATE"
                  : "recv of a message that is too long returns MPI_ERR_TRUNCATE");
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    for (int i = 0; i < 24 && t_rank < 2; i++) {
        MPI_Request request;
        const int n = i == 23 ? 100 : 4000;
        if (t_rank == 1) {
            MPI_Send(buf, 4000, MPI_BYTE, 0, 9, world);
            continue;
        }
        linger();
        int code;
        if (later) {
            code = MPI_Irecv(buf, n, MPI_BYTE, 1, 9, world, &request);
            if (code == MPI_SUCCESS)
                code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else
            code = MPI_Recv(buf, n, MPI_BYTE, 1, 9, world, MPI_STATUS_IGNORE);
        MPI_Error_class(code, &class);
        t_check(class == (i == 23 ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "message %d: class %d", i,
                class);
    }
    MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
    MPI_Barrier(MPI_COMM_WORLD);
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The last rank sends to rank 0 with all routines, synchronous ones included: its synchronous sends
 * complete after rank 0 has started to receive. */
static void synchronous(void)
{
    char buf[256] = {0};
    int64_t begun = 0;
    const int last = t_ranks - 1;
    t_point("synchronous sends do not complete before their receive starts");
    for (int i = 0; i < 40; i++) {
        t_where("synchronous %d", i);
        if (t_rank == last) {
            if (i % 2)
                MPI_Ssend(buf, 256, MPI_BYTE, 0, 6, world);
            else {
                MPI_Request request;
                MPI_Issend(buf, 256, MPI_BYTE, 0, 6, world, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            const int64_t ended = now_ns();
            MPI_Recv(&begun, 1, MPI_INT64_T, 0, 7, world, MPI_STATUS_IGNORE);
            t_check(ended >= begun, "%d: completed %ld ns before the receive", i,
                    (long)(begun - ended));
        } else if (t_rank == 0) {
            linger();
            linger();
            begun = now_ns();
            MPI_Recv(buf, 256, MPI_BYTE, last, 6, world, MPI_STATUS_IGNORE);
            MPI_Send(&begun, 1, MPI_INT64_T, last, 7, world);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A receive without a message is cancelled; one with a message may be. */
static void cancelling(void)
{
    char buf[64] = {0};
    MPI_Request request;
    MPI_Status status;
    int cancelled = 0;
    t_point("cancelled receives, and requests freed while they are active");
    MPI_Irecv(buf, 64, MPI_BYTE, t_rank, 77, twin, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    t_check(cancelled, "a receive without a message was not cancelled");
    for (int i = 0; i < 40 && t_rank < 2; i++) {
        if (t_rank == 1) {
            buf[0] = (char)i;
            MPI_Send(buf, 64, MPI_BYTE, 0, 8, twin);
            MPI_Recv(buf, 1, MPI_BYTE, 0, 8, twin, MPI_STATUS_IGNORE);
            continue;
        }
        linger();
        MPI_Irecv(buf, 64, MPI_BYTE, 1, 8, twin, &request);
        if (i % 2) {
            MPI_Cancel(&request);
            MPI_Wait(&request, &status);
            MPI_Test_cancelled(&status, &cancelled);
            if (cancelled)
                MPI_Recv(buf, 64, MPI_BYTE, 1, 8, twin, &status);
        } else
            MPI_Wait(&request, &status);
        t_check(buf[0] == (char)i && status.MPI_SOURCE == 1, "message %d: %d", i, buf[0]);
        MPI_Send(buf, 1, MPI_BYTE, 1, 8, twin);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(60);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    world = MPI_COMM_WORLD;
    shifts();
    cancelling();
    truncation(false);
    truncation(true);
    synchronous();
    MPI_Comm_free(&twin);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
