/* history.c - cost of recording a collective call for call prediction, and of a query: programs
 * that cycle through 1, 8 or 100 message sizes.  Prints CSV: sizes, ns to add a call, ns of a query
 * for a call that recurs, ns of a query for one that does not. */
#include <stdlib.h>
#include <time.h>

#include "predict/history.h"

enum { REPEATS = 9, CALLS = 200000, QUERIES = 200 };

/* Processor time, which other processes do not affect. */
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

static double time_adding(atn_history *h, int sizes)
{
    const double start = now_ns();
    for (int i = 0; i < CALLS; i++) {
        const atn_problem q = {.op = ATN_ALLREDUCE, .p = 2, .root = -1, .bytes = 8 + i % sizes};
        atn_predict_history_add(h, &q);
    }
    return (now_ns() - start) / CALLS;
}

static double time_query(atn_history *h, int64_t below, atn_outlook expected)
{
    int right = 0;
    const double start = now_ns();
    for (int i = 0; i < QUERIES; i++)
        right += atn_predict_history_outlook(h, is_small, &below) == expected;
    const double ns = (now_ns() - start) / QUERIES;
    return right == QUERIES ? ns : -1;
}

static bool time_sizes(int sizes)
{
    double add[REPEATS], comes[REPEATS], absent[REPEATS];
    atn_history *h = atn_predict_history_make();
    if (!h)
        return false;
    for (int i = 0; i < REPEATS; i++) {
        add[i] = time_adding(h, sizes);
        comes[i] = time_query(h, 9, ATN_OUTLOOK_COMES);
        absent[i] = time_query(h, 8, ATN_OUTLOOK_ABSENT);
    }
    printf("%d,%.1f,%.1f,%.1f\n", sizes, median(add), median(comes), median(absent));
    atn_predict_history_free(h);
    return true;
}

int main(void)
{
    puts("kinds,add_ns,comes_ns,absent_ns");
    return time_sizes(1) && time_sizes(8) && time_sizes(100) ? 0 : 4;
}
