/* draft.h - a topology while it is being made: nodes in any order, links checked at the end.
 *
 * A reader of a format, or a program that measured a topology, adds nodes, attaches
 * them below others, lists ranks, and finishes.  Errors are reported with the line that
 * caused them. */
#ifndef ATN_TOPO_DRAFT_H
#define ATN_TOPO_DRAFT_H

#include "topo/findings.h"
#include "topo/hostlist.h"
#include "topo/topo.h"

typedef struct {
    char *name;
    atn_topo_kind kind;
    int parent; /* -1: none yet */
    int64_t rate, delay_ns;
    char *level;
    int number;      /* of a host among those of the routes */
    int line;        /* where it was first mentioned */
    int parent_line; /* where it was attached to its parent */
} atn_draft_node;

/* A link between two switches of a network that is no tree. */
typedef struct {
    char *end[2];
    int64_t rate, delay_ns;
    int line;
} atn_draft_link;

/* At a switch, messages to these hosts leave over the link to another switch. */
typedef struct {
    char *at, *by;
    atn_name_list hosts;
    int line;
} atn_draft_forward;

/* Open addressing from names to nodes. */
typedef struct {
    int *slot;
    int cap;
} atn_draft_index;

typedef struct {
    ATN_VEC(atn_draft_node) nodes;
    atn_draft_index index[2];            /* switches; hosts and parts */
    ATN_VEC(int) ranks;                  /* rank -> node */
    struct atn_routes *routes;           /* NULL: the network is a tree, or has links */
    ATN_VEC(atn_draft_link) links;       /* all between switches, if the network is no tree */
    ATN_VEC(atn_draft_forward) forwards; /* where routes are not the shortest */
    atn_findings *found;
} atn_draft;

/* The node of this name, created if new; -1: out of memory (reported).  Hosts and parts share one
 * space of names, so a look-up of a host may return a part. */
int atn_topo_draft_node_at(atn_draft *d, atn_topo_kind kind, const char *name, int line);
/* The same without creating it; -1: none. */
int atn_topo_draft_find(const atn_draft *d, atn_topo_kind kind, const char *name);
/* Attaches a node below another; a node that has a parent is reported. */
void atn_topo_draft_hang(atn_draft *d, int node, int parent, int line);
void atn_topo_draft_level(atn_draft *d, int node, const char *level);
void atn_topo_draft_rank(atn_draft *d, int node);
/* The suggestion for an unknown name, or NULL. */
const char *atn_topo_draft_near(const atn_draft *d, atn_topo_kind kind, const char *name);

/* Checks that it is one tree with every host in it and makes the topology; reports otherwise and
 * gives NULL. */
atn_topo *atn_topo_draft_finish(atn_draft *d);
/* A link between switches, which need not be nodes of the tree.  With any, messages take shortest
 * routes along them instead of the links of the tree. */
void atn_topo_draft_link(atn_draft *d, const char *a, const char *b, int64_t rate, int64_t delay_ns,
                         int line);
/* An entry of a forwarding table; hosts without one are reached on shortest routes. */
void atn_topo_draft_forward(atn_draft *d, const char *at, const char *by, const char *host,
                            int line);
/* Applies them to routes that are otherwise complete; reports what is wrong. */
void atn_topo_draft_forwarding(atn_draft *d);
/* Makes the routes along the links of a draft that is a tree; reports what is wrong. */
void atn_topo_draft_route(atn_draft *d);
/* Sets the rates of switches to those of all links of the routes together that leave their branch,
 * and delays that no route falls short of; home[router] is the node that it belongs to. */
void atn_topo_draft_cuts(atn_draft *d, const int *home);
/* Adds remarks on a draft that is a tree. */
void atn_topo_draft_remarks(const atn_draft *d);
void atn_topo_draft_free(atn_draft *d);

/* ---- for those that already hold a tree ---- */

/* Copies a tree given in any order into the order of topo.h; node_of counts in the given order.
 * Links of the root are dropped.  NULL: no memory. */
atn_topo *atn_topo_make(const atn_topo_node *nodes, int nnodes, const int *node_of, int p,
                        const char *origin);
/* The same with origin and routes of another topology. */
atn_topo *atn_topo_like(const atn_topo *t, const atn_topo_node *nodes, int nnodes,
                        const int *node_of, int p);

#endif
