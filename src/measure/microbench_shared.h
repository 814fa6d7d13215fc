/* microbench_shared.h - patterns of microbenchmarks on the shared-memory transport (src/shm).  The
 * participants are ranks of one host that share memory. */
#ifndef ATN_MEASURE_MICROBENCH_SHARED_H
#define ATN_MEASURE_MICROBENCH_SHARED_H

#include "measure/microbench.h"

/* Messages are copied by both sides, or the receiver reads the sender's memory. */
double atn_measure_shared_ping_copy(const atn_mb_participant *x);
double atn_measure_shared_ping_single(const atn_mb_participant *x);
double atn_measure_shared_ring_copy(const atn_mb_participant *x);
double atn_measure_shared_ring_single(const atn_mb_participant *x);
/* Participant 0 exposes data, without readers. */
double atn_measure_shared_expose(const atn_mb_participant *x);
/* Participant 0 exposes data, all others read them and raise a flag for participant 0. */
double atn_measure_shared_exposed(const atn_mb_participant *x);
/* All expose data, and each reads those of the next. */
double atn_measure_shared_exposed_ring(const atn_mb_participant *x);

#endif
