/* classes_exec.c - call classes of a tuning driver: memory for them grows with their number, and if
 * a rank has none, all ranks stop at the same class.  Short calls get a tuner when they have taken
 * a multiple of its cost. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "harness.h"
#include "tune/drivers/driver.h"

/* ---- a lack of memory ---- */

static bool lacking; /* for the next allocation */
static long lacked;

#ifdef __SANITIZE_ADDRESS__
static const bool replaced = false;
#else
static const bool replaced = true;
extern void *__libc_calloc(size_t, size_t);
void *calloc(size_t n, size_t each)
{
    const bool fails = lacking;
    lacked += fails;
    lacking = false;
    return fails ? NULL : __libc_calloc(n, each);
}
#endif

/* ---- the driver ---- */

static atn_advice expect(void *context, const atn_call_class *x)
{
    (void)context, (void)x;
    return ATN_ADVICE_FIXED;
}

static void advised(void *context, const atn_call_class *x, atn_advice advice)
{
    (void)x, (void)advice;
    ++*(int *)context;
}

static atn_driver_setup setup_with(void *context)
{
    return (atn_driver_setup){.p = t_ranks,
                              .r = t_rank,
                              .comm = MPI_COMM_WORLD,
                              .bcast = MPI_Bcast,
                              .allreduce = MPI_Allreduce,
                              .iallreduce = MPI_Iallreduce,
                              .tune = atn_tune_defaults,
                              .context = context};
}

static atn_driver *new_driver(int *count)
{
    atn_driver_setup setup = setup_with(count);
    setup.budget = 20;
    setup.expect = expect;
    setup.advised = advised;
    atn_driver *const d = atn_tune_driver_new(&setup);
    if (d == NULL)
        t_die("no memory for a driver");
    return d;
}

static atn_call_class *class_of(atn_driver *d, int i)
{
    const atn_subject s = {.q = {.op = ATN_BCAST, .p = t_ranks, .bytes = 8},
                           .context = (uint64_t)i};
    return atn_tune_driver_class(d, &s);
}

/* The same class again, at the same address, also after others were added. */
static void check_all(void)
{
    enum { MANY = ATN_TUNERS_MOST + 10 };
    int begun = 0;
    atn_driver *const d = new_driver(&begun);
    atn_call_class *all[MANY];
    for (int i = 0; i < MANY; i++) {
        all[i] = class_of(d, i);
        t_check((all[i] != NULL) == (i < ATN_TUNERS_MOST), "class %d", i);
    }
    for (int i = 0; i < MANY; i++)
        t_check(class_of(d, i) == all[i], "class %d has moved", i);
    t_check(begun == ATN_TUNERS_MOST && atn_tune_driver_classes(d) == begun, "%d classes", begun);
    atn_tune_driver_free(d);
}

/* The last rank has no memory for more than `n` classes when it needs it; later it has. */
static void check_lack(int n)
{
    int begun = 0, least = 0, most = 0;
    atn_driver *const d = new_driver(&begun);
    lacked = 0;
    for (int i = 0; i < ATN_TUNERS_MOST; i++) {
        lacking = i == n && t_rank == t_ranks - 1;
        class_of(d, i);
    }
    lacking = false;
    t_check(t_rank < t_ranks - 1 || lacked == 1, "memory lacked %ld times", lacked);
    MPI_Allreduce(&begun, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&begun, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    t_check(least == n && most == n, "%d to %d classes, expected %d", least, most, n);
    atn_tune_driver_free(d);
}

/* ---- when advice is due ---- */

static atn_advice expect_later(void *context, const atn_call_class *x)
{
    (void)context, (void)x;
    return ATN_ADVICE_LATER;
}

static atn_advice advise_native(void *context, const atn_call_class *x, atn_candidate_set *f,
                                atn_deferral *off_p)
{
    (void)context, (void)off_p;
    atn_tune_candidate_set_make(x->subject.q.op, 0, NULL, f);
    return ATN_ADVICE_FIXED;
}

static void note_advice(void *context, const atn_call_class *x, atn_advice advice)
{
    if (advice == ATN_ADVICE_FIXED)
        *(int64_t *)context = x->calls;
}

/* Without limit of budget. */
static atn_driver *new_adviser(int64_t *advised_at)
{
    atn_driver_setup setup = setup_with(advised_at);
    setup.worth = 5;
    setup.expect = expect_later;
    setup.advise = advise_native;
    setup.advised = note_advice;
    return atn_tune_driver_new(&setup);
}

static int64_t ticks_of(int64_t ns)
{
    int64_t ticks = 1;
    while (atn_ticks_ns(2 * ticks) <= ns)
        ticks *= 2;
    return (int64_t)((double)ns / (double)atn_ticks_ns(ticks) * (double)ticks);
}

/* Calls before advice, if they take `ns` in the mean over ranks and nothing on rank 0. */
static int64_t calls_before_advice(int64_t bytes, int64_t ns)
{
    int64_t at = -1, least = 0, most = 0;
    const int64_t mine = t_ranks == 1 ? ns : t_rank == 0 ? 0 : ns * t_ranks / (t_ranks - 1);
    atn_driver *const d = new_adviser(&at);
    const atn_subject s = {.q = {.op = ATN_BCAST, .p = t_ranks, .bytes = bytes}};
    atn_call_class *const x = d != NULL ? atn_tune_driver_class(d, &s) : NULL;
    for (int i = 0; i < 1000 && at < 0 && x != NULL; i++) {
        atn_turn turn;
        atn_tune_driver_turn(d, x, bytes, &turn);
        atn_tune_driver_note(&turn, ticks_of(mine));
    }
    atn_tune_driver_free(d);
    MPI_Allreduce(&at, &least, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&at, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    t_check(least == most, "advice after %lld to %lld calls", (long long)least, (long long)most);
    return at;
}

static atn_advice advise_arrivals(void *context, const atn_call_class *x, atn_candidate_set *f,
                                  atn_deferral *off_p)
{
    (void)context, (void)x, (void)f, (void)off_p;
    return ATN_ADVICE_ARRIVALS;
}

/* Arrivals are measured at the call after the advice, also of calls that were weighed before. */
static void check_arrivals(void)
{
    int64_t unused = -1;
    atn_driver_setup setup = setup_with(&unused);
    setup.worth = 5;
    setup.expect = expect_later;
    setup.advise = advise_arrivals;
    setup.advised = note_advice;
    atn_driver *const d = atn_tune_driver_new(&setup);
    const atn_subject s = {.q = {.op = ATN_BCAST, .p = t_ranks, .bytes = 8}};
    atn_call_class *const x = d != NULL ? atn_tune_driver_class(d, &s) : NULL;
    int calls = 0;
    for (; calls < 100 && x != NULL && !x->times_arrivals; calls++) {
        atn_turn turn;
        atn_tune_driver_turn(d, x, 8, &turn);
        atn_tune_driver_note(&turn, ticks_of(1000000));
    }
    t_check(x != NULL && calls == 32, "advice in call %d", calls);
    t_check(x != NULL && atn_tune_driver_times_arrivals(x), "arrivals are not measured at once");
    atn_tune_driver_free(d);
}

/* A tuner is expected to cost 3 ms. */
static void check_worth(void)
{
    const int64_t of_long = calls_before_advice(ATN_SHORT_BYTES, 100000),
                  of_short = calls_before_advice(8, 1000000),
                  of_shorter = calls_before_advice(8, 100000),
                  of_shortest = calls_before_advice(8, 1000);
    t_check(of_long == 1, "long calls: %lld", (long long)of_long);
    t_check(of_short == 31, "calls of 1 ms: %lld", (long long)of_short);
    t_check(of_shorter > 140 && of_shorter < 160, "calls of 100 us: %lld", (long long)of_shorter);
    t_check(of_shortest == -1, "calls of 1 us: %lld", (long long)of_shortest);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(60);
    t_point("advice when it is worth it");
    check_worth();
    check_arrivals();
    t_point("all classes");
    check_all();
    t_point("a rank without memory");
    if (!replaced)
        t_skip("allocations cannot be replaced");
    for (int n = 4; replaced && n < ATN_TUNERS_MOST; n *= 2)
        check_lack(n);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
