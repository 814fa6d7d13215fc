/* discovery.h - the output of the measuring job of `attune topo discover`, line by line.
 *
 *   attune-discover 1
 *   job RANKS HOSTS MPI
 *   host NAME                                 for each host
 *   rank HOST                                 for each rank, the number of its host
 *   progress PART                             now and then, 0 .. 1
 *   node PARENT UP DOWN FULL DELAY TRUST      for each node of the result
 *   remark TEXT
 *   effort SETS PINGS FAST
 *   end */
#ifndef ATN_TOPO_DISCOVERY_H
#define ATN_TOPO_DISCOVERY_H

#include "topo/infer.h"

typedef struct {
    int ranks, hosts;
    char *mpi;
    ATN_VEC(char *) names; /* of hosts */
    ATN_VEC(int) host_of;  /* rank -> host */
    double progress;
    atn_inferred *result; /* complete when `done` */
    bool begun, done;
    int room; /* nodes that `result` has room for */
} atn_discovery;

void atn_topo_discovery_free(atn_discovery *d);

/* Write the job before measuring, and the result. */
void atn_topo_discovery_put_job(FILE *f, const char *mpi, const char *const *names, int hosts,
                                const int *host_of, int ranks);
void atn_topo_discovery_put_result(FILE *f, const atn_inferred *r);

/* Takes one line.  Lines before the first of the protocol are ignored: launchers print messages. */
atn_status atn_topo_discovery_line(atn_discovery *d, const char *line, atn_error *err);
/* After the last line: checks that it is complete. */
atn_status atn_topo_discovery_end(const atn_discovery *d, atn_error *err);

#endif
