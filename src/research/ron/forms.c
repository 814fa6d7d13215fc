/* forms.c - see forms.h. */
#include "research/ron/forms.h"

#include <math.h>
#include <string.h>

/* ---- reach of a broadcast ---- */

static int64_t plus(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }
static int64_t times(int64_t a, int64_t b)
{
    return a > 0 && b > INT64_MAX / a ? INT64_MAX : a * b;
}

enum { MAX_STEPS = 4096 };

int atn_ron_steps(int k, int d, int64_t n)
{
    int64_t reached[MAX_STEPS + 1] = {1};
    int s = 0;

    while (reached[s] < n && s < MAX_STEPS) {
        s++;
        reached[s] = plus(times(k, reached[s - 1]), s > d + 1 ? reached[s - d - 1] : 1);
    }
    return s;
}

int64_t atn_ron_height(int k, int64_t n)
{
    int64_t nodes = 1, level = 1, h = 0;

    if (k == 1)
        return n - 1;
    while (nodes < n) {
        level = times(level, k);
        nodes = plus(nodes, level);
        h++;
    }
    return h;
}

int atn_ron_levels(int base, int64_t n)
{
    int levels = 0;
    for (int64_t reach = 1; reach < n; reach = times(reach, base))
        levels++;
    return levels;
}

int atn_ron_best_steps(int64_t n, int k, double d)
{
    const int all = atn_ron_levels(k + 1, n);
    double x = 1;
    int i = 0;

    for (; i < all && x < d; i++)
        x *= k + 1;
    return i;
}

/* ---- formulas ---- */

static double rounds(int64_t n, int k) { return ceil((double)(n - 1) / k); }

static double naive(int64_t n, int k, double d, int more)
{
    (void)more;
    return (d + 1) * rounds(n, k);
}
static double b1(int64_t n, int k, double d, int more)
{
    (void)more;
    return (d + 1) * (double)atn_ron_height(k, n);
}
static double b2(int64_t n, int k, double d, int more)
{
    (void)more;
    return (d + 1) * atn_ron_levels(k + 1, n);
}
static double b3(int64_t n, int k, double d, int more)
{
    (void)more;
    return d + (double)atn_ron_height(k, n);
}
static double b4(int64_t n, int k, double d, int more)
{
    (void)more;
    return atn_ron_steps(k, (int)d, n);
}
static double mb1(int64_t n, int k, double d, int more)
{
    return more * (d + atn_ron_steps(k, (int)d, n));
}
static double mb2(int64_t n, int k, double d, int more)
{
    return d + more * (double)atn_ron_height(k, n);
}
static double mb3(int64_t n, int k, double d, int more)
{
    return d + (double)atn_ron_height(k, n) + more - 1;
}
/* Scatter and gossip: all but one block through k ports, one reconfiguration per level. */
static double s2(int64_t n, int k, double d, int more)
{
    (void)more;
    return (double)(n - 1) / k + d * atn_ron_levels(k + 1, n);
}
static double te2(int64_t n, int k, double d, int more)
{
    (void)more;
    return (d + (double)n / (k + 1)) * atn_ron_levels(k + 1, n);
}
static double te3(int64_t n, int k, double d, int more)
{
    const double x = pow(k + 1, more);
    return more * (d + (double)n / (k + 1)) + ((double)n / x - 1) / k * (d + x);
}

static const atn_ron_form forms[] = {
    {"naive", "bcast", 'A', "(d+1) ceil((N-1)/k)", "bcast/linear", ATN_RON_DEMAND, naive},
    {"B1", "bcast", 'A', "(d+1) h", "bcast/kary{arity=%k}", ATN_RON_DEMAND, b1},
    {"B2", "bcast", 'A', "(d+1) ceil(log_{k+1} N)", "bcast/knomial{radix=%r}", ATN_RON_DEMAND, b2},
    {"B3", "bcast", 'A', "d + h", "bcast/kary{arity=%k}", ATN_RON_EARLY, b3},
    {"B4", "bcast", 'A', "S: the first s with N(s) >= N", "bcast/circuit{ports=%k,delay=%d}",
     ATN_RON_PRESET, b4},
    {"MB1", "multi-broadcast", 'A', "M (d + S)", "bcast/circuit{ports=%k,delay=%d}", ATN_RON_EARLY,
     mb1},
    {"MB2", "multi-broadcast", 'A', "d + M h", "bcast/kary{arity=%k}", ATN_RON_EARLY, mb2},
    {"MB3", "multi-broadcast", 'A', "d + h + M - 1", "bcast/kary{arity=%k}", ATN_RON_EARLY, mb3},
    {"S1", "scatter", 'B', "(d+1) ceil((N-1)/k)", "scatter/linear", ATN_RON_ANEW, naive},
    {"S2", "scatter", 'B', "(N-1)/k + d log_{k+1} N", "scatter/knomial{radix=%r}", ATN_RON_ANEW,
     s2},
    {"GA", "gather", 'B', "(N-1)/k + d log_{k+1} N", "gather/knomial{radix=%r}", ATN_RON_ANEW, s2},
    {"G1", "allgather", 'B', "(d+1) ceil((N-1)/k)", "allgather/spread", ATN_RON_ANEW, naive},
    {"G2", "allgather", 'B', "(N-1)/k + d log_{k+1} N", "allgather/bruck{radix=%r}", ATN_RON_ANEW,
     s2},
    {"TE1", "alltoall", 'B', "(d+1) ceil((N-1)/k)", "alltoall/spread", ATN_RON_ANEW, naive},
    {"TE2", "alltoall", 'B', "(d + N/(k+1)) log_{k+1} N", "alltoall/bruck{radix=%r}", ATN_RON_ANEW,
     te2},
    {"TE3", "alltoall", 'B', "i (d + N/(k+1)) + (N/(k+1)^i - 1) (d + (k+1)^i) / k",
     "alltoall/hybrid{steps=%i,radix=%r}", ATN_RON_ANEW, te3},
};

const atn_ron_form *atn_ron_form_find(const char *name)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return NULL;
}

/* Special cases are other rows of the catalogue: a tree of arity 1 is a chain, a total exchange
 * without standard steps is direct. */
static const char *template_of(const atn_ron_form *f, int k, int more)
{
    if (k == 1 && strncmp(f->row, "bcast/kary", 10) == 0)
        return "bcast/chain{chains=1}";
    if (more == 0 && strstr(f->row, "%i"))
        return "alltoall/spread";
    return f->row;
}

static int value_of(char letter, int k, double d, int more)
{
    switch (letter) {
    case 'k':
        return k;
    case 'r':
        return k + 1;
    case 'd':
        return (int)lround(d);
    default:
        return more;
    }
}

void atn_ron_form_row(const atn_ron_form *f, int k, double d, int more, char *out, size_t size)
{
    size_t n = 0;

    for (const char *at = template_of(f, k, more); *at && n + 1 < size; at++) {
        if (*at == '%')
            n += (size_t)snprintf(out + n, size - n, "%d", value_of(*++at, k, d, more));
        else
            out[n++] = *at;
    }
    out[n < size ? n : size - 1] = '\0';
}
