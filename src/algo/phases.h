/* phases.h - alltoall as phases: every message of one rank to another in exactly one phase, so that
 * no directed link carries more messages of a phase than it can (capacity.h). */
#ifndef ATN_PHASES_H
#define ATN_PHASES_H

#include "topo/topo.h"

/* Parts first .. first + count - 1 of the block that goes from one rank to the other. */
typedef struct {
    int phase, from, to;
    int first, count;
} atn_phase_message;

typedef struct {
    int p, phases, n;
    int parts;               /* of every block; mostly 1 */
    atn_phase_message *list; /* by phase, then by sender; at most one per sender and phase */
} atn_phases;

/* All links alike: the published schedule, which needs exactly as many phases as messages cross the
 * most loaded link (phases_tree.c).  False: no memory. */
bool atn_phases_tree(const atn_topo *t, atn_phases *x);
/* Links of different capacity: messages are put one by one into the first phase that has room on
 * their way, those over the links that are busy longest first (phases_list.c). */
bool atn_phases_list(const atn_topo *t, const int *capacity, atn_phases *x);
/* The same with messages of different size, the longest first; bytes[from * p + to].  Messages of
 * no bytes come last. */
bool atn_phases_greedy(const atn_topo *t, const int *capacity, const int64_t *bytes, atn_phases *x);
/* The phases of alltoall for messages of different size: each is cut evenly into as many parts as
 * it has times the mean size, and the phases are gone through once per part.  Messages of no bytes
 * come last. */
bool atn_phases_cut(const atn_topo *t, bool rated, const int64_t *bytes, atn_phases *x);
/* As the rates say: the list where links differ, the tree where they are all alike. */
bool atn_phases_begin(const atn_topo *t, bool rated, atn_phases *x);
void atn_phases_end(atn_phases *x);

/* Phases that the most loaded link needs. */
int64_t atn_phases_bound(const atn_topo *t, const int *capacity);

/* Rotate pattern: which of `senders` sends to which of `receivers` in step n of senders * receivers
 * steps; each sender sends once in as many steps as there are senders, and so do receivers
 * receive. */
void atn_rotate(int senders, int receivers, int n, int *from_p, int *to_p);

/* ---- for the files that make phases ---- */

/* Sorts what has been filled in and counts the phases.  False: no memory. */
bool atn_phases_sort(atn_phases *x);

#endif
