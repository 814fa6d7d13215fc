/* here.h - the key of a machine and rank placement in wisdom: "MACHINE/LAYOUT".
 *
 * MACHINE is the MPI library and the processors: the results for one library do not apply to
 * another.  LAYOUT is where the ranks of a communicator are: hosts x ranks on each, and a number
 * that distinguishes topologies and rank orders. */
#ifndef ATN_PLAN_HERE_H
#define ATN_PLAN_HERE_H

#include "topo/topo.h"

enum { ATN_HERE_ROOM = 160 };

/* Between a place and a number: rules that hold there for one context or program only. */
#define ATN_PLACE_OWNER "@"

/* "open-mpi-4.1.4-c0ffee12" for "Open MPI 4.1.4" on this host. */
void atn_plan_here_machine(const char *mpi, char out[ATN_HERE_ROOM]);
/* The kinds of network adapters of this host for which the kernel has a class of devices besides
 * Ethernet: "mlx5", "hfi1+mlx5"; "ethernet" if there are none. */
void atn_plan_here_fabric(char out[ATN_HERE_ROOM]);
/* "16x1-1a2b3c4d", or "any" when it is not known where the ranks are (t NULL).  False: no memory,
 * and the name is invalid: no rule may be read or stored under it. */
ATN_MUST_USE bool atn_plan_here_layout(const atn_topo *t, char out[ATN_HERE_ROOM]);
/* Both; `machine` as above. */
ATN_MUST_USE bool atn_plan_here_name(const char *machine, const atn_topo *t,
                                     char out[ATN_HERE_ROOM]);

#endif
