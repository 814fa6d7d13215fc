/* model.h - the table of models that predict the time of a collective from its schedules.
 *
 * A model evaluates any schedule of any operation on any rank mapping. */
#ifndef ATN_MODEL_MODEL_H
#define ATN_MODEL_MODEL_H

#include "model/graph.h"
#include "model/machine.h"

/* For comparing many candidates: a simulation counts its steps and stops early. */
typedef struct {
    double until;       /* seconds; stops at this simulated time */
    int64_t most, work; /* limit and number of steps */
    bool stopped;       /* the predicted time is a lower bound */
} atn_model_bounds;

typedef struct {
    const atn_op_graph *g; /* sized (atn_model_op_graph_size) */
    const atn_machine *m;
    const atn_topo *t;        /* with g->p ranks; NULL: see atn_model_machine_channel_of */
    const char *op, *type;    /* of reductions: "sum", "f64"; NULL: any */
    atn_model_bounds *bounds; /* NULL: none */
} atn_model_case;

typedef struct {
    const char *name; /* "taulop" */
    const char *doc;  /* one line */
    bool plain;       /* evaluates in microseconds, not milliseconds: suits many candidates */
    bool circuits;    /* only for machines with circuits (ron.h) */
    atn_status (*evaluate)(const atn_model_case *c, double *seconds_p, atn_error *err);
} atn_model;

int atn_models(void);
const atn_model *atn_model_at(int i);
const atn_model *atn_model_find(const char *name); /* NULL: unknown */
/* Rejects the model name of --`option`; the message lists all models. */
atn_status atn_model_unknown_model(const char *option, const char *name, atn_error *err);
/* Whether a model applies to a machine. */
bool atn_model_fits(const atn_model *model, const atn_machine *m);

/* ---- shared by models ---- */

/* Seconds of an operation that is not a message, with `tau` concurrent ranks of the host: copies,
 * reductions, and everything on shared memory. */
double atn_model_local_cost(const atn_model_case *c, const atn_op_node *x, double tau);
/* The part of a reduction that its operand's way through shared memory does not hide: kernels read
 * it where the sender or the exposing rank has copied it. */
double atn_model_reduce_cost(const atn_model_case *c, const atn_op_node *x, double tau);
/* The host of each rank (room for p), numbered from 0; returns the number of hosts. */
int atn_model_hosts(const atn_machine *m, const atn_topo *t, int p, int *host);
/* The factor on the link usage of a message under opposite traffic, which delays acknowledgements.
 * It is largest for a pair that exchanges large messages; with more flows others fill the links. */
double atn_model_duplex_weight(double duplex, bool is_long, bool pair, int flows);
/* Payload per second of an edge of the topology: its rate, or that of the channel of its level;
 * 0: unlimited. */
double atn_model_edge_rate(const atn_machine *m, const atn_topo *t, int edge);

atn_status atn_model_alpha_beta(const atn_model_case *c, double *seconds_p, atn_error *err);
atn_status atn_model_loggp(const atn_model_case *c, double *seconds_p, atn_error *err);
atn_status atn_model_loggph(const atn_model_case *c, double *seconds_p, atn_error *err);
atn_status atn_model_plogp(const atn_model_case *c, double *seconds_p, atn_error *err);
atn_status atn_model_lognp(const atn_model_case *c, double *seconds_p, atn_error *err);
atn_status atn_model_mlognp(const atn_model_case *c, double *seconds_p, atn_error *err);
atn_status atn_model_lmo(const atn_model_case *c, double *seconds_p, atn_error *err);
atn_status atn_model_taulop(const atn_model_case *c, double *seconds_p, atn_error *err);
atn_status atn_model_taulop_links(const atn_model_case *c, double *seconds_p, atn_error *err);
atn_status atn_model_ron_a(const atn_model_case *c, double *seconds_p, atn_error *err);
atn_status atn_model_ron_b(const atn_model_case *c, double *seconds_p, atn_error *err);
atn_status atn_model_links(const atn_model_case *c, double *seconds_p, atn_error *err);

/* A message in `links`, for closed forms that shall agree with it: seconds of an empty one; more of
 * one from `eager` bytes on (0: no limit); of a rank that receives one and sends it on. */
typedef struct {
    double empty, handshake, forward, eager;
} atn_links_message;
atn_links_message atn_model_links_message(const atn_machine *m, int channel);
/* In `links`, seconds of the busiest rank, link or host for all operations.  False: no memory. */
bool atn_model_links_load(const atn_model_case *c, double *seconds_p);

#endif
