/* session.h - rank 0 decides which calls all ranks execute and time next.
 *
 * Rank 0 searches; the other ranks execute its commands and sleep in between.  Rank 0 holds the
 * results when a function returns. */
#ifndef ATN_MEASURE_SESSION_H
#define ATN_MEASURE_SESSION_H

#include "algo/pattern.h"
#include "measure/timing.h"

typedef struct atn_session atn_session;

/* Collective; caller, timing and patterns outlive it.  `patterns`, the same on all ranks: calls
 * with sizes of their own. */
atn_session *atn_measure_session_new(atn_caller *c, atn_timing *timing,
                                     const atn_patterns *patterns);
void atn_measure_session_free(atn_session *s);
/* All ranks but 0: executes commands until atn_measure_session_stop. */
void atn_measure_session_serve(atn_session *s);

/* ---- rank 0 ---- */

/* A new problem; every variant of the last one is closed.  `call`: sizes are those of that call of
 * the patterns; -1: all are `bytes`.  False: no memory for the buffers. */
bool atn_measure_session_prepare(atn_session *s, atn_operation op, int64_t bytes, int call);
/* Opens variant i (native: "native") and calls it once.  Returns the seconds; *right_p: whether its
 * result equals that of native, which must be opened first. */
double atn_measure_session_open(atn_session *s, int i, const char *name, bool *right_p);
/* Runs these variants one after the other, `calls` times each; seconds of one call, in the same
 * order.  Variants of one `round` arrive in the same pattern (timing.h). */
void atn_measure_session_run(atn_session *s, const int *list, int n, int calls, int round,
                             double *seconds);
void atn_measure_session_close(atn_session *s, int i);
/* How long a call takes, for mechanisms that compute or wait meanwhile. */
void atn_measure_session_reference(atn_session *s, double seconds);
void atn_measure_session_stop(atn_session *s);

#endif
