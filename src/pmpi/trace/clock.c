/* clock.c - see clock.h. */
#include "pmpi/trace/clock.h"

#include <stdio.h>
#include <string.h>

struct atn_rate atn_rate;
_Thread_local atn_moment atn_looked;

static atn_moment first;
static const int64_t too_short_ns = 2000000, span_ns = 1000000, disturbed_ns = 1000;

/* Both at once, as far as possible: of some attempts the one that was disturbed least. */
static atn_moment look_well(void)
{
    atn_moment best = {0};
    int64_t least = INT64_MAX;
    for (int i = 0; i < 8; i++) {
        const int64_t before = atn_ticks(), ns = atn_clock_kernel_ns();
        const int64_t between = atn_ticks() - before;
        if (between >= 0 && between < least) {
            least = between;
            best = (atn_moment){before + between / 2, ns};
        }
    }
    return best;
}

/* A thread may wander between processors: their counters must agree, which the kernel knows. */
static bool kernel_counts(void)
{
    char name[32] = "";
    FILE *const f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
    if (f == NULL)
        return false;
    const bool read = fscanf(f, "%31s", name) == 1;
    fclose(f);
    return read && (strcmp(name, "tsc") == 0 || strcmp(name, "arch_sys_counter") == 0);
}

void atn_rate_begin(void)
{
    atn_clock_start();
    first = look_well();
}

void atn_rate_end(void)
{
    if (atn_rate.span != 0 || !kernel_counts())
        return;
    const atn_moment now = look_well();
    const int64_t ns = now.ns - first.ns, ticks = now.ticks - first.ticks;
    if (ns < too_short_ns || ticks <= 0 || first.ticks == 0 || ticks / 16 > ns || ns / 1024 > ticks)
        return;
    const __int128 whole = (__int128)ns << 32;
    atn_rate.scale = (uint64_t)(whole / ticks);
    atn_rate.span = (uint64_t)((__int128)span_ns * ticks / ns);
}

/* Whoever was interrupted between the clock and the counter must not believe it for long. */
int64_t atn_look(void)
{
    const int64_t before = atn_ticks(), ns = atn_clock_kernel_ns();
    const int64_t between = atn_ticks() - before;
    const bool sound = atn_rate.span != 0 && between >= 0 &&
                       (int64_t)((uint64_t)between * atn_rate.scale >> 32) < disturbed_ns;
    atn_looked = sound ? (atn_moment){before + between / 2, ns} : (atn_moment){0};
    return ns;
}
