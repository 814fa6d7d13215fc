/* inside.h - the inside of hosts as parts below them. */
#ifndef ATN_TOPO_INSIDE_H
#define ATN_TOPO_INSIDE_H

#include "topo/topo.h"

enum { ATN_INSIDE_LEVELS = 8, ATN_PART_NAME = 32 };

typedef struct {
    char *name;        /* "l3-0": unique inside a host */
    const char *level; /* "l3" */
    int parent;        /* another part before it; -1: the host */
} atn_host_part;

typedef struct {
    ATN_VEC(atn_host_part) parts;
    ATN_VEC(int) cores; /* core -> its part; -1: the host itself */
    char *host;         /* the machine's own name, or "host" */
} atn_inside;

/* `what`: "this" machine, a synthetic description of hwloc, or the text of its XML. */
atn_status atn_topo_inside_read(const char *what, atn_inside *in, atn_error *err);
void atn_topo_inside_free(atn_inside *in);
/* The smallest part that holds the processors of a list such as "0-3", or, with NULL, those that
 * this process is bound to: "l3-0"; "" when no part does, or Attune was built without hwloc. */
atn_status atn_topo_inside_part(const char *what, const char *cpus, char part[ATN_PART_NAME],
                                atn_error *err);

/* A copy in which every host without parts has these; the ranks of a host go to its cores in order,
 * and start again at the first when there are more ranks than cores.  `what` may also be the name
 * of an XML file. */
atn_status atn_topo_inside(const atn_topo *t, const char *what, atn_topo **topo_p, atn_error *err);

#endif
