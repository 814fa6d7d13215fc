/* write.h - topologies for other programs; atn_topo_print (topo.h) writes the file format. */
#ifndef ATN_TOPO_WRITE_H
#define ATN_TOPO_WRITE_H

#include "topo/topo.h"

/* All give a text that the caller frees. */

/* "4x4@100M;order=roundrobin": only regular trees and chains of switches can be expressed. */
atn_status atn_topo_to_synthetic(const atn_topo *t, char **text_p, atn_error *err);
/* A platform of SimGrid 3.  Links without a rate get 100 Gbit/s. */
atn_status atn_topo_to_simgrid(const atn_topo *t, char **text_p, atn_error *err);
/* The host of each rank, a line each, for launchers that take hosts in order. */
atn_status atn_topo_to_hostfile(const atn_topo *t, char **text_p, atn_error *err);

#endif
