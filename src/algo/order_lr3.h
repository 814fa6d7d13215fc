/* order_lr3.h - the contention-free ring with the shortest maximum distance between neighbours. */
#ifndef ATN_ALGO_ORDER_LR3_H
#define ATN_ALGO_ORDER_LR3_H

#include "algo/forest.h"

/* NULL on success, else the reason; `ranks` may be NULL. */
const char *atn_algo_order_shortest(const atn_forest *f, int *ranks);

#endif
