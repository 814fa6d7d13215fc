/* sync.c - see sync.h.  Rank 0 requests the time of each rank in turn, several times; the shortest
 * exchange counts, and half of its duration is the uncertainty. */
#include "tracer/sync.h"

#include "tracer/recorder.h"

enum { EXCHANGES = 12, TAG = 1 };

/* The difference between rank 0's clock and the other's, in the middle of the exchange. */
static atn_trace_sync compare_with(MPI_Comm comm, int rank)
{
    atn_trace_sync best = {.within = INT64_MAX};
    for (int i = 0; i < EXCHANGES; i++) {
        int64_t theirs = 0;
        const int64_t sent = atn_tracer_now();
        atn_tracer_pmpi.Send(&theirs, 1, MPI_INT64_T, rank, TAG, comm);
        atn_tracer_pmpi.Recv(&theirs, 1, MPI_INT64_T, rank, TAG, comm, MPI_STATUS_IGNORE);
        const int64_t half = (atn_tracer_now() - sent) / 2;
        if (half < best.within)
            best = (atn_trace_sync){.at = theirs, .offset = sent + half - theirs, .within = half};
    }
    return best;
}

static void answer(MPI_Comm comm)
{
    for (int i = 0; i < EXCHANGES; i++) {
        int64_t now = 0;
        atn_tracer_pmpi.Recv(&now, 1, MPI_INT64_T, 0, TAG, comm, MPI_STATUS_IGNORE);
        now = atn_tracer_now();
        atn_tracer_pmpi.Send(&now, 1, MPI_INT64_T, 0, TAG, comm);
    }
}

atn_trace_sync atn_tracer_compare_clocks(MPI_Comm comm)
{
    int p, r;
    int64_t words[3];
    PMPI_Comm_size(comm, &p);
    PMPI_Comm_rank(comm, &r);
    if (r == 0) {
        for (int i = 1; i < p; i++) {
            const atn_trace_sync s = compare_with(comm, i);
            words[0] = s.at;
            words[1] = s.offset;
            words[2] = s.within;
            atn_tracer_pmpi.Send(words, 3, MPI_INT64_T, i, TAG, comm);
        }
        return (atn_trace_sync){.at = atn_tracer_now()};
    }
    answer(comm);
    atn_tracer_pmpi.Recv(words, 3, MPI_INT64_T, 0, TAG, comm, MPI_STATUS_IGNORE);
    return (atn_trace_sync){.at = words[0], .offset = words[1], .within = words[2]};
}

/* ---- messages ---- */

static const int sizes[ATN_MESSAGE_SIZES] = {8, 1 << 10, 8 << 10, 64 << 10, 512 << 10};
enum { ROUND_TRIPS = 6 };
/* Bounds the duration: a size gets no more round trips after `enough_ns`, and a size that takes
 * longer than `long_ns` is the last one, because larger ones can be extrapolated. */
static const int64_t enough_ns = 200000, long_ns = 5000000;

/* First byte of every message. */
enum { MORE, LAST_OF_SIZE, LAST_OF_ALL };

static char what_next(int trips, int64_t least, int64_t spent)
{
    if (trips > 0 && least > long_ns)
        return LAST_OF_ALL;
    return trips + 1 == ROUND_TRIPS || spent > enough_ns ? LAST_OF_SIZE : MORE;
}

/* False: this was the last size. */
static bool round_trips(MPI_Comm comm, char *buf, int bytes, int partner, bool first,
                        int64_t *least_p)
{
    int64_t least = INT64_MAX, spent = 0;
    char next = MORE;
    for (int i = 0; next == MORE; i++) {
        const int64_t start = atn_tracer_now();
        buf[0] = what_next(i, least, spent);
        if (first)
            atn_tracer_pmpi.Send(buf, bytes, MPI_BYTE, partner, TAG, comm);
        atn_tracer_pmpi.Recv(buf, bytes, MPI_BYTE, partner, TAG, comm, MPI_STATUS_IGNORE);
        next = buf[0];
        if (!first)
            atn_tracer_pmpi.Send(buf, bytes, MPI_BYTE, partner, TAG, comm);
        const int64_t took = atn_tracer_now() - start;
        spent += took;
        least = took < least ? took : least;
    }
    *least_p = least;
    return next != LAST_OF_ALL;
}

int atn_tracer_time_messages(MPI_Comm comm, int64_t bytes[ATN_MESSAGE_SIZES],
                             int64_t ns[ATN_MESSAGE_SIZES])
{
    int p, r, n = 0;
    bool more = true;
    PMPI_Comm_size(comm, &p);
    PMPI_Comm_rank(comm, &r);
    if (p < 2 || (r != 0 && r != p - 1))
        return 0;
    static char buf[512 << 10]; /* static: cannot fail */
    for (; n < ATN_MESSAGE_SIZES && more; n++) {
        bytes[n] = sizes[n];
        more = round_trips(comm, buf, sizes[n], r == 0 ? p - 1 : 0, r == 0, &ns[n]);
        ns[n] /= 2;
    }
    return r == 0 ? n : 0;
}
