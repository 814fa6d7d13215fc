/* topo.h - the machine as a tree: switches, hosts, what is inside hosts, and where ranks are.
 *
 * A node is a switch, a host, or a part of a host (package, cache ...).  Its link goes up to its
 * parent, full duplex, with a rate and a delay.  A rank hangs from a host (or part) by a port of
 * its own, so several ranks on a host need no extra theory: the host is a switch to them.
 * A topology is immutable once made; all that is derived from it (paths, orders, loads) is integer
 * arithmetic or exact comparison, so that ranks that share it derive the same.
 * Nodes stand in depth-first order: a subtree is a range of nodes.  Of the children of a node,
 * hosts come before switches, each kind by the smallest rank below, those without ranks last and
 * by name (n2 before n10): derived data depend on the links and the ranks, not on how they
 * were written.
 *
 * Routes: where the network is no tree (a torus, a dragonfly), the tree groups its hosts into
 * levels (planes, groups, routers), and messages between hosts take the links of the routes
 * (routes.h) instead of those of switches.  The rate of a switch is then that of all links together
 * that leave its branch, and no route has a shorter delay than the tree, so its bounds hold.
 */
#ifndef ATN_TOPO_TOPO_H
#define ATN_TOPO_TOPO_H

#include "base/base.h"

typedef enum { ATN_TOPO_SWITCH, ATN_TOPO_HOST, ATN_TOPO_PART } atn_topo_kind;

typedef struct {
    char *name; /* unique among its kind */
    atn_topo_kind kind;
    int parent;       /* -1: the root */
    int depth;        /* 0: the root */
    int64_t rate;     /* bits per second of the link to the parent, each way; 0: not known */
    int64_t delay_ns; /* one way over that link; 0: not known */
    char *level;      /* name of its level ("site", "switch", "host", "package"); may be NULL */
    int number;       /* of a host among those of the routes */
} atn_topo_node;

typedef struct atn_topo {
    int nnodes;
    atn_topo_node *nodes; /* parents before children; nodes[0] is the root */
    int p;                /* ranks; 0: none placed yet */
    int *node_of;         /* rank -> host or part it runs on */
    char *origin;         /* the file or string it came from, for messages */
    char *levels;         /* names of its levels between blanks, also of those that were cut away */
    struct atn_routes *routes; /* NULL: the network is the tree; else see "routes" below */
    char *texts;               /* names and levels of all nodes */
    _Atomic int holders;       /* besides the first */
} atn_topo;

/* For another holder: each of them frees it. */
atn_topo *atn_topo_share(const atn_topo *t);
void atn_topo_free(atn_topo *t); /* NULL is fine */

/* ---- sources (each returns a topology, with ranks if the source has them) ---- */

/* Takes what a user names: a file (topology.conf of Slurm, a graph file, a list of hosts) or a
 * string: "4x4@100M;order=roundrobin" (synthetic), "hosts:n[0-7]" (one switch), "hwloc:this"
 * (inside this machine).  Errors as file:line: what, why, remedy. */
atn_status atn_topo_load(const char *name, atn_topo **topo_p, atn_error *err);
atn_status atn_topo_parse_slurm(const char *text, const char *file, atn_topo **topo_p,
                                atn_error *err);
atn_status atn_topo_parse_synthetic(const char *text, atn_topo **topo_p, atn_error *err);
/* Instead of a topology, inside a job: what follows from the names of its hosts. */
#define ATN_TOPO_HOSTS "hosts"
/* One switch, for a job whose hosts are known but not its network.  With ranks. */
atn_status atn_topo_from_hosts(const char *const *hosts, int p, atn_topo **topo_p, atn_error *err);
/* Text that atn_topo_parse_slurm reads back (the file format of Attune is topology.conf with
 * comments for what Slurm does not have: rates, delays, ranks); caller frees; NULL: no memory. */
char *atn_topo_print(const atn_topo *t);

/* ---- ranks ---- */

/* A copy in which rank i runs on host hosts[i] (by name; a part's name is fine too); an unknown
 * host is an error.  "n3.cluster.org" finds "n3" and the other way round. */
atn_status atn_topo_place(const atn_topo *t, const char *const *hosts, int p, atn_topo **topo_p,
                          atn_error *err);
/* A copy with ranks placed by a word: "sequential" or "roundrobin" (over the switches that hold
 * hosts) with one rank per host, "roundrobin*2" with two, or hosts in the order of ranks, such as
 * "n[0-3]*2,m7". */
atn_status atn_topo_order(const atn_topo *t, const char *order, atn_topo **topo_p, atn_error *err);
/* The sub-topology that a group of ranks sees: new rank i is old rank ranks[i].  Branches without
 * ranks are gone, and so is what stands above the lowest node that joins them all.
 * NULL: no memory. */
atn_topo *atn_topo_sub(const atn_topo *t, const int *ranks, int p);
/* The same, but `t` itself is shared if the group is all ranks in order and nothing is gone. */
atn_topo *atn_topo_part(const atn_topo *t, const int *ranks, int p);

/* A topology of `most` ranks, or up to twice as many, that stands for a larger one: of the same
 * depth, with fewer children at each node, the same mapping, and links whose rates leave as much to
 * each rank as before.  New rank i is old rank ranks[i] (ascending, to be freed); `keep` is among
 * them.  NULL: no memory, or a single rank would be left. */
atn_topo *atn_topo_shrink(const atn_topo *t, int most, int keep, int **ranks_p);

/* ---- paths ----
 * Directed edges are numbered 0 .. atn_topo_edges - 1: the port of rank r is 2r (out) and 2r + 1
 * (in); the link of node v is 2(p + v) (up) and 2(p + v) + 1 (down); link l of the routes is
 * 2(p + nnodes + l), and + 1 for its other direction. */
int atn_topo_edges(const atn_topo *t);
/* Depth of the deepest node. */
int atn_topo_depth(const atn_topo *t);
/* The most edges that a path may have. */
int atn_topo_longest(const atn_topo *t);
/* Edges from rank u to rank v, u != v, in order; at most atn_topo_longest.  Returns how many. */
int atn_topo_path(const atn_topo *t, int u, int v, int *edges);
/* Switches on the path in the tree (the path length of the literature); 0 inside a host. */
int atn_topo_hops(const atn_topo *t, int u, int v);
/* Rate of an edge in bits per second; 0: not known, treat as unlimited (ports of ranks are). */
int64_t atn_topo_rate(const atn_topo *t, int edge);
int64_t atn_topo_delay(const atn_topo *t, int edge);
/* For a link of the routes: the levels from hosts up to the nodes whose branches it connects; 1:
 * those that hold the hosts. */
int atn_topo_link_height(const atn_topo *t, int edge);

/* ---- derived from all ranks ---- */

/* Ranks at or below each node (room for nnodes). */
void atn_topo_below(const atn_topo *t, int *below);
/* Messages of one alltoall that cross each edge: |Mu| * |Mv|; with routes, counted on them (0 for
 * switches of the tree), on dragonflies, fat trees and graphs for all pairs of routers. */
void atn_topo_loads(const atn_topo *t, int64_t *loads);
/* The links that an alltoall keeps busy longest (greatest load / rate; where no rate is known at
 * all, greatest load): the nodes below them, and nnodes + l for link l of the routes (room for
 * atn_topo_links).  Returns how many: 0 when no message crosses a link whose rate is known;
 * -1: no memory. */
int atn_topo_bottlenecks(const atn_topo *t, int *links);
/* Nodes and links of the routes. */
int atn_topo_links(const atn_topo *t);
/* Levels of clustering: 0 is all ranks together, then one per depth of switches, then hosts, then
 * what is inside hosts. */
int atn_topo_levels(const atn_topo *t);
/* The cluster of each rank at a level: ranks below the same switch of that depth (or of a switch
 * above it that holds hosts itself) are together; at the host level, ranks of a host.  Each level
 * refines the one before.  Clusters are numbered by their smallest rank.
 * Returns how many; -1: no memory. */
int atn_topo_clusters(const atn_topo *t, int level, int *cluster_of);

bool atn_topo_has_kind(const atn_topo *t, atn_topo_kind kind);
int atn_topo_hosts(const atn_topo *t);
/* The host of a rank: its node, or one above it. */
int atn_topo_host_of(const atn_topo *t, int rank);
/* Name of a node's level: its own, or what it is ("switch", "host", "part"). */
const char *atn_topo_level_name(const atn_topo *t, int v);
/* Whether nodes of that level are in it, or in the topology that it is a part of. */
bool atn_topo_has_level(const atn_topo *t, const char *name);

/* For each rank the nodes from the root down to where it is: how many (depth), which of those of
 * its level (cluster, by smallest rank; -1 below its depth) and what they are called (or NULL).
 * levels: atn_topo_depth + 1; cluster and name are [rank * levels + level].  False: no memory. */
bool atn_topo_descents(const atn_topo *t, int levels, int *depth, int *cluster, const char **name);

/* Identity of a placed topology, the same for equal trees however they were written: links, rates,
 * delays and where ranks are; not names, nor branches without ranks.  0: no memory. */
uint64_t atn_topo_fingerprint(const atn_topo *t);
/* The same for the links between hosts that hold ranks, independent of which ranks. */
uint64_t atn_topo_wires(const atn_topo *t);

#endif
