/* stencil.h - exchange along the dimensions of a box stencil (sched/box.h): in every dimension, a
 * rank sends to its two neighbours in it, also blocks of and for others. */
#ifndef ATN_ALGO_STENCIL_H
#define ATN_ALGO_STENCIL_H

#include "algo/algo.h"

/* All blocks between different ranks. */
void atn_algo_stencil_exchange(atn_builder *b, const atn_problem *q);

#endif
