/* allowance.c - see allowance.h. */
#include "tune/allowance.h"

#include <math.h>

/* Calls of large messages are slow; those of small ones need more repetitions. */
static double weight(int64_t bytes) { return sqrt((double)bytes + 1024); }

void atn_tune_allowance_expect(atn_allowance *a, int64_t bytes) { a->weights += weight(bytes); }

void atn_tune_allowance_begin(atn_allowance *a, int64_t bytes)
{
    a->weights = fmax(0, a->weights - weight(bytes));
}

double atn_tune_allowance_share(const atn_allowance *a, double spent_s, int64_t bytes)
{
    const double left = a->seconds - spent_s, own = weight(bytes);
    return a->seconds > 0 ? fmax(left, 0) * own / (a->weights + own) : INFINITY;
}
