/* circulant.h - broadcast in the fewest rounds: which block travels when on a circulant graph.
 *
 * Skips are p halved again and again, rounded up.  In round i rank r may send to r + skip[i] and
 * receive from r - skip[i]; after q = ceil(log2 p) rounds it begins anew.  What a rank receives in
 * such a turn is a constant row of q block numbers, relative to the turn: negative where the root
 * sent the block in an earlier one.  So k blocks reach all ranks in k - 1 + q rounds, and nobody
 * receives a block twice. */
#ifndef ATN_CIRCULANT_H
#define ATN_CIRCULANT_H

enum { ATN_MAX_SKIPS = 32, ATN_NO_BLOCK = -(1 << 30) };

typedef struct {
    int p, q;
    int skip[ATN_MAX_SKIPS + 2]; /* skip[0] = 1 ... skip[q] = p */
} atn_circulant;

atn_circulant atn_circulant_of(int p);
/* What rank v, counted from the root, receives in each of q rounds, and what it sends.
 * ATN_NO_BLOCK: the root receives nothing. */
void atn_circulant_receives(const atn_circulant *g, int v, int row[ATN_MAX_SKIPS]);
void atn_circulant_sends(const atn_circulant *g, int v, int row[ATN_MAX_SKIPS]);

#endif
