/* fabric.h - a network as tools list it: nodes with an identity and a name, and cables as seen from
 * each end.
 *
 * Cables side by side become one link, ports of one host become one host, and the network becomes a
 * tree, or a network with routes if there are several ways. */
#ifndef ATN_IMPORT_FABRIC_H
#define ATN_IMPORT_FABRIC_H

#include "topo/draft.h"
#include "topo/graph.h"

typedef enum { ATN_FABRIC_UNKNOWN, ATN_FABRIC_HOST, ATN_FABRIC_SWITCH } atn_fabric_kind;

typedef struct {
    char *name;        /* NULL: its identity serves as the name */
    char *description; /* text from which the name follows; NULL: none */
    atn_fabric_kind kind;
    bool ignored; /* neither a host nor a switch of the network */
    int port;     /* the first port that was seen; 0: none */
    bool ports;   /* more than one port */
    int lid;      /* address in forwarding tables; 0: not known */
    uint64_t guid;
} atn_fabric_node;

/* A cable, as listed for its first end. */
typedef struct {
    int from, to, port; /* nodes; the port of the first */
    int64_t rate, delay_ns;
    int line;
} atn_fabric_cable;

/* An entry of a forwarding table: messages to an address leave a switch through a port. */
typedef struct {
    int table; /* among `tables` */
    int lid, port, line;
} atn_fabric_entry;

typedef struct {
    uint64_t guid; /* of the switch */
    int lid, line;
} atn_fabric_table;

typedef struct {
    atn_findings *found;
    atn_draft identities; /* node by identity, and its line */
    ATN_VEC(atn_fabric_node) nodes;
    ATN_VEC(atn_fabric_cable) cables;
    ATN_VEC(atn_fabric_table) tables;
    ATN_VEC(atn_fabric_entry) entries;
} atn_fabric;

/* The node of this identity, created if new; -1: out of memory (reported). */
int atn_import_fabric_node(atn_fabric *f, const char *identity, int line);
/* Its name, unless it has one; as a word of host lists. */
void atn_import_fabric_name(atn_fabric *f, int node, const char *name);
/* What it is, if known, and a text about it, unless it has one. */
void atn_import_fabric_describe(atn_fabric *f, int node, atn_fabric_kind kind, const char *text);
bool atn_import_fabric_is_host(const atn_fabric_node *v);
void atn_import_fabric_port(atn_fabric *f, int node, int port);
void atn_import_fabric_cable(atn_fabric *f, atn_fabric_cable cable);
/* Reports what is wrong, and drafts the network otherwise. */
void atn_import_fabric_draft(atn_fabric *f, atn_draft *d);
void atn_import_fabric_free(atn_fabric *f);

#endif
