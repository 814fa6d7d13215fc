/* simgrid.h - shared by the writers of SimGrid's platforms. */
#ifndef ATN_TOPO_SIMGRID_H
#define ATN_TOPO_SIMGRID_H

#include "topo/topo.h"

typedef struct {
    FILE *f;
    const atn_topo *t;
    bool clusters; /* zones of hosts that have one rank each */
} atn_platform;

int64_t atn_topo_simgrid_rate(int64_t rate); /* of links without one: 100 Gbit/s */
void atn_topo_simgrid_host(const atn_platform *p, int v);
void atn_topo_simgrid_link(const atn_platform *p, const atn_topo_node *v);
/* A switch with its hosts. */
void atn_topo_simgrid_zone(const atn_platform *p, int v);

/* ---- networks with routes ---- */

/* Whether SimGrid can read all of its routes. */
atn_status atn_topo_simgrid_check(const atn_topo *t, atn_error *err);
void atn_topo_simgrid_routes(const atn_platform *p);

#endif
