/* layout.h - rectangles of a matrix for processes of different speed.
 *
 * Block counts n_i balance the load: n_i / s_i(n_i) is equal for all processes, where the speed s_i
 * may depend on the number of blocks (a functional performance model; one point: a constant one).
 * Rectangles form columns of common width with the least sum of half perimeters, and so the least
 * traffic (Beaumont, Boudet, Rastello, Robert: Matrix multiplication on heterogeneous platforms,
 * 2001). */
#ifndef ATN_RESEARCH_TAULOP_LAYOUT_H
#define ATN_RESEARCH_TAULOP_LAYOUT_H

#include "research/taulop/summa.h"

/* Blocks per second of a process with `blocks`; linear between points, constant outside. */
double atn_tau_speed_at(const atn_speed *v, double blocks);
/* Whether more blocks always take longer; atn_tau_speed_share requires it. */
bool atn_tau_speed_sound(const atn_speed *v);

/* Shares of `total` blocks in proportion to the resulting speeds; v[i].n > 0. */
void atn_tau_speed_share(const atn_speed *const *v, int p, int64_t total, int64_t *share);

/* Creates columns for all processes from their speeds.  ATN_INPUT: more processes than blocks. */
atn_status atn_tau_summa_divide(atn_summa *s, atn_error *err);
/* Reorders processes inside columns while that reduces the blocks sent between nodes. */
void atn_tau_summa_arrange(atn_summa *s);
/* Blocks sent between nodes in all iterations. */
int64_t atn_tau_summa_between(const atn_summa *s);
/* The text that atn_tau_summa_parse reads. */
void atn_tau_summa_print(FILE *f, const atn_summa *s);

#endif
