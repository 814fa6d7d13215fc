/* skeleton.h - how well-known parallel programs communicate, without what they compute.
 *
 * A skeleton is a pure function that tells the calls of one rank, as algorithms do with schedules.
 * `attune predict` replays them without MPI; bench/skeleton_exec.c carries them out. */
#ifndef ATN_PREDICT_SKELETON_H
#define ATN_PREDICT_SKELETON_H

#include "base/base.h"

enum { ATN_ANY_PARTNER = -2, ATN_FOREIGN_PARTNER = -4 };

typedef enum {
    ATN_SKELETON_SEND,
    ATN_SKELETON_ISEND,
    ATN_SKELETON_RECV,
    ATN_SKELETON_IRECV,
    ATN_SKELETON_SHIFT, /* sendrecv_replace: to `partner`, from `from` */
    ATN_SKELETON_WAIT,  /* for all requests of the rank */
    ATN_SKELETON_SUM    /* an allreduce of all ranks */
} atn_skeleton_kind;

enum { ATN_SKELETON_SITES = 24, ATN_SKELETON_COMMS = 4, ATN_SKELETON_BUFFERS = 64 };

typedef struct {
    atn_skeleton_kind kind;
    int partner, from; /* ranks of the job */
    int tag, bytes;
    int comm;   /* 0: all ranks; others are copies of it */
    int site;   /* which call of the program's text it is */
    int buffer; /* messages under way at the same time have different ones */
} atn_skeleton_call;

typedef struct {
    int p, rank, iterations;
    ATN_VEC(atn_skeleton_call) calls;
    bool failed; /* out of memory */
} atn_skeleton_run;

typedef struct {
    const char *name, *summary;
    const char *ranks; /* what fits, in words */
    bool (*fits)(int p);
    int iterations; /* enough for habits to show */
    void (*emit)(atn_skeleton_run *run);
} atn_skeleton;

int atn_skeletons(void);
const atn_skeleton *atn_skeleton_at(int i);
const atn_skeleton *atn_skeleton_find(const char *name); /* NULL: none */
/* The calls of one rank.  `iterations` 0: as many as the row says.  Caller frees run_p->calls. */
atn_status atn_skeleton_emit(const atn_skeleton *s, int p, int rank, int iterations,
                             atn_skeleton_run *run_p, atn_error *err);

/* ---- for the skeletons ---- */

void atn_skeleton_call_add(atn_skeleton_run *run, atn_skeleton_call call);
#define ATN_CALL(run, what, ...)                                                                   \
    atn_skeleton_call_add((run), (atn_skeleton_call){.kind = ATN_SKELETON_##what, __VA_ARGS__})

#endif
