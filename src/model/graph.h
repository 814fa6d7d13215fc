/* graph.h - the operations of all ranks as one graph: what models walk over.
 *
 * Made once from the schedules of all ranks, sized for as many message sizes and evaluated by as
 * many models as wanted. */
#ifndef ATN_GRAPH_H
#define ATN_GRAPH_H

#include "sched/schedule.h"

typedef struct {
    uint8_t kind; /* atn_op_kind */
    bool ssend;
    int rank, round;
    int other;       /* the other end of a message; -1: none */
    int next;        /* operation that follows on the same port of its rank; -1: none */
    int waits;       /* dependencies, and the operation before it on its port */
    int heir, heirs; /* operations that depend on it: heirs[heir .. heir + heirs) */
    int64_t bytes;   /* set by atn_graph_size */
    int parts;       /* ranges of its slot: more than one must be packed */
} atn_graph_node;

typedef struct {
    atn_schedule *const *s; /* as long as the graph */
    int p, n, nmessages;
    int *base; /* first node of a rank; base[p] = n */
    atn_graph_node *nodes;
    int *heirs;
} atn_graph;

/* ATN_FINDING when a message has one end only. */
atn_status atn_graph_make(atn_schedule *const *schedules, int p, atn_graph *g, atn_error *err);
void atn_graph_free(atn_graph *g);
/* Every natural block has n bytes. */
void atn_graph_size(atn_graph *g, int64_t n);

/* Whether the rounds of the schedules are stages of lock-step models: both ends of each message
 * name the same one, and a rank sends and receives at most one message in it. */
bool atn_graph_rounds_are_stages(const atn_graph *g);

/* When each message would start (both its ends; other nodes: when they are ready) if messages took
 * one unit of time and everything else none: the stages of lock-step models.  stage has room for
 * g->n.  ATN_FINDING when operations wait for each other for ever. */
atn_status atn_graph_stages(const atn_graph *g, int *stage, int *nstages_p, atn_error *err);

#endif
