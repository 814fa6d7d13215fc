/* layout.c - see layout.h. */
#include "research/taulop/layout.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 128 }; /* processes */

/* ---- speeds ---- */

double atn_tau_speed_at(const atn_speed *v, double blocks)
{
    int i = 0;
    while (i < v->n && v->blocks[i] < blocks)
        i++;
    if (i == 0 || i == v->n)
        return v->speed[i == 0 ? 0 : v->n - 1];
    const double part = (blocks - v->blocks[i - 1]) / (v->blocks[i] - v->blocks[i - 1]);
    return v->speed[i - 1] + part * (v->speed[i] - v->speed[i - 1]);
}

/* Between two points the time x / (a + bx) is monotonic, so the ends decide. */
bool atn_tau_speed_sound(const atn_speed *v)
{
    for (int i = 1; i < v->n; i++)
        if (v->blocks[i] / v->speed[i] <= v->blocks[i - 1] / v->speed[i - 1])
            return false;
    return true;
}

static double time_of(const atn_speed *v, int64_t blocks)
{
    return (double)blocks / atn_tau_speed_at(v, (double)blocks);
}

/* The most blocks that a process completes in this time. */
static int64_t most_in(const atn_speed *v, double seconds, int64_t total)
{
    int64_t low = 0, high = total;
    while (low < high) {
        const int64_t mid = low + (high - low + 1) / 2;
        if (time_of(v, mid) <= seconds)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

static int64_t all_in(const atn_speed *const *v, int p, double seconds, int64_t total,
                      int64_t *share)
{
    int64_t sum = 0;
    for (int i = 0; i < p; i++)
        sum += share[i] = most_in(v[i], seconds, total);
    return sum;
}

/* The longest time in which all processes together complete at most `total` blocks; each remaining
 * block goes to the process that would complete it first. */
void atn_tau_speed_share(const atn_speed *const *v, int p, int64_t total, int64_t *share)
{
    double low = 0, high = 0;
    for (int i = 0; i < p; i++)
        high = fmax(high, time_of(v[i], total));
    for (int k = 0; k < 100; k++) {
        const double mid = 0.5 * (low + high);
        if (all_in(v, p, mid, total, share) <= total)
            low = mid;
        else
            high = mid;
    }
    for (int64_t left = total - all_in(v, p, low, total, share); left > 0; left--) {
        int next = 0;
        for (int i = 1; i < p; i++)
            if (time_of(v[i], share[i] + 1) < time_of(v[next], share[next] + 1))
                next = i;
        share[next]++;
    }
}

/* ---- whole numbers ---- */

/* n integers of at least 1 with sum `total`, in proportion to the parts, or equal if these are 0;
 * the remainder of rounding goes to the largest losses. */
static void in_proportion(const int64_t *parts, int n, int total, int *out)
{
    double all = 0;
    int given = 0;
    for (int i = 0; i < n; i++)
        all += (double)parts[i];
    all = all > 0 ? all : 1;
    for (int i = 0; i < n; i++)
        given += out[i] = atn_max(1, (int)((double)parts[i] * total / all));
    for (; given != total; given += given < total ? 1 : -1) {
        const int step = given < total ? 1 : -1;
        int at = -1;
        double most = -INFINITY;
        for (int i = 0; i < n; i++) {
            const double lack = step * ((double)parts[i] * total / all - out[i]);
            if (lack > most && out[i] + step > 0) {
                most = lack;
                at = i;
            }
        }
        out[at] += step;
    }
}

/* ---- columns ---- */

typedef struct {
    int rank;
    int64_t blocks;
} part;

static int by_blocks(const void *x, const void *y)
{
    const part *a = x, *b = y;
    if (a->blocks != b->blocks)
        return a->blocks > b->blocks ? -1 : 1;
    return a->rank - b->rank;
}

typedef struct {
    double cost[MOST + 1][MOST + 1]; /* of c columns for the first k parts */
    int from[MOST + 1][MOST + 1];    /* first part of the last column */
} cuts;

static void find_cuts(const part *v, int p, int64_t total, cuts *x)
{
    for (int c = 1; c <= p; c++)
        for (int k = c; k <= p; k++) {
            double width = 0;
            x->cost[c][k] = INFINITY;
            for (int j = k - 1; j >= c - 1; j--) {
                width += (double)v[j].blocks / (double)total;
                const double before = c > 1 ? x->cost[c - 1][j] : j == 0 ? 0 : INFINITY;
                if (before + (k - j) * width + 1 < x->cost[c][k]) {
                    x->cost[c][k] = before + (k - j) * width + 1;
                    x->from[c][k] = j;
                }
            }
        }
}

/* Assigns sorted parts to columns; returns the number of columns, 0: out of memory.  With a matrix
 * of width 1, a column adds 1 for its heights and its width for each of its parts to the sum of
 * half perimeters.  Among equal sums it prefers more columns: their broadcasts are shorter. */
static int cut(const part *v, int p, int64_t total, int *taken)
{
    cuts *x = malloc(sizeof *x);
    int best = 1, end = p;
    if (x == NULL)
        return 0;
    find_cuts(v, p, total, x);
    for (int c = 2; c <= p; c++)
        best = x->cost[c][p] <= x->cost[best][p] + 1e-9 ? c : best;
    for (int c = best; c > 0; c--) {
        taken[c - 1] = end - x->from[c][end];
        end = x->from[c][end];
    }
    free(x);
    return best;
}

static bool add_column(atn_summa *s, const part *v, int n, int width)
{
    const atn_summa_column c = {.width = width, .first = s->members.n, .n = n};
    int64_t blocks[MOST];
    int rows[MOST], top = 0;
    bool whole = true;
    for (int i = 0; i < n; i++)
        blocks[i] = v[i].blocks;
    in_proportion(blocks, n, s->blocks, rows);
    for (int i = 0; i < n; i++) {
        atn_summa_process *p = &s->processes.v[v[i].rank];
        p->column = s->columns.n;
        p->top = top;
        p->height = rows[i];
        top += rows[i];
        whole = atn_push(&s->members, v[i].rank) && whole;
    }
    return atn_push(&s->columns, c) && whole;
}

atn_status atn_tau_summa_divide(atn_summa *s, atn_error *err)
{
    const int p = s->processes.n;
    const int64_t total = (int64_t)s->blocks * s->blocks;
    const atn_speed *speeds[MOST] = {NULL};
    int64_t share[MOST], sums[MOST] = {0};
    part parts[MOST];
    int taken[MOST], widths[MOST];
    if (p > MOST || p > s->blocks)
        return atn_fail(err, ATN_INPUT, "%d processes for %d x %d blocks; at most %d are possible",
                        p, s->blocks, s->blocks, atn_min(MOST, s->blocks));
    for (int r = 0; r < p; r++)
        speeds[r] = &s->processes.v[r].speed;
    atn_tau_speed_share(speeds, p, total, share);
    for (int r = 0; r < p; r++)
        parts[r] = (part){r, share[r]};
    qsort(parts, (size_t)p, sizeof *parts, by_blocks);
    const int columns = cut(parts, p, total, taken);
    bool whole = columns > 0;
    for (int c = 0, at = 0; c < columns; at += taken[c++])
        for (int i = 0; i < taken[c]; i++)
            sums[c] += parts[at + i].blocks;
    in_proportion(sums, columns, s->blocks, widths);
    for (int c = 0, at = 0; c < columns; at += taken[c++])
        whole = whole && add_column(s, &parts[at], taken[c], widths[c]);
    return whole ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

/* ---- order inside columns ---- */

int64_t atn_tau_summa_between(const atn_summa *s)
{
    const size_t p = (size_t)s->processes.n;
    atn_summa_flow *flows = malloc(sizeof *flows * p * p);
    int64_t sum = 0;
    for (int j = 0; j < s->columns.n && flows; j++) {
        const int n = atn_tau_summa_flows(s, j, flows);
        for (int i = 0; i < n; i++)
            sum += flows[i].channel ? (int64_t)flows[i].blocks * s->columns.v[j].width : 0;
    }
    free(flows);
    return sum;
}

static void exchange(atn_summa *s, const atn_summa_column *c, int a, int b)
{
    int top = 0;
    int *v = &s->members.v[c->first];
    const int rank = v[a];
    v[a] = v[b];
    v[b] = rank;
    for (int i = 0; i < c->n; i++) {
        s->processes.v[v[i]].top = top;
        top += s->processes.v[v[i]].height;
    }
}

static bool improve(atn_summa *s, const atn_summa_column *c, int64_t *least)
{
    bool better = false;
    for (int a = 0; a < c->n; a++)
        for (int b = a + 1; b < c->n; b++) {
            exchange(s, c, a, b);
            const int64_t now = atn_tau_summa_between(s);
            if (now < *least) {
                *least = now;
                better = true;
            } else {
                exchange(s, c, a, b);
            }
        }
    return better;
}

void atn_tau_summa_arrange(atn_summa *s)
{
    int64_t least = atn_tau_summa_between(s);
    for (bool better = true; better;) {
        better = false;
        for (int j = 0; j < s->columns.n; j++)
            better = improve(s, &s->columns.v[j], &least) || better;
    }
}

/* ---- text ---- */

static void print_process(FILE *f, const atn_summa_process *p)
{
    char cores[32];
    snprintf(cores, sizeof cores, p->first_core == p->last_core ? "%d" : "%d-%d", p->first_core,
             p->last_core);
    fprintf(f, "%s %d %-5s %s %s%d\n", p->node_name, p->local, cores, p->gpu ? "gpu" : "cpu",
            p->gpu ? "id=" : "OMP_NUM_THREADS=", p->number);
}

static void print_speed(FILE *f, int rank, const atn_speed *v)
{
    if (v->n == 0)
        return;
    fprintf(f, "speed %d", rank);
    if (v->n == 1)
        fprintf(f, " %.9g", v->speed[0]);
    for (int i = 0; i < v->n && v->n > 1; i++)
        fprintf(f, " %.9g:%.9g", v->blocks[i], v->speed[i]);
    fputc('\n', f);
}

void atn_tau_summa_print(FILE *f, const atn_summa *s)
{
    char size[32];
    fprintf(f, "blocks %d %s\n", s->blocks, atn_format_size(s->block_bytes, size));
    for (int r = 0; r < s->processes.n; r++)
        print_process(f, &s->processes.v[r]);
    for (int r = 0; r < s->processes.n; r++)
        print_speed(f, r, &s->processes.v[r].speed);
    for (int j = 0; j < s->columns.n; j++) {
        const atn_summa_column *c = &s->columns.v[j];
        fprintf(f, "column %d", c->width);
        for (int i = c->first; i < c->first + c->n; i++)
            fprintf(f, " %d:%d", s->members.v[i], s->processes.v[s->members.v[i]].height);
        fputc('\n', f);
    }
}
