/* generate.h - writes a schedule as a self-contained C file: a routine with the arguments of the
 * MPI function, tables for every rank, and a short loop that executes them.  It depends only on
 * MPI and serves every communicator of that size, every message size and every datatype. */
#ifndef ATN_SCHED_GENERATE_H
#define ATN_SCHED_GENERATE_H

#include "sched/schedule.h"

typedef struct {
    const char *about;      /* one line: which algorithm for which topology */
    int p;                  /* ranks */
    int nsets;              /* programs: one per root, or one per call of a pattern */
    atn_schedule ***sets;   /* set, rank -> schedule, for one segment and without MPI_IN_PLACE */
    int first_root;         /* rooted operations: set i is for root first_root + i */
    int ncalls;             /* alltoallv: call i modulo ncalls runs set_of_call[i]; */
    const int *set_of_call; /* ncalls = 0: all calls run set 0 */
    int64_t segment;        /* bytes: natural blocks are sent in pipelined segments; 0: whole */
    bool shares;            /* `segment` bounds one rank's share of a block */
    int64_t chunk;          /* bytes: each message is sent in chunks of that size; 0: whole */
    bool commutative;       /* only operators that commute */
} atn_generation;

bool atn_sched_generates(atn_operation op);
atn_status atn_sched_generate(FILE *f, const atn_generation *g, atn_error *err);

#endif
