/* generate.h - writes schedules as a self-contained C file: routines with the arguments of the MPI
 * functions, tables for every rank, and a short loop that executes them.  It depends only on MPI
 * and serves every communicator of that size, every message size and every datatype. */
#ifndef ATN_SCHED_GENERATE_H
#define ATN_SCHED_GENERATE_H

#include "sched/schedule.h"

/* The schedules of one algorithm. */
typedef struct {
    const char *about;    /* one line */
    int64_t from, below;  /* sizes in bytes that it serves; below 0: all from `from` on */
    int nsets;            /* programs: one per root, or one per call of a pattern */
    atn_schedule ***sets; /* set, rank -> schedule, for one segment and without MPI_IN_PLACE */
    int64_t segment;      /* bytes: natural blocks are sent in pipelined segments; 0: whole */
    bool shares;          /* `segment` bounds one rank's share of a block */
    int64_t chunk;        /* bytes: each message is sent in chunks of that size; 0: whole */
    bool commutative;     /* only operators that commute */
} atn_generated;

/* The routine of an operation. */
typedef struct {
    atn_operation op;
    int n;
    atn_generated *v; /* of disjoint sizes */
} atn_generated_routine;

typedef struct {
    const char *about; /* one line */
    int p;             /* ranks */
    bool tuned;        /* calls that no variant serves are passed to the library; else there is one
                          routine, and its only variant serves all sizes */
    int first_root, roots;  /* rooted operations: set i is for root first_root + i */
    int ncalls;             /* alltoallv, allgatherv: call i modulo ncalls runs set_of_call[i]; */
    const int *set_of_call; /* ncalls = 0: all calls run set 0 */
    int n;
    atn_generated_routine *routines;
} atn_generation;

bool atn_sched_generates(atn_operation op);
/* NULL, or why the schedules of a rank cannot be generated. */
const char *atn_sched_generate_refuses(const atn_schedule *s);
atn_status atn_sched_generate(FILE *f, const atn_generation *g, atn_error *err);

#endif
