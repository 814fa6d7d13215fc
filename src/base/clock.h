/* clock.h - the processor's time stamp counter, for timing single calls in a few nanoseconds.
 *
 * Counters that may stop or change their rate are not used; the kernel's clock replaces them.
 * Ticks of different processors must not be compared.  In a simulation, the simulated time replaces
 * all of these clocks. */
#ifndef ATN_BASE_CLOCK_H
#define ATN_BASE_CLOCK_H

#include "base/base.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Whether the processor has a usable counter; set by atn_clock_start. */
extern bool atn_clock_counts;

/* Call before the first tick is read; further calls are harmless. */
void atn_clock_start(void);
/* Uses this clock instead of the machine's, for ticks, too.  Call before all others. */
void atn_clock_replace(double (*seconds)(void));
int64_t atn_clock_kernel_ns(void);
/* Time that the calling thread has used: what it works, however many share the processor. */
int64_t atn_clock_thread_ns(void);

static inline int64_t atn_ticks(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(atn_clock_counts, 1))
        return (int64_t)__rdtsc();
#elif defined(__aarch64__)
    if (__builtin_expect(atn_clock_counts, 1)) {
        int64_t ticks;
        __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
    }
#endif
    return atn_clock_kernel_ns();
}

/* A difference of ticks in nanoseconds; more accurate the longer ago the start was. */
int64_t atn_ticks_ns(int64_t ticks);

/* How long to sleep before polling again after waiting for `waited_ns`: a fraction of it, which
 * bounds the delay in noticing the end; 0: poll again at once, for short waits. */
int64_t atn_pause_ns(int64_t waited_ns);

#endif
