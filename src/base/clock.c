/* clock.c - see clock.h. */
#include "base/clock.h"

#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool atn_clock_counts;
static int64_t start_ticks, start_ns;
static double (*replacement)(void);

static int64_t read_ns(clockid_t clock)
{
    struct timespec t;
    if (replacement != NULL)
        return (int64_t)(replacement() * 1e9);
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t atn_clock_kernel_ns(void) { return read_ns(CLOCK_MONOTONIC); }
int64_t atn_clock_thread_ns(void) { return read_ns(CLOCK_THREAD_CPUTIME_ID); }

/* Whether the counter rate is independent of the processor's frequency and sleep states. */
static bool counter_is_steady(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & 1u << 8) != 0;
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

void atn_clock_replace(double (*seconds)(void))
{
    replacement = seconds;
    atn_clock_counts = false;
}

void atn_clock_start(void)
{
    if (start_ns != 0 || replacement != NULL)
        return;
    atn_clock_counts = counter_is_steady();
    start_ticks = atn_ticks();
    start_ns = atn_clock_kernel_ns();
}

/* The rate since the start, which is long ago compared with the time to read both clocks. */
int64_t atn_ticks_ns(int64_t ticks)
{
    if (!atn_clock_counts || ticks <= 0)
        return ticks > 0 ? ticks : 0;
    int64_t now_ticks = atn_ticks(), now_ns = atn_clock_kernel_ns();
    while (now_ns - start_ns < 100000) {
        now_ticks = atn_ticks();
        now_ns = atn_clock_kernel_ns();
    }
    const __int128 ns = (__int128)ticks * (now_ns - start_ns) / (now_ticks - start_ticks);
    return (int64_t)ns;
}

int64_t atn_pause_ns(int64_t waited_ns)
{
    static const int64_t at_once_ns = 50000, most_ns = 300000;
    enum { PART = 8 };
    if (waited_ns <= at_once_ns)
        return 0;
    return waited_ns / PART < most_ns ? waited_ns / PART : most_ns;
}
