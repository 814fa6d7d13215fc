/* clock.c - see clock.h. */
#include "tracer/clock.h"

#include <stdio.h>
#include <string.h>

struct atn_tick_rate atn_tracer_tick_rate;
_Thread_local atn_clock_reading atn_tracer_last_reading;

static atn_clock_reading first;
static const int64_t too_short_ns = 2000000, span_ns = 1000000, disturbed_ns = 1000;

/* Of several attempts, the one with the shortest interruption. */
static atn_clock_reading read_both(void)
{
    atn_clock_reading best = {0};
    int64_t least = INT64_MAX;
    for (int i = 0; i < 8; i++) {
        const int64_t before = atn_ticks(), ns = atn_clock_kernel_ns();
        const int64_t between = atn_ticks() - before;
        if (between >= 0 && between < least) {
            least = between;
            best = (atn_clock_reading){before + between / 2, ns};
        }
    }
    return best;
}

/* Threads migrate between cores, whose counters must agree: the kernel checks this before it uses
 * the counter as its clock source. */
static bool kernel_uses_counter(void)
{
    char name[32] = "";
    FILE *const f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
    if (f == NULL)
        return false;
    const bool read = fscanf(f, "%31s", name) == 1;
    fclose(f);
    return read && (strcmp(name, "tsc") == 0 || strcmp(name, "arch_sys_counter") == 0);
}

void atn_tracer_tick_rate_begin(void)
{
    atn_clock_start();
    first = read_both();
}

void atn_tracer_tick_rate_end(void)
{
    if (atn_tracer_tick_rate.span != 0 || !kernel_uses_counter())
        return;
    const atn_clock_reading now = read_both();
    const int64_t ns = now.ns - first.ns, ticks = now.ticks - first.ticks;
    if (ns < too_short_ns || ticks <= 0 || first.ticks == 0 || ticks / 16 > ns || ns / 1024 > ticks)
        return;
    const __int128 whole = (__int128)ns << 32;
    atn_tracer_tick_rate.scale = (uint64_t)(whole / ticks);
    atn_tracer_tick_rate.span = (uint64_t)((__int128)span_ns * ticks / ns);
}

/* A reading that was interrupted between the clock and the counter is not used for
 * interpolation. */
int64_t atn_tracer_read_clock(void)
{
    const int64_t before = atn_ticks(), ns = atn_clock_kernel_ns();
    const int64_t between = atn_ticks() - before;
    const bool sound =
        atn_tracer_tick_rate.span != 0 && between >= 0 &&
        (int64_t)((uint64_t)between * atn_tracer_tick_rate.scale >> 32) < disturbed_ns;
    atn_tracer_last_reading =
        sound ? (atn_clock_reading){before + between / 2, ns} : (atn_clock_reading){0};
    return ns;
}
