/* published.c - see published.h. */
#include "research/taulop/published.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SEGMENTS = 4096 };

/* ---- broadcast of the component sm ---- */

/* The father of rank r is (r - 1) / degree. */
static int level(int rank, int degree)
{
    int d = 0;
    for (; rank > 0; rank = (rank - 1) / degree)
        d++;
    return d;
}

/* A rank copies its father's segment into its own buffer, then to its user; the next segment
 * follows two stages later.  A leaf has no buffer: on the deepest level it copies at once. */
int atn_tau_sm_stages(int p, int degree, int k, int *tau)
{
    const int deepest = level(p - 1, degree), n = deepest + 2 * k;
    for (int i = 0; i < n; i++)
        tau[i] = 0;
    for (int r = 0; r < p; r++) {
        const int d = level(r, degree);
        const bool leaf = (int64_t)degree * r + 1 >= p;
        for (int j = 0; j < k; j++) {
            tau[d + 2 * j] += r == 0 || !leaf || d == deepest;
            if (r > 0 && (!leaf || d < deepest))
                tau[d + 1 + 2 * j]++;
        }
    }
    return n;
}

/* count[t]: stages in which t ranks copy.  False: out of memory. */
static bool count_stages(const atn_tau_instance *x, int k, int *count)
{
    int *tau = malloc(sizeof *tau * ((size_t)ATN_TAU_LEVELS + 2 * (size_t)k));
    if (!tau)
        return false;
    memset(count, 0, sizeof *count * ((size_t)x->p + 1));
    const int n = atn_tau_sm_stages(x->p, x->degree, k, tau);
    for (int i = 0; i < n; i++)
        count[tau[i]]++;
    free(tau);
    return true;
}

/* Once all levels are busy, every further segment adds the same stages: more[t] of count[t]. */
static void write_stages(FILE *f, int p, int k, const int *count, const int *more)
{
    const char *plus = "";
    for (int t = 1; t <= p; t++) {
        const int by = more[t] - count[t], rest = count[t] - k * by;
        if (count[t] == 0 && more[t] == 0)
            continue;
        if (by == 0)
            fprintf(f, "%s%d*L0(S,%d)", plus, count[t], t);
        else
            fprintf(f, "%s(%d*k %c %d)*L0(S,%d)", plus, by, rest < 0 ? '-' : '+', abs(rest), t);
        plus = " + ";
    }
}

static bool write_bcast(FILE *f, const atn_tau_instance *x)
{
    const int k = x->segments ? x->segments : level(x->p - 1, x->degree) + 2;
    int *count = calloc(2 * ((size_t)x->p + 1), sizeof *count);
    int *more = count ? count + x->p + 1 : NULL;
    const bool whole =
        count && count_stages(x, k, count) && count_stages(x, x->segments ? k : k + 1, more);
    if (whole)
        write_stages(f, x->p, k, count, more);
    free(count);
    return whole;
}

/* ---- reductions ---- */

static void write_times(FILE *f, int segments)
{
    if (segments)
        fprintf(f, "%d", segments);
    else
        fputc('k', f);
}

/* All but the root copy a segment to the common area; the root copies that of the last rank to its
 * result and combines it with the others and its own. */
static bool write_reduce(FILE *f, const atn_tau_instance *x)
{
    write_times(f, x->segments);
    fprintf(f, "*[L0(S,%d) + L0(S,1) + %d*g(S,1)]", x->p - 1, x->p - 1);
    return true;
}

/* Broadcast along a binomial tree, whose last stage may have fewer messages. */
static void write_binomial(FILE *f, int p, const char *size)
{
    for (int n = 1; n < p; n *= 2)
        fprintf(f, " + %d||T0(%s)", atn_min(n, p - n), size);
}

/* The root gathers the addresses (of a bytes) of all operands and distributes them, then that of
 * the result; every thread reduces its part of all operands; all wait for each other. */
static bool write_threads(FILE *f, const atn_tau_instance *x)
{
    char all[16];
    snprintf(all, sizeof all, "%da", x->p);
    fprintf(f, "%d*T0(a)", x->p - 1);
    write_binomial(f, x->p, all);
    write_binomial(f, x->p, "a");
    fprintf(f, " + %d*g(m/%d,%d)", x->p, x->p, x->p);
    write_binomial(f, x->p, "0");
    return true;
}

/* ---- the table ---- */

static const atn_tau_published table[] = {
    {"sm_bcast", "broadcast of Open MPI's component sm", false, write_bcast},
    {"sm_reduce", "reduction of Open MPI's component sm", false, write_reduce},
    {"azequia_reduce", "reduction by threads, of AzequiaMPI", true, write_threads},
};

const atn_tau_published *atn_tau_published_find(const char *operand)
{
    const size_t n = strcspn(operand, "{");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i].name) == n && memcmp(table[i].name, operand, n) == 0)
            return &table[i];
    return NULL;
}

static atn_status invalid(const char *operand, const char *at, atn_error *err)
{
    return atn_fail(err, ATN_USAGE,
                    "%s: '%s': parameters are degree=2 to 1024 and segments=1 to %d, as in "
                    "sm_bcast{degree=2,segments=4}",
                    operand, at, MAX_SEGMENTS);
}

atn_status atn_tau_published_parse(const char *operand, atn_tau_instance *x, atn_error *err)
{
    static const struct {
        const char *name;
        int least, most;
    } known[] = {{"degree=", 2, 1024}, {"segments=", 1, MAX_SEGMENTS}};
    int *const to[] = {&x->degree, &x->segments};
    const char *at = strchr(operand, '{');
    while (at && *at != '}') {
        size_t i = 0;
        at++;
        while (i < 2 && strncmp(at, known[i].name, strlen(known[i].name)) != 0)
            i++;
        if (i == 2)
            return invalid(operand, at, err);
        char *end;
        const long v = strtol(at + strlen(known[i].name), &end, 10);
        if (v < known[i].least || v > known[i].most || (*end != ',' && *end != '}'))
            return invalid(operand, at, err);
        *to[i] = (int)v;
        at = end;
    }
    return at && at[1] ? invalid(operand, at, err) : ATN_OK;
}

char *atn_tau_published_text(const atn_tau_published *of, const atn_tau_instance *x)
{
    char *text = NULL;
    size_t size;
    FILE *f = atn_open_text(&text, &size);
    const bool whole = f && of->write(f, x);
    if ((!f || fclose(f) != 0 || !whole)) {
        free(text);
        return NULL;
    }
    return text;
}
