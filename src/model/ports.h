/* ports.h - the longest path through a graph in which ranks send one message at a time and receive
 * one at a time, both in program order.  The schedules fix all orders, so no clock has to be
 * simulated: O(operations + dependencies). */
#ifndef ATN_MODEL_PORTS_H
#define ATN_MODEL_PORTS_H

#include "model/graph.h"

/* A message that starts at t occupies the sender's port until t + send_port; the send completes at
 * t + send.  The message reaches the receiver `lead` later, waits for the receive, occupies the
 * receiver's port for recv_port and completes after recv.  sync: it starts when both ends are
 * ready, at least `handshake` after their dependencies are satisfied.  whole: the time of each
 * message of a send-receive that counts both (see atn_model_ports_turns). */
typedef struct {
    bool sync;
    double handshake, send, send_port, lead, recv, recv_port, whole;
} atn_message_cost;

/* Seconds of a local operation; for a send, fills in *cost instead. */
typedef double (*atn_cost_fn)(void *context, const atn_op_graph *g, int node,
                              atn_message_cost *cost);

/* *time_p: completion of the last rank, all having started at 0.  done (room for g->n, or NULL):
 * the completion of every operation.  ATN_FINDING: deadlock. */
atn_status atn_model_ports_time(const atn_op_graph *g, atn_cost_fn cost, void *context,
                                double *done, double *time_p, atn_error *err);

/* The same for models in which a rank that sends to one rank and receives from another in one step
 * (MPI_Sendrecv) spends the whole time of both messages, one after the other.  An exchange with one
 * rank is one message. */
atn_status atn_model_ports_turns(const atn_op_graph *g, atn_cost_fn cost, void *context,
                                 double *time_p, atn_error *err);

#endif
