/* troupe.h - rank 0 decides what all ranks call and time next.
 *
 * One rank searches, the others follow its orders; while it thinks they sleep, so that they take no
 * processor time away from it.  Results are known to rank 0 with every order. */
#ifndef ATN_TROUPE_H
#define ATN_TROUPE_H

#include "algo/pattern.h"
#include "measure/timing.h"

typedef struct atn_troupe atn_troupe;

/* Collective; caller and timing outlive it.  NULL: no memory. */
atn_troupe *atn_troupe_new(atn_caller *c, atn_timing *timing);
void atn_troupe_free(atn_troupe *t);
/* Calls of these patterns may be asked for; the same on all ranks, they outlive the troupe. */
void atn_troupe_patterns(atn_troupe *t, const atn_patterns *patterns);
/* All ranks but 0: obeys until atn_troupe_stop. */
void atn_troupe_serve(atn_troupe *t);

/* ---- orders of rank 0 ---- */

/* A new problem; everything of the last one is closed.  `call`: sizes are those of that call of the
 * patterns; -1: all are `bytes`.  False: no memory for the buffers. */
bool atn_troupe_prepare(atn_troupe *t, atn_operation op, int64_t bytes, int call);
/* Opens number i (native: "native") and calls it once.  Returns the seconds; *right_p: whether its
 * result was that of native, which must be opened first. */
double atn_troupe_open(atn_troupe *t, int i, const char *name, bool *right_p);
/* Runs those numbers in turn, `calls` times each; seconds of one call, in the same order.  Those of
 * one `turn` are treated alike. */
void atn_troupe_run(atn_troupe *t, const int *list, int n, int calls, int turn, double *seconds);
void atn_troupe_close(atn_troupe *t, int i);
/* How long a call takes, for mechanisms that compute or wait meanwhile. */
void atn_troupe_reference(atn_troupe *t, double seconds);
void atn_troupe_stop(atn_troupe *t);

#endif
