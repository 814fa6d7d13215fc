/* bench.c - medians, intervals and ratios of a benchmark. */
#include "report/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- from samples to rows ---- */

enum { ALL = 0, ODD = 1, EVEN = 2 };

/* The samples of a half: all, the 1st, 3rd ... (ODD) or the 2nd, 4th ... (EVEN).  A lone sample is
 * its own even half. */
static int first_of(const atn_times *t, int half) { return half == EVEN && t->n > 1; }
static int step_of(int half) { return half == ALL ? 1 : 2; }

/* A number of sample i. */
typedef double (*value_fn)(const atn_variant *v, int i);

static double seconds_of(const atn_variant *v, int i) { return v->seconds.v[i]; }
static double compute_of(const atn_variant *v, int i) { return v->overlaps.v[i].compute_s; }
static double overall_of(const atn_variant *v, int i) { return v->overlaps.v[i].overall_s; }

/* The share of the call that the computation hides, in percent. */
static double overlap_of(const atn_variant *v, int i)
{
    const atn_overlap_sample *const o = &v->overlaps.v[i];
    return fmax(0, 100 * (1 - (o->overall_s - o->compute_s) / v->seconds.v[i]));
}

static double interference_of(const atn_variant *v, int i)
{
    return v->overlaps.v[i].inside_s / v->overlaps.v[i].compute_s;
}

/* n is 0 without memory. */
static atn_estimate estimate(const atn_variant *v, value_fn value, int half, int *n_p)
{
    double *copy = malloc(sizeof *copy * (size_t)v->seconds.n);
    int n = 0;
    for (int i = first_of(&v->seconds, half); copy != NULL && i < v->seconds.n; i += step_of(half))
        copy[n++] = value(v, i);
    const atn_estimate e = n > 0 ? atn_median(copy, n) : (atn_estimate){0};
    free(copy);
    *n_p = n;
    return e;
}

/* How a sample i differs from sample k of native in the same round. */
typedef double (*difference_fn)(const atn_variant *v, int i, const atn_variant *native, int k);

static double ratio_of(const atn_variant *v, int i, const atn_variant *native, int k)
{
    return v->seconds.v[i] / native->seconds.v[k];
}

static double points_of(const atn_variant *v, int i, const atn_variant *native, int k)
{
    return overlap_of(v, i) - overlap_of(native, k);
}

/* The median of the ratios, or of the differences, of samples of the same round.  What changes from
 * round to round cancels out.  The order within a round is random, so where two variants are
 * equally fast, the signs of the logarithms of these ratios are fair coins, however samples depend
 * on those before them: the interval holds 1 with the promised probability.  n is 0 when no round
 * has both. */
static atn_estimate compare(const atn_variant *v, const atn_variant *native,
                            difference_fn difference, int half, int *n_p)
{
    double *list = malloc(sizeof *list * (size_t)v->seconds.n);
    int n = 0, k = 0;
    for (int i = first_of(&v->seconds, half); list != NULL && i < v->seconds.n;
         i += step_of(half)) {
        while (k < native->rounds.n && native->rounds.v[k] < v->rounds.v[i])
            k++;
        if (k < native->rounds.n && native->rounds.v[k] == v->rounds.v[i])
            list[n++] = difference(v, i, native, k);
    }
    const atn_estimate e = n > 0 ? atn_median(list, n) : (atn_estimate){0};
    free(list);
    *n_p = n;
    return e;
}

static const atn_variant *find_role(const atn_task *t, atn_role role)
{
    for (int i = 0; i < t->variants.n; i++)
        if (t->variants.v[i].role == role)
            return &t->variants.v[i];
    return NULL;
}

/* Native is always a candidate; the control stands for it, because the others are compared with
 * the samples of `native`. */
static bool contends(const atn_variant *v)
{
    return v->role == ATN_ROLE_CANDIDATE || v->role == ATN_ROLE_NAMED ||
           v->role == ATN_ROLE_CONTROL;
}

static int most_samples(const atn_task *t)
{
    int most = 0;
    for (int i = 0; i < t->variants.n; i++)
        if (contends(&t->variants.v[i]))
            most = atn_max(most, t->variants.v[i].seconds.n);
    return most;
}

static const atn_variant *choose_best(const atn_task *t)
{
    const atn_variant *best = NULL;
    const int most = most_samples(t);
    double least = 0;
    for (int i = 0; i < t->variants.n; i++) {
        const atn_variant *v = &t->variants.v[i];
        int n;
        if (!contends(v) || v->seconds.n == 0 || 2 * v->seconds.n < most)
            continue;
        const double median = estimate(v, seconds_of, ODD, &n).mid;
        if (n > 0 && (best == NULL || median < least)) {
            best = v;
            least = median;
        }
    }
    return best;
}

typedef struct {
    const atn_task *task;
    const atn_variant *native; /* NULL: was not measured */
    atn_bench_trust trust;
    atn_bench_rows *rows;
} summary;

static atn_bench_trust trust_of(const atn_variant *control, const atn_variant *native)
{
    int n = 0;
    const atn_estimate e =
        control && native ? compare(control, native, ratio_of, ALL, &n) : (atn_estimate){0};
    if (n < ATN_FEWEST_SAMPLES)
        return ATN_TRUST_SHORT;
    return e.lo <= 1 && e.hi >= 1 ? ATN_TRUST_YES : ATN_TRUST_NO;
}

static atn_estimate vs_native(const summary *s, const atn_variant *v, int half, atn_estimate time_s)
{
    int n;
    if (s->native == NULL)
        return (atn_estimate){0};
    if (v == s->native)
        return (atn_estimate){1, 1, 1};
    const atn_estimate e = compare(v, s->native, ratio_of, half, &n);
    return n > 0 ? e : atn_ratio(time_s, estimate(s->native, seconds_of, ALL, &n));
}

/* Without a common round there is no difference. */
static atn_estimate points_from_native(const summary *s, const atn_variant *v, int half)
{
    int n;
    if (s->native == NULL || v == s->native || s->native->overlaps.n == 0)
        return (atn_estimate){0};
    return compare(v, s->native, points_of, half, &n);
}

static void fill_overlap(const summary *s, const atn_variant *v, int half, atn_bench_row *row)
{
    int n;
    if (v->overlaps.n == 0)
        return;
    row->overlaps = true;
    row->overlap = (atn_bench_overlap){
        .compute_s = estimate(v, compute_of, half, &n),
        .overall_s = estimate(v, overall_of, half, &n),
        .percent = estimate(v, overlap_of, half, &n),
        .vs_native = points_from_native(s, v, half),
        .interference = estimate(v, interference_of, half, &n),
    };
}

/* What there was no time for has no row. */
static bool add_row(const summary *s, const char *name, const atn_variant *v, int half)
{
    atn_bench_row row = {
        .task = s->task, .variant = name, .algorithm = v->algorithm, .trust = s->trust};
    if (v->seconds.n == 0)
        return true;
    row.time_s = estimate(v, seconds_of, half, &row.samples);
    if (row.samples == 0)
        return false;
    row.vs_native = vs_native(s, v, half, row.time_s);
    if (s->task->bound_s > 0)
        row.vs_bound = row.time_s.mid / s->task->bound_s;
    fill_overlap(s, v, half, &row);
    return atn_push(s->rows, row);
}

atn_status atn_report_bench_task(const atn_task *t, atn_bench_rows *rows, atn_error *err)
{
    static const atn_role first[] = {ATN_ROLE_NATIVE, ATN_ROLE_CONTROL, ATN_ROLE_ATTUNE};
    const atn_variant *const native = find_role(t, ATN_ROLE_NATIVE);
    summary s = {
        .task = t, .native = native && native->seconds.n > 0 ? native : NULL, .rows = rows};
    bool ok = true;
    s.trust = trust_of(find_role(t, ATN_ROLE_CONTROL), s.native);
    for (int i = 0; i < 3 && ok; i++) {
        const atn_variant *v = find_role(t, first[i]);
        ok = v == NULL || add_row(&s, atn_report_role_names[first[i]], v, ALL);
    }
    const atn_variant *best = t->seeks_best ? choose_best(t) : NULL;
    ok = ok && (best == NULL || add_row(&s, "best", best, EVEN));
    for (int i = 0; i < t->variants.n && ok; i++) {
        const atn_variant *v = &t->variants.v[i];
        ok = v->role != ATN_ROLE_NAMED || add_row(&s, v->algorithm, v, ALL);
    }
    return ok ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

atn_status atn_report_bench_summarise(const atn_samples *s, atn_bench_rows *rows_p, atn_error *err)
{
    atn_bench_rows rows = {0};
    for (int i = 0; i < s->tasks.n; i++) {
        const atn_status status = atn_report_bench_task(&s->tasks.v[i], &rows, err);
        if (status != ATN_OK) {
            atn_vec_free(&rows);
            return status;
        }
    }
    *rows_p = rows;
    return ATN_OK;
}

/* ---- noise ---- */

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

bool atn_report_bench_noise_of(const atn_bench_rows *rows, atn_bench_noise *noise_p)
{
    atn_bench_noise x = {0};
    double *off = malloc(sizeof *off * (size_t)atn_max(rows->n, 1));
    int n = 0;
    for (int i = 0; i < rows->n && off != NULL; i++) {
        const atn_bench_row *const r = &rows->v[i];
        if (strcmp(r->variant, "native") == 0) {
            x.tasks++;
            x.count[r->trust]++;
        }
        if (strcmp(r->variant, "control") == 0 && r->vs_native.mid > 0)
            off[n++] = fabs(r->vs_native.mid - 1);
    }
    if (n > 0) {
        qsort(off, (size_t)n, sizeof *off, ascending);
        x.median = n % 2 ? off[n / 2] : 0.5 * (off[n / 2 - 1] + off[n / 2]);
        x.most = off[n - 1];
    }
    free(off);
    *noise_p = x;
    return n > 0;
}
