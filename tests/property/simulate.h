/* simulate.h - executes the schedules of all ranks on numbers, in a random order of the operations
 * that their dependencies allow, with messages that are randomly buffered or synchronous.  It
 * shares no code with the verifier, so each can find errors of the other. */
#ifndef SIMULATE_H
#define SIMULATE_H

#include "sched/schedule.h"

/* NULL: all ranks terminate with the right result; otherwise what happened.  `strict`: every rank
 * executes its program in order, one step after the other, and all sends are synchronous. */
const char *simulate(atn_schedule *const *s, int p, bool strict, uint64_t seed);

#endif
