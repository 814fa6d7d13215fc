/* trace_charts.c - charts of a trace report about collectives: their time, ranks, skew. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/forecast.h"
#include "cli/traces/trace_page.h"

/* ---- time by operation, communicator and size ---- */

enum { SIZES = 6, MOST_BARS = 12 };

static const struct {
    int64_t below;
    atn_html_key key;
} sizes[SIZES] = {{1, {"rest", "no data"}},
                  {1 << 10, {"b0", "below 1 KiB"}},
                  {1 << 14, {"b1", "1 to 16 KiB"}},
                  {1 << 18, {"b2", "16 to 256 KiB"}},
                  {1 << 22, {"b3", "256 KiB to 4 MiB"}},
                  {INT64_MAX, {"b4", "4 MiB and more"}}};

static int size_of(int64_t bytes)
{
    int i = 0;
    while (i < SIZES - 1 && bytes >= sizes[i].below)
        i++;
    return i;
}

/* A bar: one operation on one communicator; the last one may stand for several. */
typedef struct {
    atn_trace_op op;
    int comm, p, joined;
    double seconds, by_size[SIZES], waited[SIZES];
    int64_t calls[SIZES];
} share_bar;

typedef ATN_VEC(share_bar) share_bars;

static share_bar *bar_of(share_bars *list, const atn_trace_share *s)
{
    for (int i = 0; i < list->n; i++)
        if (list->v[i].op == s->op && list->v[i].comm == s->comm)
            return &list->v[i];
    const share_bar fresh = {.op = s->op, .comm = s->comm, .p = s->p, .joined = 1};
    return atn_push(list, fresh) ? &list->v[list->n - 1] : NULL;
}

static int by_seconds(const void *x, const void *y)
{
    const share_bar *const a = x, *const b = y;
    return (a->seconds < b->seconds) - (a->seconds > b->seconds);
}

static bool collect(const atn_trace_view *v, share_bars *list)
{
    for (int i = 0; i < v->shares.v.n; i++) {
        const atn_trace_share *const s = &v->shares.v.v[i];
        share_bar *const b = bar_of(list, s);
        if (b == NULL)
            return false;
        const int size = size_of(s->least);
        b->seconds += s->seconds;
        b->by_size[size] += s->seconds;
        b->waited[size] += s->waited_s;
        b->calls[size] += s->calls;
    }
    if (list->n > 0)
        qsort(list->v, (size_t)list->n, sizeof *list->v, by_seconds);
    return true;
}

/* Bars beyond the longest become one. */
static void join_bars(share_bars *list)
{
    for (; list->n > MOST_BARS; list->n--) {
        share_bar *const b = &list->v[MOST_BARS - 1];
        const share_bar *const last = &list->v[list->n - 1];
        b->joined += last->joined;
        b->seconds += last->seconds;
        for (int k = 0; k < SIZES; k++) {
            b->by_size[k] += last->by_size[k];
            b->waited[k] += last->waited[k];
            b->calls[k] += last->calls[k];
        }
    }
}

static void name_bar(const atn_trace_view *v, const share_bar *b, char name[128])
{
    char comm[64];
    if (b->joined > 1)
        snprintf(name, 128, "%d others", b->joined);
    else if (b->comm == 0)
        snprintf(name, 128, "%s", atn_trace_op_get(b->op)->name);
    else
        snprintf(name, 128, "%s, %s of %d ranks", atn_trace_op_get(b->op)->name,
                 atn_trace_comm_name(v->t, b->comm, comm, sizeof comm), b->p);
}

static void draw_share(FILE *f, const atn_trace_view *v, const share_bar *b, double most)
{
    atn_html_part parts[SIZES];
    char name[128], value[64], time[32];
    name_bar(v, b, name);
    for (int k = 0; k < SIZES; k++) {
        parts[k] = (atn_html_part){.class = sizes[k].key.class, .value = b->by_size[k]};
        snprintf(parts[k].title, sizeof parts[k].title,
                 "%s, %s: %lld calls, %s of all ranks, %.0f %% of it before the last rank entered",
                 name, sizes[k].key.name, (long long)b->calls[k],
                 atn_cli_forecast_time(b->by_size[k], time),
                 b->by_size[k] > 0 ? 100 * b->waited[k] / b->by_size[k] : 0);
    }
    snprintf(value, sizeof value, "%s, %.1f %%", atn_cli_forecast_time(b->seconds, time),
             100 * b->seconds / v->shares.seconds);
    atn_report_html_bar(f, name, value, parts, SIZES, most);
}

bool atn_cli_trace_draw_shares(FILE *f, const atn_trace_view *v)
{
    share_bars list = {0};
    atn_html_key keys[SIZES];
    int nkeys = 0;
    const bool ok = v->shares.seconds > 0 && collect(v, &list);
    for (int k = 0; k < SIZES && ok; k++) {
        bool any = false;
        for (int i = 0; i < list.n; i++)
            any = any || list.v[i].by_size[k] > 0;
        if (any)
            keys[nkeys++] = sizes[k].key;
    }
    if (ok) {
        join_bars(&list);
        atn_report_html_keys(f, keys, nkeys);
        atn_report_html_bars_begin(f);
        for (int i = 0; i < list.n; i++)
            draw_share(f, v, &list.v[i], fmax(list.v[0].seconds, list.v[list.n - 1].seconds));
        atn_report_html_bars_end(f);
    }
    atn_vec_free(&list);
    return ok;
}

/* ---- ranks ---- */

enum { PARTS = 4, MOST_COLUMNS = 96 };

static const atn_html_key rank_keys[PARTS] = {{"idle", "computation"},
                                              {"b4", "collectives, before the last rank entered"},
                                              {"b0", "collectives, after that"},
                                              {"b1", "other MPI calls"}};

static void parts_of(const atn_trace_view *v, int r, double parts[PARTS])
{
    const atn_trace_rank_stats *const s = &v->stats.ranks[r];
    const atn_trace_waiting *const w = &v->arrivals.ranks[r];
    parts[0] = s->compute_s;
    parts[1] = w->waited_s;
    parts[2] = w->inside_s - w->waited_s;
    parts[3] = fmax(0, s->mpi_s - w->inside_s);
}

/* Mean over ranks first .. first + n - 1. */
static double mean_parts(const atn_trace_view *v, int first, int n, double mean[PARTS])
{
    double sum = 0;
    memset(mean, 0, PARTS * sizeof *mean);
    for (int r = first; r < first + n; r++) {
        double parts[PARTS];
        parts_of(v, r, parts);
        for (int k = 0; k < PARTS; k++)
            mean[k] += parts[k] / n;
    }
    for (int k = 0; k < PARTS; k++)
        sum += mean[k];
    return sum;
}

static void draw_column(FILE *f, const atn_trace_view *v, int first, int n, double most)
{
    double parts[PARTS];
    char ranks[48], time[PARTS][32];
    mean_parts(v, first, n, parts);
    snprintf(ranks, sizeof ranks, n > 1 ? "ranks %d to %d" : "rank %d", first, first + n - 1);
    fprintf(f, "<div class=\"column\" title=\"%s on ", ranks);
    atn_report_html_text(f, v->t->ranks[first].host != NULL ? v->t->ranks[first].host : "?");
    for (int k = 0; k < PARTS; k++)
        fprintf(f, "%s%s: %s", k > 0 ? "; " : ": ", rank_keys[k].name,
                atn_cli_forecast_time(parts[k], time[k]));
    fputs("\">", f);
    for (int k = PARTS - 1; k >= 0; k--)
        if (parts[k] > 0)
            fprintf(f, "<i class=\"%s\" style=\"height:%.2f%%\"></i>", rank_keys[k].class,
                    100 * parts[k] / most);
    fputs("</div>", f);
}

bool atn_cli_trace_draw_ranks(FILE *f, const atn_trace_view *v)
{
    const int p = v->t->p, step = (p + MOST_COLUMNS - 1) / MOST_COLUMNS;
    double most = 0, parts[PARTS];
    for (int r = 0; r < p; r += step)
        most = fmax(most, mean_parts(v, r, atn_min(step, p - r), parts));
    if (!(most > 0))
        return false;
    atn_report_html_keys(f, rank_keys, PARTS);
    fputs("<div class=\"columns\">", f);
    for (int r = 0; r < p; r += step)
        draw_column(f, v, r, atn_min(step, p - r), most);
    fprintf(f, "</div>\n<div class=\"ends\"><span>rank 0</span><span>rank %d</span></div>\n",
            p - 1);
    if (step > 1)
        fprintf(f, "<p class=\"note\">A column is the mean of %d ranks.</p>\n", step);
    return true;
}

/* ---- skew ---- */

bool atn_cli_trace_draw_factors(FILE *f, const atn_trace_view *v)
{
    static const atn_html_key keys[] = {{"b0", "to 1000 bytes"}, {"b2", "above 1000 bytes"}};
    int64_t small[ATN_TRACE_BINS], large[ATN_TRACE_BINS], most = 0;
    char name[16];
    atn_trace_distribution(&v->arrivals, -1, 1000, small);
    atn_trace_distribution(&v->arrivals, 1000, INT64_MAX, large);
    for (int i = 0; i < ATN_TRACE_BINS; i++)
        most = small[i] + large[i] > most ? small[i] + large[i] : most;
    if (most == 0)
        return v->arrivals.calls.n > 0; /* the times of messages are unknown */
    atn_report_html_keys(f, keys, 2);
    atn_report_html_bars_begin(f);
    for (int i = 0; i < ATN_TRACE_BINS; i++)
        atn_report_html_count(f, atn_trace_bin_name(i, name), small[i], large[i], most);
    atn_report_html_bars_end(f);
    return true;
}
