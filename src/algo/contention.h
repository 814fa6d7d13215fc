/* contention.h - contention of the messages of a schedule on a topology. */
#ifndef ATN_ALGO_CONTENTION_H
#define ATN_ALGO_CONTENTION_H

#include "sched/schedule.h"
#include "topo/topo.h"

/* Two messages on one directed link (topo.h numbers them), the later one in `round`. */
typedef struct {
    int round, edge;
    int from[2], to[2];
} atn_collision;

/* Messages without data (synchronisation) are ignored.  A link carries as many messages as its
 * capacity (capacity.h) without contention. */
typedef struct {
    int messages;
    int phases;    /* rounds with messages */
    int64_t bound; /* lower bound: phases that the most loaded link needs */
    bool by_round; /* no link exceeds its capacity within a round */
    bool apart;    /* not even if rounds overlap: messages on one link share their sender or their
                      receiver, which has one port */
    atn_collision round, any; /* the first collision of each kind, if any */
} atn_contention;

atn_status atn_algo_contention_find(atn_schedule *const *schedules, int p, const atn_topo *t,
                                    bool rated, atn_contention *found_p, atn_error *err);
/* "the link of n3 up" */
void atn_algo_edge_name(const atn_topo *t, int edge, char *out, size_t size);

#endif
