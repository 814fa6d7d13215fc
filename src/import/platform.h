/* platform.h - a platform of SimGrid while it is read; simgrid.c reads single hosts and links,
 * cluster.c the elements that stand for many. */
#ifndef ATN_IMPORT_PLATFORM_H
#define ATN_IMPORT_PLATFORM_H

#include "import/document.h"
#include "import/fabric.h"

typedef struct {
    int64_t rate, delay_ns;
    int from, to; /* nodes that it connects; -1: not known yet */
    int line;
} atn_platform_link;

/* A route along several links: `n` of `hops` from `first` on. */
typedef struct {
    int from, to, first, n, line;
} atn_platform_route;

typedef struct {
    atn_draft *d;
    atn_fabric f;
    atn_document doc;
    atn_draft link_ids; /* index of links */
    ATN_VEC(atn_platform_link) links;
    ATN_VEC(atn_platform_route) routes;
    ATN_VEC(int) hops;
    int network_line; /* of a cluster that is a network of its own; 0: none */
} atn_import_platform;

int atn_import_platform_node(atn_import_platform *p, const char *id, atn_fabric_kind kind,
                             int line);
/* Rate and delay of an element; what cannot be read is reported. */
atn_platform_link atn_import_platform_link(const atn_import_platform *p, const atn_import_value *v,
                                           const char *rate_key, const char *delay_key);
void atn_import_platform_cluster(atn_import_platform *p, const atn_import_value *v);

#endif
