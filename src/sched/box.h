/* box.h - graphs that are box stencils: ranks form a grid, and the neighbours of a rank are all
 * others whose coordinates differ by at most one in every dimension (Moore neighbourhood).
 *
 * An offset is a vector of -1, 0 and 1 for each dimension, numbered as digits 0, 1 and 2 in base
 * 3; that of the first dimension counts most. */
#ifndef ATN_SCHED_BOX_H
#define ATN_SCHED_BOX_H

#include <stdbool.h>

struct atn_neighbourhood;

enum { ATN_BOX_DIMS = 5, ATN_BOX_OFFSETS = 243 };

/* Row-major: the last dimension varies fastest.  ndims 0: the graph is no box stencil of at least
 * two dimensions. */
typedef struct {
    int ndims;
    int dims[ATN_BOX_DIMS];
    bool periodic[ATN_BOX_DIMS];
} atn_box;

/* The box of a graph in which no rank has several edges to the same other rank; edges of ranks to
 * themselves are ignored. */
atn_box atn_sched_box_find(const struct atn_neighbourhood *n);
/* The number of offsets: 3 to the power of dimensions. */
int atn_sched_box_offsets(const atn_box *x);
/* The offset in dimension d. */
int atn_sched_box_step(const atn_box *x, int offset, int d);
/* The offset with the same steps in dimensions first .. last only. */
int atn_sched_box_part(const atn_box *x, int offset, int first, int last);
/* The rank at an offset; -1: outside of the grid. */
int atn_sched_box_rank(const atn_box *x, int r, int offset);
/* The offset of a rank; -1: it is not in the box. */
int atn_sched_box_offset(const atn_box *x, int from, int to);

#endif
