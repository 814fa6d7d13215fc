/* ron.h - reconfigurable networks: circuits between ranks that their senders set up and change.
 *
 * RON(k, N): each of N ranks has k ports, which send at the same time and of which each reaches one
 * rank, any one; it receives k messages at a time.  A circuit stands until its port is set to
 * another rank, which takes `delay`; only the sender waits for that.  A message of m bytes takes
 * start + m * byte once its circuit stands and both ends are ready, and its port does nothing else
 * until it is delivered.  docs/ron.md has the two normal forms of the literature (models A and B).
 */
#ifndef ATN_RON_H
#define ATN_RON_H

#include "model/graph.h"

typedef struct {
    int ports;
    double delay, start, byte; /* d, t_s, tau; in one unit of time */
    double reduce;             /* a reduced byte; copies are free */
} atn_ron;

/* When a port is set to the receiver of its next message. */
typedef enum {
    ATN_RON_ANEW,   /* when the message is ready; circuits end with their message (model B) */
    ATN_RON_DEMAND, /* when the message is ready, unless the port is set already */
    ATN_RON_EARLY,  /* as soon as the port is free: changes hide behind what others do */
    ATN_RON_PRESET  /* the same, and first circuits stand when the call begins */
} atn_ron_policy;
extern const char *const atn_ron_policies[]; /* their names; NULL-terminated */

/* A message and its circuit.  Where `changed` is false the circuit stood already.  A circuit that
 * was set before the call began has times below 0. */
typedef struct {
    int send; /* node of the graph */
    int rank, port, to;
    bool changed;
    double since, ready; /* the change of the port */
    double begin, end;   /* the message */
} atn_transfer;

typedef struct {
    int n, changes;
    atn_transfer *v; /* by rank, port and time */
    double time;     /* when the last rank is done */
} atn_circuits;

/* What ports do when the schedules of a graph (sized) run `times` times, each when all ranks are
 * done with the one before; *c_p has the last of them.  Messages of a rank take ports in the order
 * of its program, each the one on which it is first on its way.  ATN_FINDING when operations wait
 * for each other for ever. */
atn_status atn_ron_run(const atn_graph *g, const atn_ron *net, atn_ron_policy policy, int times,
                       atn_circuits *c_p, atn_error *err);
void atn_circuits_free(atn_circuits *c);

/* Proves circuits from wherever: every message goes once, after all that it waits for, on a port
 * that stands to its receiver, was free and had the time to change; no rank receives on more than
 * its ports at once; the time told is the true one (below 0: it is filled in).  ATN_FINDING names
 * rank and port.  *c may be in any order and is sorted. */
atn_status atn_ron_check(const atn_graph *g, const atn_ron *net, atn_circuits *c, atn_error *err);
void atn_circuits_sort(atn_circuits *c);

/* The columns of circuits as text, with no change where a circuit stood; NULL-terminated. */
extern const char *const atn_circuit_columns[];
/* From such a file, in its unit of time; `time` is not told.  The k-th message that
 * goes from a rank to another is the k-th of the schedules, and -1 where these have less. */
atn_status atn_circuits_read(const char *path, const atn_graph *g, atn_circuits *c_p,
                             atn_error *err);

#endif
