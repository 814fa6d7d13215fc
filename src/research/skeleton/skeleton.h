/* skeleton.h - communication skeletons: the communication of well-known parallel programs without
 * their computation.
 *
 * A skeleton is a pure function that emits the calls of one rank, as an algorithm emits operations.
 * `attune predict` replays skeletons without MPI; bench/skeleton_exec.c executes them. */
#ifndef ATN_RESEARCH_SKELETON_SKELETON_H
#define ATN_RESEARCH_SKELETON_SKELETON_H

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
    int site;   /* call site in the program */
    int buffer; /* concurrent messages have different ones */
} atn_skeleton_call;

typedef struct {
    int p, rank, iterations;
    ATN_VEC(atn_skeleton_call) calls;
    bool failed; /* out of memory */
} atn_skeleton_run;

typedef struct {
    const char *name, *summary;
    const char *ranks; /* which numbers of ranks fit, as text */
    bool (*fits)(int p);
    int iterations; /* enough for patterns to repeat */
    void (*emit)(atn_skeleton_run *run);
} atn_skeleton;

int atn_skeletons(void);
const atn_skeleton *atn_skeleton_at(int i);
const atn_skeleton *atn_skeleton_find(const char *name); /* NULL: none */
/* The calls of one rank.  `iterations` 0: those of the row.  Caller frees run_p->calls. */
atn_status atn_skeleton_emit(const atn_skeleton *s, int p, int rank, int iterations,
                             atn_skeleton_run *run_p, atn_error *err);

/* ---- for the skeletons ---- */

void atn_skeleton_call_add(atn_skeleton_run *run, atn_skeleton_call call);
#define ATN_CALL(run, what, ...)                                                                   \
    atn_skeleton_call_add((run), (atn_skeleton_call){.kind = ATN_SKELETON_##what, __VA_ARGS__})

#endif
