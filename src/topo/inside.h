/* inside.h - the inside of hosts as parts below them. */
#ifndef ATN_INSIDE_H
#define ATN_INSIDE_H

#include "topo/topo.h"

enum { ATN_INSIDE_LEVELS = 8 };

typedef struct {
    char *name;        /* "l3-0": unique inside a host */
    const char *level; /* "l3" */
    int parent;        /* another part before it; -1: the host */
} atn_part;

typedef struct {
    ATN_VEC(atn_part) parts;
    ATN_VEC(int) cores; /* core -> its part; -1: the host itself */
    char *host;         /* the machine's own name, or "host" */
} atn_inside;

/* `what`: "this" machine, a synthetic description of hwloc, or the text of its XML. */
atn_status atn_inside_read(const char *what, atn_inside *in, atn_error *err);
void atn_inside_free(atn_inside *in);

/* A copy in which every host without parts has these; the ranks of a host go to its cores in order,
 * and start again at the first when there are more ranks than cores.  `what` may also be the name
 * of an XML file. */
atn_status atn_topo_inside(const atn_topo *t, const char *what, atn_topo **topo_p, atn_error *err);

#endif
