/* phases.h - alltoall in phases: every message is in exactly one phase, and no directed link
 * carries more messages of a phase than its capacity (capacity.h). */
#ifndef ATN_ALGO_PHASES_H
#define ATN_ALGO_PHASES_H

#include "topo/topo.h"

/* Parts first .. first + count - 1 of the block from one rank to another. */
typedef struct {
    int phase, from, to;
    int first, count;
} atn_phase_message;

typedef struct {
    int p, phases, n;
    int empty;               /* messages at the end of the list that are expected to have no data */
    int parts;               /* of every block; mostly 1 */
    atn_phase_message *list; /* by phase, then by sender; at most one per sender and phase */
    bool borrowed;           /* the list belongs to the cache of derived data */
} atn_phases;

/* For equal links: the published optimal schedule, whose number of phases is the number of messages
 * on the most loaded link (phases_tree.c).  False: no memory. */
bool atn_algo_phases_tree(const atn_topo *t, atn_phases *x);
/* For links of different capacity: list scheduling; each message is assigned to the first phase
 * with free capacity on its path, messages over the most loaded links first (phases_list.c). */
bool atn_algo_phases_list(const atn_topo *t, const int *capacity, atn_phases *x);
/* The same for messages of different size, the longest first; bytes[from * p + to].  Empty messages
 * are last. */
bool atn_algo_phases_greedy(const atn_topo *t, const int *capacity, const int64_t *bytes,
                            atn_phases *x);
/* The phases of alltoall for messages of different size: each message is divided evenly into parts
 * of about the mean size, and the phases are repeated once per part.  Empty messages are last. */
bool atn_algo_phases_cut(const atn_topo *t, bool rated, const int64_t *bytes, atn_phases *x);
/* atn_algo_phases_list where link rates differ or the network has routes, atn_algo_phases_tree on
 * trees of equal links. */
bool atn_algo_phases_begin(const atn_topo *t, bool rated, atn_phases *x);
void atn_algo_phases_end(atn_phases *x);

/* Phases that the most loaded link needs. */
int64_t atn_algo_phases_bound(const atn_topo *t, const int *capacity);

/* Rotate pattern: sender and receiver of step n of senders * receivers steps.  In any `senders`
 * consecutive aligned steps each sender sends once; likewise for receivers. */
void atn_algo_rotate(int senders, int receivers, int n, int *from_p, int *to_p);

/* ---- internal to phases*.c ---- */

/* Sorts the list and counts the phases.  False: no memory. */
bool atn_algo_phases_sort(atn_phases *x);

#endif
