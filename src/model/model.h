/* model.h - every model that predicts the time of a collective from its schedules: one table.
 *
 * A model evaluates any schedule, of any operation, on any placement of the ranks. */
#ifndef ATN_MODEL_H
#define ATN_MODEL_H

#include "model/graph.h"
#include "model/machine.h"

/* For those who compare many: a model that simulates counts its work and stops early. */
typedef struct {
    double until;       /* seconds: what takes longer is not of interest */
    int64_t most, work; /* steps that may be, and were, made */
    bool stopped;       /* the time is what was reached: it would take longer */
} atn_model_bounds;

typedef struct {
    const atn_graph *g; /* sized (atn_graph_size) */
    const atn_machine *m;
    const atn_topo *t;        /* with g->p ranks; NULL: see atn_machine_channel_of */
    const char *op, *type;    /* of reductions: "sum", "f64"; NULL: any */
    atn_model_bounds *bounds; /* NULL: none */
} atn_model_case;

typedef struct {
    const char *name; /* "taulop" */
    const char *doc;  /* one line */
    bool plain;       /* takes microseconds, not milliseconds: fit for many candidates */
    bool circuits;    /* only for machines that have circuits (ron.h) */
    atn_status (*evaluate)(const atn_model_case *c, double *seconds_p, atn_error *err);
} atn_model;

int atn_models(void);
const atn_model *atn_model_at(int i);
const atn_model *atn_model_find(const char *name); /* NULL: unknown */
/* Refuses the name of a model that --`option` gives; the message lists all. */
atn_status atn_unknown_model(const char *option, const char *name, atn_error *err);
/* Whether a model has something to say about a machine. */
bool atn_model_fits(const atn_model *model, const atn_machine *m);

/* The time of the schedules of all ranks, every natural block of n bytes. */
atn_status atn_model_time(const atn_model *model, atn_schedule *const *schedules, int p, int64_t n,
                          const atn_machine *m, const atn_topo *t, double *seconds_p,
                          atn_error *err);

/* ---- shared by models ---- */

/* Seconds of a reduction or a copy with `tau` ranks of the host at it. */
double atn_local_cost(const atn_model_case *c, const atn_graph_node *x, double tau);
/* The host of each rank (room for p), numbered from 0; returns how many. */
int atn_model_hosts(const atn_machine *m, const atn_topo *t, int p, int *host);
/* How much more of its links a message takes where data comes the other way, which delays what
 * acknowledges it: a pair that exchanges long messages suffers most; where more is under way the
 * links are filled by others. */
double atn_meeting(double duplex, bool is_long, bool pair, int flows);
/* Payload per second of an edge of the topology: its own rate, or that of the channel whose
 * messages climb so far; 0: unlimited. */
double atn_edge_rate(const atn_machine *m, const atn_topo *t, int edge);

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

#endif
