/* tau_layout.h - rectangles of a matrix for processes of different speed.
 *
 * How many blocks each process gets: so many that all end together, n_i / s_i(n_i) alike, where the
 * speed s_i may depend on the number of blocks (a functional performance model; with one point a
 * constant one).  Which rectangles: columns of common width whose half perimeters, and so the
 * traffic, are least in sum (Beaumont, Boudet, Rastello, Robert: Matrix multiplication on
 * heterogeneous platforms, 2001). */
#ifndef ATN_TAU_LAYOUT_H
#define ATN_TAU_LAYOUT_H

#include "research/taulop/summa.h"

/* Blocks per second when a process has so many; straight between points, constant outside. */
double atn_speed_at(const atn_speed *v, double blocks);
/* Whether more blocks always take longer, which sharing rests on. */
bool atn_speed_sound(const atn_speed *v);

/* Shares of `total` blocks, proportional to the speeds that they make; v[i].n > 0. */
void atn_speed_share(const atn_speed *const *v, int p, int64_t total, int64_t *share);

/* Makes columns for all processes, by their speeds.  ATN_INPUT: more processes than blocks. */
atn_status atn_summa_divide(atn_summa *s, atn_error *err);
/* Changes the order of processes inside columns as long as fewer blocks go between nodes. */
void atn_summa_arrange(atn_summa *s);
/* Blocks that go between nodes in all iterations. */
int64_t atn_summa_between(const atn_summa *s);
/* The text that atn_summa_parse reads. */
void atn_summa_print(FILE *f, const atn_summa *s);

#endif
