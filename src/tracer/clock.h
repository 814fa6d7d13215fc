/* clock.h - CLOCK_MONOTONIC at the cost of reading the processor's counter.  Reading the clock is
 * half of the overhead of recording a call.
 *
 * A thread reads the clock once per millisecond and interpolates with the counter in between.
 * Where the kernel does not use the counter as its clock source, the clock is read every time. */
#ifndef ATN_TRACER_CLOCK_H
#define ATN_TRACER_CLOCK_H

#include "base/clock.h"
#include "interpose/interpose.h"

typedef struct {
    int64_t ticks, ns; /* both, read at the same time */
} atn_clock_reading;

extern struct atn_tick_rate {
    uint64_t span;  /* ticks for which a reading is valid; 0: do not interpolate */
    uint64_t scale; /* ns of a tick, times 2^32 */
} atn_tracer_tick_rate ATN_HIDDEN;
extern _Thread_local atn_clock_reading atn_tracer_last_reading ATN_HIDDEN
    __attribute__((tls_model("initial-exec")));

/* Measures the rate between the two calls. */
void atn_tracer_tick_rate_begin(void);
void atn_tracer_tick_rate_end(void);
/* Reads the clock. */
int64_t atn_tracer_read_clock(void);

static inline int64_t atn_tracer_now(void)
{
    const uint64_t ticks = (uint64_t)(atn_ticks() - atn_tracer_last_reading.ticks);
    return __builtin_expect(ticks < atn_tracer_tick_rate.span, 1)
               ? atn_tracer_last_reading.ns + (int64_t)(ticks * atn_tracer_tick_rate.scale >> 32)
               : atn_tracer_read_clock();
}

static inline int64_t atn_tracer_took_ns(int64_t ticks)
{
    return (uint64_t)ticks < atn_tracer_tick_rate.span
               ? (int64_t)((uint64_t)ticks * atn_tracer_tick_rate.scale >> 32)
               : atn_ticks_ns(ticks);
}

#endif
