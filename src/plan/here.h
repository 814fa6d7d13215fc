/* here.h - the place that wisdom is filed under: "MACHINE/LAYOUT".
 *
 * MACHINE is the MPI library and the processors: what was the best of one library says little about
 * another.  LAYOUT is where the ranks of a communicator are: hosts x ranks on each, and a number
 * that tells different wires and different orders of ranks apart. */
#ifndef ATN_HERE_H
#define ATN_HERE_H

#include "topo/topo.h"

enum { ATN_HERE_ROOM = 160 };

/* "open-mpi-4.1.4-c0ffee12" for "Open MPI 4.1.4" on this host. */
void atn_here_machine(const char *mpi, char out[ATN_HERE_ROOM]);
/* "16x1-1a2b3c4d", or "any" when it is not known where the ranks are (t NULL).  False: no memory,
 * and the name is one that nobody has: nothing may be asked or kept under it. */
ATN_MUST_USE bool atn_here_layout(const atn_topo *t, char out[ATN_HERE_ROOM]);
/* Both; `machine` as above. */
ATN_MUST_USE bool atn_here_name(const char *machine, const atn_topo *t, char out[ATN_HERE_ROOM]);

#endif
