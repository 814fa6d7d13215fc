/* ron.h - reconfigurable optical networks (RON): circuits between ranks, set up by the sender.
 *
 * RON(k, N): each of N ranks has k ports for sending, each connected to any one rank by a circuit,
 * and receives up to k messages concurrently.  A circuit stays until its port is reconfigured,
 * which takes the reconfiguration delay and blocks only the sender.  A message of m bytes takes
 * start + m * byte once its circuit is set up and both ends are ready, and occupies its port until
 * it is delivered.  docs/ron.md has the two normal forms of the literature (models A and B). */
#ifndef ATN_MODEL_RON_H
#define ATN_MODEL_RON_H

#include "model/graph.h"

typedef struct {
    int ports;
    double delay, start, byte; /* d, t_s, tau; in one unit of time */
    double reduce;             /* a reduced byte; copies are free */
} atn_ron;

/* When a port is reconfigured for the receiver of its next message. */
typedef enum {
    ATN_RON_ANEW,   /* when the message is ready; every message has a new circuit (model B) */
    ATN_RON_DEMAND, /* when the message is ready, unless the circuit exists */
    ATN_RON_EARLY,  /* as soon as the port is free: delays overlap with the work of other ranks */
    ATN_RON_PRESET  /* the same, and the first circuits exist when the call begins */
} atn_ron_policy;
extern const char *const atn_model_ron_policies[]; /* their names; NULL-terminated */

/* A message and its circuit.  `changed` is false if the circuit existed.  A circuit that was set up
 * before the call has times below 0. */
typedef struct {
    int send; /* node of the graph */
    int rank, port, to;
    bool changed;
    double since, ready; /* the reconfiguration */
    double begin, end;   /* the message */
} atn_ron_transfer;

typedef struct {
    int n, changes;
    atn_ron_transfer *v; /* by rank, port and time */
    double time;         /* when the last rank is done */
} atn_circuits;

/* The circuits when the schedules of a graph (sized) run `times` times, each after all ranks have
 * finished the previous run; *c_p has those of the last run.  Messages of a rank are assigned to
 * ports in program order, each to the port on which it starts first.  ATN_FINDING: deadlock. */
atn_status atn_model_ron_run(const atn_op_graph *g, const atn_ron *net, atn_ron_policy policy,
                             int times, atn_circuits *c_p, atn_error *err);
void atn_model_circuits_free(atn_circuits *c);
void atn_model_circuits_sort(atn_circuits *c);

#endif
