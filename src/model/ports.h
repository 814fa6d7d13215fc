/* ports.h - the longest path through a graph in which ranks send one message at a time and receive
 * one at a time, both in the order of their programs.  All orders are fixed by the schedules, so no
 * clock has to be simulated: O(operations + dependencies). */
#ifndef ATN_PORTS_H
#define ATN_PORTS_H

#include "model/graph.h"

/* A message that begins at t occupies the sender's port until t + send_port and is done for the
 * sender at t + send.  It reaches the receiver `lead` later, waits there for the receive, occupies
 * the receiver's port for recv_port and is done after recv.  sync: it begins only when both ends
 * are ready, `asks` later. */
typedef struct {
    bool sync;
    double asks, send, send_port, lead, recv, recv_port;
} atn_message_cost;

/* Seconds that a local operation takes; for a send, *cost is filled in instead. */
typedef double (*atn_cost_fn)(void *context, const atn_graph *g, int node, atn_message_cost *cost);

/* *time_p: when the last rank is done, all having begun at 0.  done (room for g->n) gets the end of
 * every operation; may be NULL.  ATN_FINDING when operations wait for each other for ever. */
atn_status atn_ports_time(const atn_graph *g, atn_cost_fn cost, void *context, double *done,
                          double *time_p, atn_error *err);

#endif
