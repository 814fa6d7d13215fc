/* history.c - what it costs to remember a collective call for foresight, and to ask about a kind:
 * programs that go round 1, 8 or 100 sizes.  Prints CSV: kinds, ns to add a call, ns to ask (once
 * for a kind that comes again, once for one that does not). */
#include <stdlib.h>
#include <time.h>

#include "predict/history.h"

enum { REPEATS = 9, CALLS = 200000, QUESTIONS = 200 };

/* Of this process: others may be at work. */
static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static bool is_small(const void *context, const atn_problem *q)
{
    return q->bytes < *(const int64_t *)context;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double v[REPEATS])
{
    qsort(v, REPEATS, sizeof *v, ascending);
    return v[REPEATS / 2];
}

static double time_adding(atn_history *h, int kinds)
{
    const double start = now_ns();
    for (int i = 0; i < CALLS; i++) {
        const atn_problem q = {.op = ATN_ALLREDUCE, .p = 2, .root = -1, .bytes = 8 + i % kinds};
        atn_history_add(h, &q);
    }
    return (now_ns() - start) / CALLS;
}

static double time_asking(atn_history *h, int64_t below, atn_outlook expected)
{
    int right = 0;
    const double start = now_ns();
    for (int i = 0; i < QUESTIONS; i++)
        right += atn_history_outlook(h, is_small, &below) == expected;
    const double ns = (now_ns() - start) / QUESTIONS;
    return right == QUESTIONS ? ns : -1;
}

static bool time_kinds(int kinds)
{
    double add[REPEATS], comes[REPEATS], absent[REPEATS];
    atn_history *h = atn_history_make();
    if (!h)
        return false;
    for (int i = 0; i < REPEATS; i++) {
        add[i] = time_adding(h, kinds);
        comes[i] = time_asking(h, 9, ATN_OUTLOOK_COMES);
        absent[i] = time_asking(h, 8, ATN_OUTLOOK_ABSENT);
    }
    printf("%d,%.1f,%.1f,%.1f\n", kinds, median(add), median(comes), median(absent));
    atn_history_free(h);
    return true;
}

int main(void)
{
    puts("kinds,add_ns,comes_ns,absent_ns");
    return time_kinds(1) && time_kinds(8) && time_kinds(100) ? 0 : 4;
}
