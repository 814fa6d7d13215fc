/* make_trace.c - writes the trace of a made-up program, for measurements and tests of what reads
 * traces: steps of computation that differs between ranks, an exchange with neighbours, and
 * collectives on all ranks and on two halves.
 *
 *   make_trace FOLDER RANKS CALLS     CALLS: of all ranks together, approximately;
 *                                     0: only MPI_Init and MPI_Finalize */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/writer.h"

enum { MOST_RANKS = 4096, NS_PER_BYTE_16 = 2 /* sixteenths of a byte's time */ };

typedef struct {
    int p;
    atn_trace_writer *w[MOST_RANKS];
    int64_t now[MOST_RANKS]; /* clock of each rank */
    int64_t calls;
} job;

static int64_t cost(int64_t bytes) { return 4000 + bytes / NS_PER_BYTE_16; }

static atn_trace_what what_of(atn_trace_op op, int comm, int64_t bytes)
{
    return (atn_trace_what){.op = (uint8_t)op,
                            .comm = comm,
                            .bytes = bytes,
                            .count = bytes / 8,
                            .partner = ATN_TRACE_NO_RANK,
                            .tag = ATN_TRACE_NO_TAG,
                            .type = -1,
                            .site = -1};
}

static void record(job *j, int r, const atn_trace_what *what, int64_t until)
{
    atn_trace_put(j->w[r], what, j->now[r], until, 0);
    j->now[r] = until;
    j->calls++;
}

/* ---- the program ---- */

static void compute(job *j, int step)
{
    for (int r = 0; r < j->p; r++)
        j->now[r] += 60000 + 40000 * ((r * 7 + step) % j->p) / j->p;
}

/* All ranks of first .. first + n - 1 leave after the last one has entered. */
static void collective(job *j, atn_trace_op op, int comm, int first, int n, int64_t bytes)
{
    const atn_trace_what what = what_of(op, comm, bytes);
    int64_t last = 0;
    for (int r = first; r < first + n; r++)
        last = j->now[r] > last ? j->now[r] : last;
    for (int r = first; r < first + n; r++)
        record(j, r, &what, last + cost(bytes) + 100 * (r % 7));
}

static void exchange(job *j)
{
    for (int r = 0; r < j->p; r++) {
        atn_trace_what receive = what_of(ATN_TRACE_IRECV, 0, 8192), send = receive;
        const atn_trace_what wait = what_of(ATN_TRACE_WAITALL, -1, 0);
        receive.partner = (r + j->p - 1) % j->p;
        send.op = ATN_TRACE_ISEND;
        send.partner = (r + 1) % j->p;
        receive.tag = send.tag = 1;
        record(j, r, &receive, j->now[r] + 300);
        record(j, r, &send, j->now[r] + 900);
        const uint32_t request = atn_trace_last_request(j->w[r]);
        record(j, r, &wait, j->now[r] + cost(8192));
        const atn_trace_what done = what_of(ATN_TRACE_DONE, -1, 0);
        atn_trace_put(j->w[r], &done, 0, 0, request - 1);
        atn_trace_put(j->w[r], &done, 0, 0, request);
    }
}

static void take_step(job *j, int step)
{
    const int half = j->p / 2;
    compute(j, step);
    exchange(j);
    collective(j, ATN_TRACE_ALLREDUCE, 0, 0, j->p, 8);
    if (step % 4 == 0) {
        collective(j, ATN_TRACE_ALLTOALL, 1, 0, half, 4096);
        collective(j, ATN_TRACE_ALLTOALL, 2, half, j->p - half, 4096);
    }
    if (step % 8 == 0)
        collective(j, ATN_TRACE_BCAST, 0, 0, j->p, 256 << 10);
    if (step % 16 == 0)
        collective(j, ATN_TRACE_ALLGATHER, 0, 0, j->p, 1000 + 100 * (step % 50));
}

/* ---- files ---- */

static void define_comms(job *j, int r)
{
    int ranks[MOST_RANKS];
    const int half = j->p / 2, upper = r >= half;
    for (int i = 0; i < j->p; i++)
        ranks[i] = i;
    atn_trace_define_comm(j->w[r], 0, 1, j->p, r, r == 0 ? ranks : NULL);
    atn_trace_define_comm(j->w[r], 1 + upper, 2 + (uint64_t)upper, upper ? j->p - half : half,
                          upper ? r - half : r,
                          r == 0      ? ranks
                          : r == half ? ranks + half
                                      : NULL);
}

static bool open_rank(job *j, const char *folder, int r)
{
    char path[4096], host[32];
    int why = 0;
    snprintf(path, sizeof path, "%s/" ATN_TRACE_FILE, folder, r);
    snprintf(host, sizeof host, "n%d", r / 4);
    j->w[r] = atn_trace_create(path, INT64_MAX, &why);
    if (j->w[r] == NULL) {
        fprintf(stderr, "make_trace: %s: %s\n", path, strerror(why));
        return false;
    }
    atn_trace_write_start(j->w[r], &(atn_trace_start){.job = 4711,
                                                      .rank = r,
                                                      .ranks = j->p,
                                                      .wall_ns = 1760000000000000000,
                                                      .inside_ps = 20000,
                                                      .around_ps = 20000,
                                                      .clock = "monotonic",
                                                      .host = host,
                                                      .program = "made_up",
                                                      .library = "none",
                                                      .pid = 1000 + r});
    define_comms(j, r);
    return true;
}

static bool finish(job *j)
{
    static const int64_t bytes[] = {8, 1024, 65536}, ns[] = {2000, 2500, 34000};
    bool ok = true;
    collective(j, ATN_TRACE_FINALIZE, -1, 0, j->p, 0);
    for (int r = 0; r < j->p; r++) {
        if (r == 0)
            atn_trace_write_times(j->w[0], bytes, ns, 3);
        atn_trace_write_sync(j->w[r], 1, 0, 10);
        ok = atn_trace_close(j->w[r]) && ok;
    }
    return ok;
}

int main(int argc, char **argv)
{
    job *const j = calloc(1, sizeof *j);
    j->p = argc == 4 ? atoi(argv[2]) : 0;
    const int64_t calls = argc == 4 ? atoll(argv[3]) : 0;
    if (j->p < 2 || j->p > MOST_RANKS || calls < 0) {
        fprintf(stderr, "usage: make_trace FOLDER RANKS CALLS, with 2 to %d ranks\n", MOST_RANKS);
        return 2;
    }
    mkdir(argv[1], 0777);
    for (int r = 0; r < j->p; r++)
        if (!open_rank(j, argv[1], r))
            return 4;
    for (int r = 0; r < j->p; r++)
        record(j, r,
               &(atn_trace_what){.op = ATN_TRACE_INIT,
                                 .comm = -1,
                                 .partner = ATN_TRACE_NO_RANK,
                                 .tag = ATN_TRACE_NO_TAG,
                                 .type = -1,
                                 .site = -1},
               1000000);
    for (int step = 0; j->calls < calls; step++)
        take_step(j, step);
    const bool ok = finish(j);
    free(j);
    return ok ? 0 : 4;
}
