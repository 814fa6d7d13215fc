/* wait.c - see wait.h. */
#include "shm/wait.h"

#include <sched.h>

#include "base/clock.h"

/* A sleep and its end cost some ten microseconds, so only much longer waits end in one.  A nap is
 * short at first and limited, because no sleeper makes progress with MPI. */
static const int64_t awake_ns = 500000, first_nap_ns = 50000, longest_nap_ns = 1000000;
enum { PROGRESS_EVERY = 16 };
/* Where yielding hands the core over, the awaited rank has run after a few yields.  Schedulers that
 * pick by deadline (Linux 6.6 and later) may return to the same process for milliseconds; a sleep
 * always hands it over. */
enum { YIELDS = 32 };

static bool is_long(const atn_shm_wait *w)
{
    if (w->how->yields && w->pauses > ATN_SHM_SPINS_YIELDING + YIELDS)
        return true;
    return atn_ticks_ns(atn_ticks() - w->since) > awake_ns;
}

/* Armed at one pause, so that the caller polls once more, and asleep at the next. */
static void nap(atn_shm_wait *w)
{
    if (!w->armed && w->how->bells) {
        atn_shm_bell_arm(w->how->bell);
        w->armed = true;
        return;
    }
    if (!w->armed)
        atomic_store_explicit(&w->how->bell->armed, 1, memory_order_relaxed);
    atn_shm_bell_sleep(w->how->bell, w->nap);
    atn_shm_wait_end(w);
    w->nap = w->nap < longest_nap_ns ? 2 * w->nap : longest_nap_ns;
}

void atn_shm_wait_longer(atn_shm_wait *w)
{
    if (w->pauses % PROGRESS_EVERY == 0 && w->how->progress != NULL)
        w->how->progress(w->how->context);
    if (w->since == 0) {
        w->since = atn_ticks();
        w->nap = first_nap_ns;
    }
    if (w->pauses % PROGRESS_EVERY < 2 && is_long(w))
        nap(w);
    else if (w->how->yields)
        sched_yield();
    else
        atn_shm_relax();
}

void atn_shm_wait_end(atn_shm_wait *w)
{
    if (w->armed || !w->how->bells)
        atn_shm_bell_disarm(w->how->bell);
    w->armed = false;
}
