/* transfer.c - see transfer.h. */
#include "measure/transfer.h"

#include <math.h>
#include <sched.h>

#include "measure/coordinator.h"

enum { SERIES = 3, ROUND_TRIPS = 10 };
enum { TAG_DATA, TAG_ROUND_TRIP, TAG_CONNECT };
static const double pause_s = 50e-6; /* when no chunk is complete */

/* ---- one end of a transfer ---- */

typedef struct {
    MPI_Comm comm;
    int peer, chunk, posted, done;
    char *buffer;
    double *arrival; /* NULL: the sending end */
    MPI_Request requests[ATN_CHUNK_WINDOW];
} end;

static void post(end *e, int slot)
{
    char *at = e->buffer + (size_t)slot * (size_t)e->chunk;
    if (e->posted == ATN_CHUNKS)
        return;
    e->posted++;
    if (e->arrival)
        MPI_Irecv(at, e->chunk, MPI_BYTE, e->peer, TAG_DATA, e->comm, &e->requests[slot]);
    else
        MPI_Isend(at, e->chunk, MPI_BYTE, e->peer, TAG_DATA, e->comm, &e->requests[slot]);
}

static void begin(end *e)
{
    for (int i = 0; i < ATN_CHUNK_WINDOW; i++) {
        e->requests[i] = MPI_REQUEST_NULL;
        if (e->peer >= 0)
            post(e, i);
    }
    if (e->peer < 0)
        e->done = ATN_CHUNKS;
}

/* Replaces chunks that are complete; false: there were none. */
static bool advance(end *e, double start)
{
    int slots[ATN_CHUNK_WINDOW], n;
    if (e->done == ATN_CHUNKS)
        return false;
    MPI_Testsome(ATN_CHUNK_WINDOW, e->requests, &n, slots, MPI_STATUSES_IGNORE);
    for (int i = 0; n != MPI_UNDEFINED && i < n; i++) {
        if (e->arrival)
            e->arrival[e->done] = MPI_Wtime() - start;
        e->done++;
        post(e, slots[i]);
    }
    return n > 0;
}

void atn_measure_transfer_connect(MPI_Comm comm, const atn_ends *e)
{
    MPI_Request requests[4];
    const int peers[2] = {e->to, e->from};
    int n = 0;
    for (int i = 0; i < 2; i++)
        if (peers[i] >= 0) {
            MPI_Isend(NULL, 0, MPI_BYTE, peers[i], TAG_CONNECT + i, comm, &requests[n++]);
            MPI_Irecv(NULL, 0, MPI_BYTE, peers[i], TAG_CONNECT + 1 - i, comm, &requests[n++]);
        }
    atn_measure_wait_asleep(requests, n, atn_pause_short);
}

void atn_measure_transfer_run(MPI_Comm comm, const atn_ends *e, char *out, char *in,
                              atn_arrivals *arrivals)
{
    end sending = {.comm = comm, .peer = e->to, .chunk = e->to_chunk, .buffer = out};
    end receiving = {.comm = comm,
                     .peer = e->from,
                     .chunk = e->from_chunk,
                     .buffer = in,
                     .arrival = arrivals->arrival};
    const double start = MPI_Wtime();
    begin(&receiving);
    begin(&sending);
    while (receiving.done < ATN_CHUNKS || sending.done < ATN_CHUNKS) {
        const bool some = advance(&receiving, start);
        if (!advance(&sending, start) && !some)
            atn_measure_sleep(pause_s);
    }
}

/* ---- round trips ---- */

/* Polls without sleeping. */
static void wait_awake(MPI_Request *request)
{
    int done = 0;
    while (!done) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done)
            sched_yield();
    }
}

static void send_byte(MPI_Comm comm, int peer, char *byte)
{
    MPI_Request request;
    MPI_Isend(byte, 1, MPI_CHAR, peer, TAG_ROUND_TRIP, comm, &request);
    wait_awake(&request);
}

static void recv_byte(MPI_Comm comm, int peer, char *byte)
{
    MPI_Request request;
    MPI_Irecv(byte, 1, MPI_CHAR, peer, TAG_ROUND_TRIP, comm, &request);
    wait_awake(&request);
}

static double round_trip(MPI_Comm comm, int peer, bool last)
{
    char more = !last;
    const double start = MPI_Wtime();
    send_byte(comm, peer, &more);
    recv_byte(comm, peer, &more);
    return MPI_Wtime() - start;
}

/* The minimum of a series, which is shorter when the latency is large. */
static double best_of_series(MPI_Comm comm, int peer)
{
    const double start = MPI_Wtime();
    double least = INFINITY;
    for (int i = 0; i < ROUND_TRIPS && (i < 2 || MPI_Wtime() - start < 0.05); i++)
        least = fmin(least, round_trip(comm, peer, false));
    return least;
}

/* The first series sets up the connection and does not count. */
atn_round_trip atn_measure_round_trip_measure(MPI_Comm comm, int peer)
{
    double best = INFINITY, worst = 0;
    best_of_series(comm, peer);
    for (int k = 0; k < SERIES; k++) {
        const double least = best_of_series(comm, peer);
        best = fmin(best, least);
        worst = fmax(worst, least);
    }
    round_trip(comm, peer, true);
    return (atn_round_trip){best, worst - best};
}

void atn_measure_round_trip_reflect(MPI_Comm comm, int peer)
{
    char more = 1;
    while (more) {
        recv_byte(comm, peer, &more);
        send_byte(comm, peer, &more);
    }
}

/* ---- rates ---- */

/* A receiver without a processor takes chunks later than they arrived, never earlier: the lower
 * convex hull of the times counts, interpolated between its corners.  Valid only where the rate is
 * constant. */
static void smooth(double *at)
{
    int corner[ATN_CHUNKS], n = 0;
    for (int k = 0; k < ATN_CHUNKS; k++) {
        while (n >= 2 && (at[corner[n - 1]] - at[corner[n - 2]]) * (k - corner[n - 2]) >=
                             (at[k] - at[corner[n - 2]]) * (corner[n - 1] - corner[n - 2]))
            n--;
        corner[n++] = k;
    }
    for (int c = 1; c < n; c++) {
        const int from = corner[c - 1], to = corner[c];
        const double step = (at[to] - at[from]) / (to - from);
        for (int k = from + 1; k < to; k++)
            at[k] = at[from] + step * (k - from);
    }
}

/* Where the steady part begins: earlier chunks were waiting for the receiver. */
static int steady_from(const double *at)
{
    const double step = (at[ATN_CHUNKS * 3 / 4] - at[ATN_CHUNKS / 4]) / (ATN_CHUNKS / 2);
    int k = 0;
    while (k < ATN_CHUNKS / 2 && at[k + 1] - at[k] < 0.6 * step)
        k++;
    return k;
}

/* Bits of a transfer that had arrived at a time, interpolated between chunks. */
static double arrived(const atn_bulk_transfer *t, const atn_arrivals *a, double when)
{
    int k = 0;
    while (k < ATN_CHUNKS && a->arrival[k] <= when)
        k++;
    double chunks = k;
    if (k > 0 && k < ATN_CHUNKS)
        chunks += (when - a->arrival[k - 1]) / (a->arrival[k] - a->arrival[k - 1]);
    return 8.0 * t->chunk * chunks;
}

static double rate_between(const atn_bulk_transfer *t, const atn_arrivals *a, double from,
                           double to)
{
    return (arrived(t, a, to) - arrived(t, a, from)) / fmax(1e-9, to - from);
}

double atn_measure_transfer_rates(const atn_bulk_transfer *list, int n, atn_arrivals *arrivals,
                                  double *rates)
{
    double all_begun = 0, one_done = INFINITY, shortest = INFINITY;
    for (int i = 0; i < n; i++) {
        double *at = arrivals[i].arrival;
        if (n == 1)
            smooth(at);
        all_begun = fmax(all_begun, at[steady_from(at)]);
        one_done = fmin(one_done, at[ATN_CHUNKS - 1]);
        shortest = fmin(shortest, at[ATN_CHUNKS - 1] - at[0]);
    }
    if (n == 1) /* only the middle: both ends may be disturbed */
        one_done = arrivals[0].arrival[ATN_CHUNKS * 7 / 8];
    const bool together = one_done > all_begun;
    for (int i = 0; i < n; i++) {
        const double *at = arrivals[i].arrival;
        rates[i] = rate_between(&list[i], &arrivals[i], together ? all_begun : at[0],
                                together ? one_done : at[ATN_CHUNKS - 1]);
    }
    return together ? (one_done - all_begun) / fmax(1e-9, shortest) : 0;
}
