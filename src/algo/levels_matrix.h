/* levels_matrix.h - blocks between ranks that a leader stores on behalf of a cluster.
 *
 * A leader stores a row for each place of the largest cluster that it leads: the blocks that the
 * place exchanges with all places outside the smallest of the leader's clusters that contains it
 * (blocks inside never pass through the leader).  There is one matrix for outgoing and one for
 * incoming blocks; they have the same shape. */
#ifndef ATN_ALGO_LEVELS_MATRIX_H
#define ATN_ALGO_LEVELS_MATRIX_H

#include "algo/levels.h"

typedef struct {
    int first, count;       /* places that have a row */
    int *at, *skip, *skips; /* of each row: its first block; the places that are not in it */
    int blocks;             /* in total */
} atn_matrix;

/* Empty for a rank that leads no cluster except that of all ranks; false: out of memory. */
bool atn_algo_matrix_begin(const atn_level_run *x, atn_matrix *m);
void atn_algo_matrix_end(atn_matrix *m);

/* A list of groups of blocks, for a view. */
typedef struct {
    const atn_matrix *m; /* NULL: a single row with all places */
    ATN_VEC(int) index;
    ATN_VEC(int) first;
    bool ok;
} atn_groups;
atn_groups atn_algo_groups_begin(const atn_matrix *m);
/* The blocks between places a .. a + na - 1, which have rows, and b .. b + nb - 1 or, with
 * `outside`, all other places; ordered by a, or by b. */
typedef struct {
    int a, na, b, nb;
    bool outside, by_b;
} atn_matrix_group;
void atn_algo_groups_add(atn_groups *g, int p, const atn_matrix_group *x);
void atn_algo_groups_end(atn_groups *g);

#endif
