/* traffic.h - the messages of all ranks by stages, for models in which messages move in lock-step;
 * rank mappings.
 *
 * A rank sends one message at a time and receives one at a time, in the order of its program.
 * Where the rounds of the schedules have this property, they are the stages; otherwise the stage of
 * a message is its start time if messages take one unit and everything else none.  Reductions and
 * copies are between stages: `stage` is the one after them. */
#ifndef ATN_RESEARCH_TAULOP_TRAFFIC_H
#define ATN_RESEARCH_TAULOP_TRAFFIC_H

#include "sched/schedule.h"

typedef struct {
    int stage;
    int from, to;
    int64_t size;
} atn_tau_flow;

typedef struct {
    int stage, turn; /* turn: number of operations of the rank since the previous stage */
    int rank;
    int64_t size;
} atn_tau_work;

/* A size is a multiple of 1 / parts of a natural block of the operation. */
typedef struct {
    int p, nstages;
    int64_t parts;
    ATN_VEC(atn_tau_flow) flows;   /* by stage */
    ATN_VEC(atn_tau_work) reduces; /* by stage, turn */
    ATN_VEC(atn_tau_work) copies;  /* likewise */
} atn_traffic;

/* ATN_FINDING: deadlock. */
atn_status atn_tau_traffic_of(atn_schedule *const *schedules, int p, atn_traffic *traffic_p,
                              atn_error *err);
void atn_tau_traffic_free(atn_traffic *t);

/* Rank mapping: rank r is on node node_of[r], 0 <= node_of[r] < nodes. */
typedef struct {
    int p, nodes;
    int *node_of;
} atn_mapping;

/* "seq": block mapping, ceil(p/nodes) ranks per node; "rr": cyclic mapping, rank r on node
 * r mod nodes; or nodes in the order of ranks, as in 0*4,1*3,0.  ATN_USAGE: invalid. */
atn_status atn_tau_mapping_read(const char *word, int p, int nodes, atn_mapping *mapping_p,
                                atn_error *err);
/* The word for atn_tau_mapping_read; the caller frees; NULL: out of memory. */
char *atn_tau_mapping_word(const atn_mapping *m);
void atn_tau_mapping_free(atn_mapping *m);

#endif
