/* clock.h - the kernel's CLOCK_MONOTONIC at the price of the processor's counter: looking at a
 * clock is half of what recording a call costs.
 *
 * A thread looks at the clock once in a millisecond and in between lets the counter tell how much
 * later it is.  Where the kernel itself does not trust the counter, the clock is always asked. */
#ifndef ATN_TRACE_CLOCK_H
#define ATN_TRACE_CLOCK_H

#include "base/clock.h"
#include "pmpi/real.h"

typedef struct {
    int64_t ticks, ns; /* a look at both */
} atn_moment;

extern struct atn_rate {
    uint64_t span;  /* ticks that a look is good for; 0: none */
    uint64_t scale; /* ns of a tick, times 2^32 */
} atn_rate ATN_HIDDEN;
extern _Thread_local atn_moment atn_looked ATN_HIDDEN __attribute__((tls_model("initial-exec")));

/* Begins to find out the rate; ends, a while later. */
void atn_rate_begin(void);
void atn_rate_end(void);
/* Looks at the clock. */
int64_t atn_look(void);

static inline int64_t atn_now(void)
{
    const uint64_t ticks = (uint64_t)(atn_ticks() - atn_looked.ticks);
    return __builtin_expect(ticks < atn_rate.span, 1)
               ? atn_looked.ns + (int64_t)(ticks * atn_rate.scale >> 32)
               : atn_look();
}

static inline int64_t atn_took_ns(int64_t ticks)
{
    return (uint64_t)ticks < atn_rate.span ? (int64_t)((uint64_t)ticks * atn_rate.scale >> 32)
                                           : atn_ticks_ns(ticks);
}

#endif
