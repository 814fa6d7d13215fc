/* circuit.h - broadcast on a reconfigurable network.
 *
 * A rank has `ports` circuits and sends on all of them in one step; before it can send to other
 * ranks, reconfiguration takes `delay` steps.  A rank that has just received sends in the next
 * step, because its circuits were set up in advance; a rank that sent delay + 1 steps ago sends
 * again.  In every step the senders are ordered, those that sent before first, and each reaches the
 * next `ports` ranks.
 *
 *   ports = 1, delay = 3   1: 0->1   2: 1->2   3: 2->3   4: 3->4   5: 0->5 4->6 */
#ifndef ATN_ALGO_CIRCUIT_H
#define ATN_ALGO_CIRCUIT_H

#include "algo/algo.h"
#include "algo/shape.h"

/* With one port and the longest delay, 2^31 ranks are reached in 420 steps. */
enum { ATN_CIRCUIT_PORTS = ATN_MAX_RADIX - 1, ATN_CIRCUIT_DELAY = 64, ATN_CIRCUIT_STEPS = 512 };

typedef struct {
    int p, ports, delay;
    int steps;                              /* until all ranks are reached */
    int64_t reached[ATN_CIRCUIT_STEPS + 1]; /* ranks reached after a step, not limited by p */
    int64_t senders[ATN_CIRCUIT_STEPS + 1]; /* in a step */
} atn_circuit_tree;

/* The parameters `ports` and `delay`, in that order. */
extern const atn_param atn_algo_circuit_params[];

void atn_algo_circuit_tree_begin(atn_circuit_tree *t, int p, const atn_params *prm);
/* The step in which rank v, counted from the root, is reached (the root: 0), and its sender. */
int atn_algo_circuit_step(const atn_circuit_tree *t, int v);
int atn_algo_circuit_parent(const atn_circuit_tree *t, int v);
/* The ranks that v reaches in a step: sets the first, returns their number. */
int atn_algo_circuit_children(const atn_circuit_tree *t, int v, int step, int *first_p);
/* Messages on the longest path when ranks serve their children one after the other. */
int atn_algo_circuit_depth(const atn_problem *q, const atn_params *prm);

/* The parameters of a k-nomial algorithm with radix `ports + 1`. */
static inline atn_params atn_algo_circuit_radix(const atn_params *prm)
{
    return (atn_params){{prm->v[0] + 1}};
}

#endif
