/* graph.h - the operations of all ranks as one graph, the input of the models.
 *
 * Operation i of rank r is node base[r] + i.  A recv_reduce is two nodes: the receive, and a
 * reduction after the nodes of all operations of the rank.
 *
 * Built once from the schedules of all ranks, then sized for any number of message sizes and
 * evaluated by any number of models. */
#ifndef ATN_MODEL_GRAPH_H
#define ATN_MODEL_GRAPH_H

#include "sched/schedule.h"

typedef struct {
    uint8_t kind; /* atn_op_kind */
    bool ssend;
    int rank, round;
    int other;       /* the other end of a message; -1: none */
    int source;      /* of a read or a close: its exposure; -1: none */
    int next;        /* next operation on the same port of its rank; -1: none */
    int waits;       /* dependencies, and the previous operation on its port; a read also waits for
                        its exposure, a close for all reads */
    int succ, nsucc; /* operations that wait for it: succ[succ .. succ + nsucc) */
    int64_t bytes;   /* set by atn_model_op_graph_size */
    int parts;       /* ranges of its slot: more than one require packing */
    int reduce;      /* of a recv_reduce: the node of its reduction; -1: none */
    bool alone;      /* the only send of its rank, which takes one step after the other: sender and
                        receiver copy at the same time */
    int fused;       /* of such a reduction: the node of its receive; -1: none */
} atn_op_node;

typedef struct {
    atn_schedule *const *s; /* must outlive the graph */
    int p, n, nmessages;
    int *base; /* first node of a rank; base[p] = n */
    atn_op_node *nodes;
    int *succ;
} atn_op_graph;

/* ATN_FINDING: a message has only one end, or a read no exposure. */
atn_status atn_model_op_graph_make(atn_schedule *const *schedules, int p, atn_op_graph *g,
                                   atn_error *err);
void atn_model_op_graph_free(atn_op_graph *g);
/* The node that completes operation i of rank r. */
int atn_model_op_graph_last(const atn_op_graph *g, int r, int i);
/* Every natural block has n bytes. */
void atn_model_op_graph_size(atn_op_graph *g, int64_t n);

/* Whether the rounds of the schedules are stages of lock-step models: both ends of a message have
 * the same round, a rank sends and receives at most one message per round, and no memory is
 * shared. */
bool atn_model_op_graph_rounds_are_stages(const atn_op_graph *g);

/* The stages of lock-step models: the start of each message (both its ends; other nodes: when they
 * are ready) if messages and reads take one unit of time and everything else none.  stage has room
 * for g->n.  ATN_FINDING: deadlock. */
atn_status atn_model_op_graph_stages(const atn_op_graph *g, int *stage, int *nstages_p,
                                     atn_error *err);

#endif
