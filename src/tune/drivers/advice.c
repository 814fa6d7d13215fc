/* advice.c - see advice.h. */
#include "tune/drivers/advice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "tune/drivers/driver_private.h"

enum {
    ADVICE,
    BYTES,
    FROM_WISDOM,
    WISE_PS,
    AT_ONCE,
    SEEN_PS,
    PAUSE,
    PASSED,
    OVERHEAD,
    OFF_COSTS, /* atn_deferral */
    OFF_COST,
    OFF_LEFT,
    HEAD
};

/* A line: predicted picoseconds, error, algorithm; native is always the first.
 * Returns the length; candidates that do not fit are left out. */
static int print_set(const atn_candidate_set *f, char *text)
{
    int n = 0;
    for (int i = 0; i < f->n; i++) {
        char name[ATN_NAME_ROOM];
        atn_plan_choice_print(&f->choice[i], name);
        const int room = ATN_DRIVER_TEXT - n;
        const int length = snprintf(text + n, (size_t)room, "%" PRId64 " %d %s\n",
                                    f->is[i].predicted_ps, f->is[i].error, name);
        if (length >= room)
            break;
        n += length;
    }
    text[n] = '\0';
    return n;
}

static bool read_line(atn_operation op, char *line, atn_candidate_set *f)
{
    char *end;
    const int64_t predicted_ps = strtoll(line, &end, 10);
    const int error = (int)strtol(end, &end, 10);
    atn_choice choice;
    if (*end != ' ' || atn_plan_choice_read(op, end + 1, &choice, NULL) != ATN_OK)
        return false;
    atn_tune_candidate_set_add(f, &choice, predicted_ps, error);
    return true;
}

static bool read_set(atn_operation op, char *text, const int64_t head[HEAD],
                     atn_candidate_set *set_p)
{
    atn_candidate_set f = {.from_wisdom = -1, .wisdom_ps = -1};
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL && *line != '\0';)
        if (!read_line(op, line, &f))
            return false;
    f.from_wisdom = head[FROM_WISDOM] < f.n ? (int)head[FROM_WISDOM] : -1;
    f.wisdom_ps = head[WISE_PS];
    f.at_once = head[AT_ONCE] != 0;
    *set_p = f;
    return f.n > 0;
}

/* Time from call to call so far, computation included. */
static int64_t seen_ps(const atn_call_class *x)
{
    return x->calls > 0 ? atn_ticks_ns(atn_ticks() - x->since) / x->calls * 1000 : 0;
}

/* Calls until the next request. */
static int64_t pause_of(const atn_call_class *x)
{
    static const int64_t most = INT32_MAX;
    const int64_t pace_ns = seen_ps(x) / 1000 + 1,
                  calls = atn_tune_costs_of_tuner().wait_ns / pace_ns + 1;
    const int64_t pause = calls > x->calls ? calls : x->calls;
    return pause < most ? pause : most;
}

/* Wisdom is consulted in any case: results that must not change cannot follow it later.  The
 * measurement of arrival times (MEET) has already paid for a plan. */
static void write_advice(atn_driver *d, const atn_call_class *x, int64_t head[HEAD])
{
    const int64_t start = atn_ticks();
    atn_candidate_set f = {.from_wisdom = -1, .wisdom_ps = -1};
    atn_deferral off = {0};
    if (x->calls > 0 && !x->times_arrivals)
        off = atn_tune_costs_of_tuner();
    if (!off.costs)
        head[ADVICE] = d->s.advise(d->s.context, x, &f, &off);
    head[OFF_COSTS] = off.costs;
    head[OFF_COST] = off.cost_ns;
    head[OFF_LEFT] = off.left_ns;
    head[FROM_WISDOM] = f.from_wisdom;
    head[WISE_PS] = f.wisdom_ps;
    head[AT_ONCE] = f.at_once;
    head[SEEN_PS] = seen_ps(x);
    head[PASSED] = atn_tune_driver_passed(d);
    head[OVERHEAD] = atn_tune_driver_overhead(d) + atn_ticks_ns(atn_ticks() - start);
    if (head[ADVICE] == ATN_ADVICE_LATER)
        head[PAUSE] = pause_of(x);
    else if (head[ADVICE] == ATN_ADVICE_ARRIVALS)
        head[PAUSE] = 1;
    else
        head[BYTES] = print_set(&f, d->text);
}

/* Sizes that ranks do not share: the sizes of the current call represent the class. */
static bool average_size(const atn_driver *d, atn_call_class *x)
{
    const bool row = atn_sched_operation_get(x->subject.q.op)->source == ATN_SIDE_ROW;
    const int64_t blocks = (int64_t)d->s.p * (row ? d->s.p : 1);
    int64_t sum = x->volume;
    if (d->s.allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, d->s.comm) != MPI_SUCCESS)
        return false;
    x->mean = sum / blocks;
    return true;
}

static void pause_since(int64_t start)
{
    const int64_t ns = atn_pause_ns(atn_ticks_ns(atn_ticks() - start));
    if (ns > 0)
        nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

/* Rank 0 may plan for milliseconds: the others release the processor, which they may share. */
static bool receive_head(const atn_driver *d, int64_t head[HEAD])
{
    const int64_t start = atn_ticks();
    MPI_Request request;
    int done = 0;
    int code = PMPI_Ibcast(head, HEAD, MPI_INT64_T, 0, d->s.comm, &request);
    while (code == MPI_SUCCESS && !done) {
        code = PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            pause_since(start);
    }
    return code == MPI_SUCCESS;
}

/* Collective; false: there is no text. */
static bool exchange(atn_driver *d, atn_call_class *x, int64_t head[HEAD])
{
    if (x->subject.q.bytes < 0 && !average_size(d, x))
        return false;
    if (d->s.r == 0)
        write_advice(d, x, head);
    if (!receive_head(d, head) || head[BYTES] == 0)
        return false;
    d->s.bcast(d->text, (int)head[BYTES] + 1, MPI_CHAR, 0, d->s.comm);
    return true;
}

atn_advice atn_tune_driver_advice(atn_driver *d, atn_call_class *x, atn_candidate_set *set_p)
{
    int64_t head[HEAD] = {
        [ADVICE] = ATN_ADVICE_LATER, [FROM_WISDOM] = -1, [WISE_PS] = -1, [PAUSE] = 1};
    const bool received = exchange(d, x, head);
    if (!received || !read_set(x->subject.q.op, d->text, head, set_p))
        set_p->n = 0;
    atn_tune_budget_elapsed(&d->tuners.budget, head[PASSED]);
    atn_tune_budget_overhead(&d->tuners.budget, head[OVERHEAD]);
    x->off = (atn_deferral){.costs = head[OFF_COSTS] != 0,
                            .cost_ns = head[OFF_COST],
                            .left_ns = head[OFF_LEFT],
                            .at = x->calls};
    x->seen_ps = head[SEEN_PS];
    x->quiet = received ? 0 : head[PAUSE];
    return (atn_advice)head[ADVICE];
}
