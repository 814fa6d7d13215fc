/* summa.h - the cost of SUMMA, a parallel matrix product, on processes of different speed.
 *
 * N x N blocks are divided into columns, and these into rectangles, one for each process.  In
 * iteration k the owners of block column k of A send their blocks to those of the other columns
 * that have the same rows (point to point), and the owner of block row k in each column broadcasts
 * its blocks of B down the column (binomial tree).  The unit of size in all formulas is a block. */
#ifndef ATN_RESEARCH_TAULOP_SUMMA_H
#define ATN_RESEARCH_TAULOP_SUMMA_H

#include "research/taulop/terms.h"

enum { ATN_SPEED_POINTS = 16 };

/* Blocks per second by number of blocks, ascending; n 0: unknown. */
typedef struct {
    int n;
    double blocks[ATN_SPEED_POINTS], speed[ATN_SPEED_POINTS];
} atn_speed;

typedef struct {
    char node_name[32];
    int node;  /* in order of first appearance */
    int local; /* rank on its node */
    int first_core, last_core;
    bool gpu;
    int number;      /* of the gpu, or threads */
    int column;      /* -1: none yet */
    int top, height; /* rows top .. top + height - 1 */
    atn_speed speed;
} atn_summa_process;

typedef struct {
    int width;
    int first, n; /* members[first .. first + n), from the top */
} atn_summa_column;

typedef struct {
    int blocks; /* N */
    int64_t block_bytes;
    ATN_VEC(atn_summa_process) processes; /* by rank */
    ATN_VEC(atn_summa_column) columns;
    ATN_VEC(int) members; /* ranks */
} atn_summa;

/* Parses a layout (docs/models.md) and computes columns if it has none (layout.h).  Errors:
 * "file:line: what, why, remedy". */
atn_status atn_tau_summa_parse(const char *text, const char *file, atn_summa *summa_p,
                               atn_error *err);
void atn_tau_summa_free(atn_summa *s);

/* Blocks that a process sends to another one per iteration of its column. */
typedef struct {
    int from, to, blocks, channel; /* channel 0: both on one node */
} atn_summa_flow;
/* All flows of a column (room for processes^2); returns their number. */
int atn_tau_summa_flows(const atn_summa *s, int column, atn_summa_flow *flows);

/* Append costs as sums of tau||T(blocks); all transmissions between nodes contend, independent of
 * their destinations. */
atn_status atn_tau_summa_rows(const atn_summa *s, int column, atn_terms *terms, atn_error *err);
atn_status atn_tau_summa_columns(const atn_summa *s, atn_terms *terms, atn_error *err);
atn_status atn_tau_summa_total(const atn_summa *s, atn_terms *terms_p, atn_error *err);
/* Total number of blocks sent. */
int64_t atn_tau_summa_volume(const atn_summa *s);

#endif
