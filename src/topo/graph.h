/* graph.h - a network of any shape, and the trees inside it. */
#ifndef ATN_TOPO_GRAPH_H
#define ATN_TOPO_GRAPH_H

#include "topo/draft.h"

typedef struct {
    char *name;
    bool host;
    int line;
} atn_net_node;

typedef struct {
    int a, b;
    int64_t rate, delay_ns;
    int line;
} atn_net_link;

/* How the next link of the tree is taken from those that lead out of it. */
typedef enum { ATN_SPAN_BFS, ATN_SPAN_DFS, ATN_SPAN_RANDOM } atn_span_order;

typedef struct {
    ATN_VEC(atn_net_node) nodes;
    ATN_VEC(atn_net_link) links;
    atn_span_order span;
    uint64_t seed; /* of a random tree */
    int root;      /* -1: the switch that is nearest to all others */
    bool routed;   /* messages take shortest routes instead of the tree */
} atn_net_graph;

/* A tree over all nodes that can be reached: per node the link up, -1 for the root, -2 where there
 * is no way.  Hosts pass messages on only where there is no other way.  Returns the root; -1: no
 * memory. */
int atn_topo_graph_span(const atn_net_graph *g, int *link_up);

/* Drafts the tree of a graph, and the links of one that is routed; reports what is wrong.  Links
 * are sorted by their ends. */
void atn_topo_graph_draft(atn_draft *d, atn_net_graph *g);
void atn_topo_graph_free(atn_net_graph *g);

#endif
