/* imbalance.c - ranks that arrive apart, by how much is known: for controlled experiments. */
#include <sched.h>

#include "measure/call.h"

enum { ROUND_TRIPS = 8 };

/* Half of the fastest round trip. */
static double message_time(const atn_caller *c)
{
    const int partner = c->r == 0 ? c->p - 1 : 0;
    const size_t room = c->dst_bytes > c->src_bytes ? c->dst_bytes : c->src_bytes;
    char *const buf = c->dst_bytes > c->src_bytes ? c->dst : c->src;
    const int64_t want = c->q.bytes < 1 << 30 ? c->q.bytes : 1 << 30;
    const int bytes = (int)(want < (int64_t)room ? want : (int64_t)room);
    double least = 1e9;
    for (int i = 0; i < ROUND_TRIPS; i++) {
        const double start = MPI_Wtime();
        if (c->r == 0)
            MPI_Send(buf, bytes, MPI_BYTE, partner, 0, c->wire);
        MPI_Recv(buf, bytes, MPI_BYTE, partner, 0, c->wire, MPI_STATUS_IGNORE);
        if (c->r != 0)
            MPI_Send(buf, bytes, MPI_BYTE, partner, 0, c->wire);
        const double took = MPI_Wtime() - start;
        least = took < least ? took : least;
    }
    return least / 2;
}

/* The bytes of the message are rank 0's, because those at other ranks may lack a buffer. */
void atn_imbalance_prepare(atn_caller *c)
{
    if (c->imbalance.factor > 0 && c->p > 1 && (c->r == 0 || c->r == c->p - 1))
        c->imbalance.message_s = message_time(c);
    MPI_Bcast(&c->imbalance.message_s, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* In [0, 1), from the pattern and the rank only. */
static double lot(int pattern, int r)
{
    const int seed[] = {pattern, r};
    const uint64_t h = atn_hash(seed, sizeof seed, 0) * UINT64_C(0x9e3779b97f4a7c15);
    return (double)(h >> 11) / 9007199254740992.0;
}

double atn_imbalance_arrive(const atn_caller *c)
{
    const double start = MPI_Wtime();
    if (!(c->imbalance.factor > 0))
        return start;
    const double wait = c->imbalance.factor * c->imbalance.message_s *
                        lot(c->imbalance.pattern % ATN_PATTERNS, c->r);
    double now = start;
    while (now - start < wait) {
        if (c->yield)
            sched_yield();
        now = MPI_Wtime();
    }
    return now;
}

double atn_imbalance_mean(const atn_caller *c, double own)
{
    double sum = own;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum / c->p > 1e-9 ? sum / c->p : 1e-9;
}
