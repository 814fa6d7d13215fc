/* clock.h - the processor's counter, for times of single calls: a few nanoseconds to read.
 *
 * Counters that may stop or change their rate are not used; the kernel's clock then takes their
 * place.  Ticks of different processors must not be compared. */
#ifndef ATN_CLOCK_H
#define ATN_CLOCK_H

#include "base/base.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Whether the processor has a counter that can be used; set by atn_clock_start. */
extern bool atn_clock_counts;

/* Before the first tick is read; again is harmless. */
void atn_clock_start(void);
int64_t atn_clock_kernel_ns(void);

static inline int64_t atn_ticks(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(atn_clock_counts, 1))
        return (int64_t)__rdtsc();
#elif defined(__aarch64__)
    int64_t ticks;
    __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
    return atn_clock_kernel_ns();
}

/* A difference of ticks as nanoseconds; more exact the longer ago the start was. */
int64_t atn_ticks_ns(int64_t ticks);

/* How long to sleep before looking again for what has been awaited for so long: a part of that, so
 * that its end is noticed late by no more; 0: short waits are not slept through. */
int64_t atn_pause_ns(int64_t waited_ns);

#endif
