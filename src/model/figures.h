/* figures.h - machine-independent costs of a schedule: messages, bytes, the longest path, and the
 * traffic over the links of each topology level. */
#ifndef ATN_MODEL_FIGURES_H
#define ATN_MODEL_FIGURES_H

#include "sched/schedule.h"
#include "topo/topo.h"

enum { ATN_FIGURE_LEVELS = 16 };

/* The levels of a topology that messages can cross, from the outside in. */
typedef struct {
    int n;
    const char *name[ATN_FIGURE_LEVELS]; /* owned by the topology */
} atn_link_levels;
atn_link_levels atn_model_link_levels_of(const atn_topo *t); /* NULL: none */

typedef struct {
    int64_t messages, bytes; /* of all ranks */
    int64_t inside;          /* messages inside a host of the topology */
    /* On the longest path through the schedules of all ranks, in a full-duplex single-port network:
     * messages, bytes sent, bytes reduced, each maximised separately. */
    int64_t rounds, path, reduced;
    int64_t crossing[ATN_FIGURE_LEVELS];  /* bytes of messages over links of a level */
    int64_t crossings[ATN_FIGURE_LEVELS]; /* and their number */
    int64_t busiest;                      /* bytes over the busiest link, in one direction */
} atn_figures;

/* Every natural block has n bytes. */
atn_status atn_model_figures_find(atn_schedule *const *schedules, int p, int64_t n,
                                  const atn_topo *t, atn_figures *figures_p, atn_error *err);

#endif
