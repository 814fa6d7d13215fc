/* circuit.c - see circuit.h. */
#include "algo/circuit.h"

enum { PORTS, DELAY };

const atn_param atn_algo_circuit_params[] = {
    {"ports", ATN_INT, 1, 1, ATN_CIRCUIT_PORTS, ATN_LOG2, "circuits per rank", NULL},
    {"delay", ATN_INT, 1, 0, ATN_CIRCUIT_DELAY, ATN_LOG2, "reconfiguration delay in steps", NULL},
    {0},
};

/* Number of ranks reached in a step. */
static int64_t newly_reached(const atn_circuit_tree *t, int step)
{
    return step == 0 ? 1 : t->reached[step] - t->reached[step - 1];
}

/* Number of senders of a step that have sent before. */
static int64_t again(const atn_circuit_tree *t, int step)
{
    const int before = step - t->delay - 1;
    return before > 0 ? t->senders[before] : 0;
}

void atn_algo_circuit_tree_begin(atn_circuit_tree *t, int p, const atn_params *prm)
{
    t->p = p;
    t->ports = (int)prm->v[PORTS];
    t->delay = (int)prm->v[DELAY];
    t->reached[0] = 1;
    t->senders[0] = 0;
    t->steps = 0;
    while (t->reached[t->steps] < p) {
        const int s = ++t->steps;
        t->senders[s] = again(t, s) + newly_reached(t, s - 1);
        t->reached[s] = t->reached[s - 1] + t->ports * t->senders[s];
    }
}

int atn_algo_circuit_step(const atn_circuit_tree *t, int v)
{
    int s = 0;
    while (t->reached[s] <= v)
        s++;
    return s;
}

/* The first rank reached in a step. */
static int64_t first_of(const atn_circuit_tree *t, int step)
{
    return step == 0 ? 0 : t->reached[step - 1];
}

int atn_algo_circuit_parent(const atn_circuit_tree *t, int v)
{
    int s = atn_algo_circuit_step(t, v);
    const int64_t place = (v - t->reached[s - 1]) / t->ports;

    while (place < again(t, s))
        s -= t->delay + 1;
    return (int)(place - again(t, s) + first_of(t, s - 1));
}

/* A rank that sends again keeps its position. */
int atn_algo_circuit_children(const atn_circuit_tree *t, int v, int step, int *first_p)
{
    const int s = atn_algo_circuit_step(t, v), ago = step - s - 1;

    if (ago < 0 || ago % (t->delay + 1) != 0)
        return 0;
    const int64_t place = again(t, s + 1) + v - first_of(t, s);
    const int64_t first = t->reached[step - 1] + t->ports * place;
    *first_p = first < t->p ? (int)first : t->p;
    return atn_min(t->ports, t->p - *first_p);
}

static int way(const atn_circuit_tree *t, int v)
{
    int messages = 0;

    while (v > 0) {
        const int parent = atn_algo_circuit_parent(t, v), s = atn_algo_circuit_step(t, v);
        const int turns = (s - atn_algo_circuit_step(t, parent) - 1) / (t->delay + 1);
        messages += turns * t->ports + (int)((v - t->reached[s - 1]) % t->ports) + 1;
        v = parent;
    }
    return messages;
}

int atn_algo_circuit_depth(const atn_problem *q, const atn_params *prm)
{
    atn_circuit_tree t;
    int depth = 0;

    atn_algo_circuit_tree_begin(&t, q->p, prm);
    for (int v = 1; v < q->p; v++)
        depth = atn_max(depth, way(&t, v));
    return depth;
}
