/* circulant.h - round-optimal broadcast on a circulant graph: the block sent in each round.
 *
 * Skips are p halved repeatedly, rounded up.  In round i rank r may send to r + skip[i] and receive
 * from r - skip[i]; this repeats every q = ceil(log2 p) rounds.  The blocks that a rank receives in
 * a period are a constant row of q block numbers relative to the period: negative where the root
 * sent the block in an earlier period.  k blocks reach all ranks in k - 1 + q rounds, and no rank
 * receives a block twice. */
#ifndef ATN_ALGO_CIRCULANT_H
#define ATN_ALGO_CIRCULANT_H

enum { ATN_MAX_SKIPS = 32, ATN_NO_BLOCK = -(1 << 30) };

typedef struct {
    int p, q;
    int skip[ATN_MAX_SKIPS + 2]; /* skip[0] = 1 ... skip[q] = p */
} atn_circulant;

atn_circulant atn_algo_circulant_of(int p);
/* The blocks that rank v, counted from the root, receives in each of q rounds, and those it sends.
 * ATN_NO_BLOCK: the root receives nothing. */
void atn_algo_circulant_receives(const atn_circulant *g, int v, int row[ATN_MAX_SKIPS]);
void atn_algo_circulant_sends(const atn_circulant *g, int v, int row[ATN_MAX_SKIPS]);

#endif
