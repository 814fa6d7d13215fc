/* tau_traffic.h - who sends how much to whom in which stage: what is left of the schedules of all
 * ranks when messages go in lock-step, and where ranks are.
 *
 * A rank sends one message at a time and receives one at a time, in the order of its program.
 * Where the rounds of the schedules are like that, they are the stages; otherwise the stage of a
 * message is when it starts if every message takes one stage and nothing else takes any time.
 * Reductions and copies happen between stages: `stage` is the one that follows them. */
#ifndef ATN_TAU_TRAFFIC_H
#define ATN_TAU_TRAFFIC_H

#include "sched/schedule.h"

typedef struct {
    int stage;
    int from, to;
    int64_t size;
} atn_flow;

typedef struct {
    int stage, turn; /* turn: how many the rank has done since the stage before */
    int rank;
    int64_t size;
} atn_labour;

/* Sizes are size / parts of a natural block of the operation. */
typedef struct {
    int p, nstages;
    int64_t parts;
    ATN_VEC(atn_flow) flows;     /* by stage */
    ATN_VEC(atn_labour) reduces; /* by stage, turn */
    ATN_VEC(atn_labour) copies;  /* likewise */
} atn_traffic;

/* ATN_FINDING when operations wait for each other for ever. */
atn_status atn_traffic_of(atn_schedule *const *schedules, int p, atn_traffic *traffic_p,
                          atn_error *err);
void atn_traffic_free(atn_traffic *t);

/* Where ranks are: rank r is on node node_of[r], 0 <= node_of[r] < nodes. */
typedef struct {
    int p, nodes;
    int *node_of;
} atn_mapping;

/* "seq": the first ceil(p/nodes) ranks on node 0, and so on; "rr": rank r on node r mod nodes;
 * or nodes in the order of ranks, as in 0*4,1*3,0.  ATN_USAGE tells what is wrong. */
atn_status atn_mapping_read(const char *word, int p, int nodes, atn_mapping *mapping_p,
                            atn_error *err);
/* The word that atn_mapping_read understands; the caller frees; NULL: no memory. */
char *atn_mapping_word(const atn_mapping *m);
void atn_mapping_free(atn_mapping *m);

#endif
