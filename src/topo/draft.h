/* draft.h - a topology while it is being made: nodes in any order, links checked at the end.
 *
 * Whoever makes topologies (a reader of a format, a program that measured one) adds nodes, hangs
 * them below others, lists ranks, and finishes.  Whatever is wrong is reported with the line that
 * said it. */
#ifndef ATN_DRAFT_H
#define ATN_DRAFT_H

#include "topo/findings.h"
#include "topo/topo.h"

typedef struct {
    char *name;
    atn_topo_kind kind;
    int parent; /* -1: none yet */
    int64_t rate, delay_ns;
    char *level;
    int line;        /* where it was first mentioned */
    int parent_line; /* where it was hung below its parent */
} atn_draft_node;

/* Open addressing from names to nodes. */
typedef struct {
    int *slot;
    int cap;
} atn_draft_index;

typedef struct {
    ATN_VEC(atn_draft_node) nodes;
    atn_draft_index index[2]; /* switches; hosts and parts */
    ATN_VEC(int) ranks;       /* rank -> node */
    atn_findings *found;
} atn_draft;

/* The node of this name, made when it is new; -1: no memory (reported).  Hosts and parts share one
 * space of names, so asking for a host may give a part. */
int atn_draft_node_at(atn_draft *d, atn_topo_kind kind, const char *name, int line);
/* The same without making it; -1: there is none. */
int atn_draft_find(const atn_draft *d, atn_topo_kind kind, const char *name);
/* Hangs a node below another; a node that hangs already is reported. */
void atn_draft_hang(atn_draft *d, int node, int parent, int line);
void atn_draft_level(atn_draft *d, int node, const char *level);
void atn_draft_rank(atn_draft *d, int node);
/* Word to offer for a name that is not there, or NULL. */
const char *atn_draft_near(const atn_draft *d, atn_topo_kind kind, const char *name);

/* Checks that it is one tree with every host in it and makes the topology; reports otherwise and
 * gives NULL. */
atn_topo *atn_draft_finish(atn_draft *d);
/* Adds remarks on a draft that is a tree. */
void atn_draft_remarks(const atn_draft *d);
void atn_draft_free(atn_draft *d);

/* ---- for those that already hold a tree ---- */

/* Copies a tree given in any order into the order of topo.h; node_of counts in the given order.
 * Links of the root are dropped.  NULL: no memory. */
atn_topo *atn_topo_make(const atn_topo_node *nodes, int nnodes, const int *node_of, int p,
                        const char *origin);

#endif
