/* discovery.h - the output of the measuring job of `attune topo discover`, line by line.
 *
 *   attune-discover 1
 *   job RANKS HOSTS MPI
 *   host NAME                                 for each host
 *   rank HOST                                 for each rank, the number of its host
 *   place MACHINE FABRIC                      with --identify, then nothing but the end follows
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
    char *machine, *fabric; /* keys of the store of calibrations; NULL: not printed */
    ATN_VEC(char *) names;  /* of hosts */
    ATN_VEC(int) host_of;   /* rank -> host */
    double progress;
    atn_inferred *result; /* complete when `done`, unless the job only identifies itself */
    bool begun, done;
    int room; /* nodes that `result` has room for */
} atn_discovery;

void atn_topo_discovery_free(atn_discovery *d);

/* Write the job before measuring, and the result. */
void atn_topo_discovery_put_job(FILE *f, const char *mpi, const char *const *names, int hosts,
                                const int *host_of, int ranks);
/* Instead of a result: what the job is, and the end. */
void atn_topo_discovery_put_place(FILE *f, const char *machine, const char *fabric);
void atn_topo_discovery_put_result(FILE *f, const atn_inferred *r);

/* Takes one line.  Lines before the first of the protocol are ignored: launchers print messages. */
atn_status atn_topo_discovery_line(atn_discovery *d, const char *line, atn_error *err);
/* After the last line: checks that it is complete. */
atn_status atn_topo_discovery_end(const atn_discovery *d, atn_error *err);

#endif
