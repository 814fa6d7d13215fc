/* topo.h - the machine as a tree: switches, hosts, what is inside hosts, and where ranks are.
 *
 * A node is a switch, a host, or a part of a host (package, cache ...).  Its link goes up to its
 * parent, full duplex, with a rate and a delay.  A rank hangs from a host (or part) by a port of its
 * own, so several ranks on a host need no extra theory: the host is a switch to them.
 * A topology is immutable once made; all that is derived from it (paths, orders, loads) is integer
 * arithmetic or exact comparison, so that ranks that share it derive the same. */
#ifndef ATN_TOPO_H
#define ATN_TOPO_H

#include "base/base.h"

typedef enum { ATN_TOPO_SWITCH, ATN_TOPO_HOST, ATN_TOPO_PART } atn_topo_kind;

typedef struct {
    char *name;          /* unique among its kind */
    atn_topo_kind kind;
    int parent;          /* -1: the root */
    int depth;           /* 0: the root */
    int64_t rate;        /* bits per second of the link to the parent, each way; 0: not known */
    int64_t delay_ns;    /* one way over that link; 0: not known */
    char *level;         /* name of its level ("site", "switch", "host", "package"); may be NULL */
} atn_topo_node;

typedef struct atn_topo {
    int nnodes;
    atn_topo_node *nodes; /* parents before children; nodes[0] is the root */
    int p;                /* ranks; 0: none placed yet */
    int *node_of;         /* rank -> host or part it runs on */
} atn_topo;

void atn_topo_free(atn_topo *t);

/* ---- sources (each gives a topology without ranks, or with them where the source says so) ---- */

/* Takes what a user names: a file (topology.conf of Slurm, a graph file, an attune-topology file) or
 * a synthetic string such as "4x4@100M;order=roundrobin".  Errors as file:line. */
atn_status atn_topo_load(const char *name, atn_topo **topo_p, atn_error *err);
atn_status atn_topo_parse_slurm(const char *text, const char *file, atn_topo **topo_p,
                                atn_error *err);
atn_status atn_topo_parse_synthetic(const char *text, atn_topo **topo_p, atn_error *err);
/* Text that atn_topo_parse_slurm reads back (the file format of Attune is topology.conf with
 * comments for what Slurm does not have: rates, delays, ranks); caller frees. */
char *atn_topo_print(const atn_topo *t);

/* ---- ranks ---- */

/* A copy in which rank i runs on host hosts[i] (by name); an unknown host is an error. */
atn_status atn_topo_place(const atn_topo *t, const char *const *hosts, int p, atn_topo **topo_p,
                          atn_error *err);
/* The sub-topology that a group of ranks sees: new rank i is old rank ranks[i]. */
atn_topo *atn_topo_sub(const atn_topo *t, const int *ranks, int p);

/* ---- paths ----
 * Directed edges are numbered 0 .. atn_topo_edges - 1: the port of rank r is 2r (out) and 2r + 1
 * (in); the link of node v is 2(p + v) (up) and 2(p + v) + 1 (down). */
int atn_topo_edges(const atn_topo *t);
/* Edges from rank u to rank v, u != v, in order; at most 2 * depth + 2.  Returns how many. */
int atn_topo_path(const atn_topo *t, int u, int v, int *edges);
/* Switches on the path (the path length of the literature: nodes passed). */
int atn_topo_hops(const atn_topo *t, int u, int v);
/* Rate of an edge in bits per second; 0: not known, treat as unlimited (ports of ranks are). */
int64_t atn_topo_rate(const atn_topo *t, int edge);
int64_t atn_topo_delay(const atn_topo *t, int edge);
/* Messages of one alltoall that cross each edge (|Mu| * |Mv|). */
void atn_topo_loads(const atn_topo *t, int64_t *loads);

/* Identity of a placed topology, the same for equal trees however they were written. */
uint64_t atn_topo_fingerprint(const atn_topo *t);

#endif
