/* estimate.c - see estimate.h. */
#include "model/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A measured value of a table is the equation 2 L = ring - o. */
static const double ring = 2;
/* Which of several concurrent transfers is the longest may change with their times. */
enum { PASSES = 3 };

/* ---- tables ---- */

static void insert_row(atn_cost_table *t, int at, int64_t size, const double *v)
{
    const size_t more = (size_t)(t->nsizes - at);
    memmove(&t->size[at + 1], &t->size[at], more * sizeof *t->size);
    memmove(&t->v[at + 1], &t->v[at], more * sizeof *t->v);
    memmove(&t->half[at + 1], &t->half[at], more * sizeof *t->half);
    memmove(&t->line[at + 1], &t->line[at], more * sizeof *t->line);
    memset(&t->half[at], 0, sizeof *t->half);
    memcpy(t->v[at], v, sizeof *t->v);
    t->size[at] = size;
    t->line[at] = 0;
    t->nsizes++;
}

static void add_size(atn_cost_table *t, int64_t size)
{
    double v[ATN_TABLE_TAUS] = {0};
    int at = 0;
    while (at < t->nsizes && t->size[at] < size)
        at++;
    if (t->nsizes == 0 || t->nsizes == ATN_TABLE_SIZES || (at < t->nsizes && t->size[at] == size))
        return;
    for (int k = 0; k < t->ntaus; k++)
        v[k] = atn_model_table_time(t, (double)size, t->tau[k]);
    insert_row(t, at, size, v);
}

void atn_model_estimate_size(atn_machine *m, int64_t bytes)
{
    for (int c = -1; (c = atn_model_machine_next(m, c)) >= 0;)
        add_size(&m->channel[c].transfer, bytes);
}

int atn_model_estimate_values(atn_machine *m, double **values)
{
    int n = 0;
    for (int c = -1; (c = atn_model_machine_next(m, c)) >= 0;) {
        atn_cost_table *const t = &m->channel[c].transfer;
        for (int i = 0; i < t->nsizes; i++)
            for (int k = 0; k < t->ntaus; k++, n++)
                if (values)
                    values[n] = &t->v[i][k];
    }
    return n;
}

/* ---- equations ---- */

static void derive(atn_machine *m, atn_estimate_fn predict, void *context, int i, double *const *x,
                   int n, double *row)
{
    for (int k = 0; k < n; k++) {
        const double value = *x[k], step = 1e-3 * value;
        *x[k] = value + step;
        const double more = predict(context, m, i);
        *x[k] = value - step;
        const double less = predict(context, m, i);
        *x[k] = value;
        row[k] = step > 0 ? (more - less) / (2 * step) : 0;
    }
}

bool atn_model_estimate_row(atn_machine *m, atn_estimate_fn predict, void *context, int i,
                            double *row)
{
    const int n = atn_model_estimate_values(m, NULL);
    double **x = malloc(((size_t)n + 1) * sizeof *x);
    const bool known = x && predict(context, m, i) >= 0;
    if (known) {
        atn_model_estimate_values(m, x);
        derive(m, predict, context, i, x, n, row);
    }
    free(x);
    return known;
}

/* The normal equations a x = b; a is symmetric and, because every unknown has an equation of its
 * own, positive definite. */
typedef struct {
    int n;
    double *a, *b, *row, *first;
    double **x;
} equations;

static bool equations_begin(equations *e, atn_machine *m)
{
    const size_t n = (size_t)(e->n = atn_model_estimate_values(m, NULL));
    e->a = calloc(n * n + 1, sizeof *e->a);
    e->b = calloc(3 * n + 1, sizeof *e->b);
    e->x = malloc((n + 1) * sizeof *e->x);
    if (!e->a || !e->b || !e->x)
        return false;
    e->row = e->b + n;
    e->first = e->row + n;
    atn_model_estimate_values(m, e->x);
    for (int i = 0; i < e->n; i++)
        e->first[i] = *e->x[i];
    return true;
}

static void equations_end(equations *e)
{
    free(e->a);
    free(e->b);
    free(e->x);
}

static void add(equations *e, double value)
{
    for (int i = 0; i < e->n; i++) {
        e->b[i] += e->row[i] * value;
        for (int k = 0; k < e->n && e->row[i] > 0; k++)
            e->a[i * e->n + k] += e->row[i] * e->row[k];
    }
}

static void add_tables(equations *e)
{
    memset(e->a, 0, (size_t)e->n * (size_t)e->n * sizeof *e->a);
    for (int i = 0; i < e->n; i++) {
        e->a[i * e->n + i] = ring * ring;
        e->b[i] = ring * ring * e->first[i];
    }
}

/* seconds = predicted + row * (unknowns - present values). */
static int add_calls(equations *e, atn_machine *m, atn_estimate_fn predict, void *context,
                     const double *seconds, int n)
{
    int used = 0;
    for (int i = 0; i < n; i++) {
        if (!atn_model_estimate_row(m, predict, context, i, e->row))
            continue;
        double rest = seconds[i] - predict(context, m, i);
        for (int k = 0; k < e->n; k++)
            rest += e->row[k] * *e->x[k];
        add(e, rest);
        used++;
    }
    return used;
}

/* Gaussian elimination, which needs no pivoting for such matrices; b becomes the solution. */
static void solve(equations *e)
{
    const int n = e->n;
    for (int i = 0; i < n; i++)
        for (int r = i + 1; r < n; r++) {
            const double by = e->a[r * n + i] / e->a[i * n + i];
            if (!(fabs(by) > 0))
                continue;
            for (int k = i; k < n; k++)
                e->a[r * n + k] -= by * e->a[i * n + k];
            e->b[r] -= by * e->b[i];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            e->b[i] -= e->a[i * n + k] * e->b[k];
        e->b[i] /= e->a[i * n + i];
    }
}

int atn_model_estimate(atn_machine *m, atn_estimate_fn predict, void *context,
                       const double *seconds, int n)
{
    equations e = {0};
    int used = equations_begin(&e, m) ? 0 : -1;
    for (int pass = 0; pass < PASSES && used >= 0; pass++) {
        add_tables(&e);
        used = add_calls(&e, m, predict, context, seconds, n);
        solve(&e);
        for (int i = 0; i < e.n; i++)
            if (e.b[i] > 0)
                *e.x[i] = e.b[i];
    }
    equations_end(&e);
    return used;
}
