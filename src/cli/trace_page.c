/* trace_page.c - HTML report of a trace: time line, plots and tables, which are those of the
 * commands. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace.h"
#include "report/svg.h"

static const char style[] = ".page-text{font:12px system-ui,sans-serif;fill:#52514e}"
                            ".page-axis{stroke:#c9c8c2;stroke-width:1}"
                            ".compute{fill:#efeeea}.send{fill:#2a78d6}.receive{fill:#1baf7a}"
                            ".collective{fill:#7a4fd0}.wait{fill:#eda100}.other{fill:#8d8c86}"
                            ".one-sided{fill:#d0476f}.file{fill:#6b8f2a}"
                            ".curve{fill:none;stroke:#2a78d6;stroke-width:2}"
                            "@media(prefers-color-scheme:dark){.page-text{fill:#c3c2b7}"
                            ".page-axis{stroke:#4a4945}.compute{fill:#2c2c2a}}";

enum { LEFT = 70, WIDE = 900, KINDS = 8, ROWS = 128 };

/* By atn_trace_class; DONE, which is never drawn, is replaced by computation. */
static const char *const kinds[KINDS + 1] = {"send",  "receive",   "collective", "wait", "compute",
                                             "other", "one-sided", "file",       NULL};
_Static_assert((int)ATN_TRACE_IS_DONE == 4 && (int)ATN_TRACE_IS_FILE == KINDS - 1,
               "kinds[] follows them");
enum { COMPUTING = ATN_TRACE_IS_DONE };

/* ---- time line: each pixel shows its longest activity ---- */

typedef struct {
    int64_t from, to;
    double scale; /* pixels per ns */
} span;

/* From the first end of MPI_Init to the last begin of MPI_Finalize, which would dominate the
 * picture of a short job; the whole job if nothing is in between. */
static span span_of(const atn_trace *t)
{
    span s = {.from = INT64_MAX, .to = 0};
    for (int r = 0; r < t->p; r++)
        for (int i = 0; i < t->ranks[r].events.n; i++) {
            const atn_trace_event *const e = &t->ranks[r].events.v[i];
            if (e->op == ATN_TRACE_INIT && e->exit < s.from)
                s.from = e->exit;
            const int64_t end = e->op == ATN_TRACE_FINALIZE ? e->enter : e->exit;
            s.to = end > s.to ? end : s.to;
        }
    if (s.from >= s.to)
        s = (span){.from = 0, .to = t->end > 0 ? t->end : 1};
    s.scale = (double)WIDE / (double)(s.to - s.from);
    return s;
}

static void add_event(double (*pixels)[KINDS], const span *s, const atn_trace_event *e)
{
    const double from = (double)(e->enter - s->from) * s->scale;
    const double to = (double)(e->exit - s->from) * s->scale;
    const int last = (int)fmax(-1, fmin(to, WIDE - 1)); /* clipped */
    for (int x = (int)fmin(WIDE, fmax(0, from)); x <= last; x++)
        pixels[x][atn_trace_class_of(e)] += fmin(to, x + 1) - fmax(from, x);
}

static int most_of(const double *pixel)
{
    double rest = 1;
    for (int k = 0; k < KINDS; k++)
        rest -= k == COMPUTING ? 0 : pixel[k];
    int best = COMPUTING;
    for (int k = 0; k < KINDS; k++)
        if (k != COMPUTING && pixel[k] > (best == COMPUTING ? rest : pixel[best]))
            best = k;
    return best;
}

static void draw_rank(FILE *f, const atn_trace *t, int r, const span *s, double y, double h,
                      double (*pixels)[KINDS])
{
    memset(pixels, 0, WIDE * sizeof *pixels);
    for (int i = 0; i < t->ranks[r].events.n; i++) {
        const atn_trace_event *const e = &t->ranks[r].events.v[i];
        if (e->depth == 0 && !atn_trace_is_part(e))
            add_event(pixels, s, e);
    }
    for (int x = 0; x < WIDE;) {
        const int kind = most_of(pixels[x]);
        const int from = x;
        while (x < WIDE && most_of(pixels[x]) == kind)
            x++;
        atn_report_svg_rect(f, kinds[kind], LEFT + from, y, x - from, h - 1, 0);
    }
    if (h >= 8 || r % 8 == 0)
        atn_report_svg_text(f, "page-text", "end", LEFT - 6, y + h - 2, "%d", r);
}

static void draw_legend(FILE *f, double y)
{
    for (int k = 0; k < KINDS; k++) {
        atn_report_svg_rect(f, kinds[k], LEFT + 112.0 * k, y, 12, 12, 2);
        atn_report_svg_text(f, "page-text", "start", LEFT + 112.0 * k + 18, y + 11, "%s",
                            k == COMPUTING ? "computation" : kinds[k]);
    }
}

static bool draw_timeline(FILE *f, const atn_trace *t)
{
    double(*const pixels)[KINDS] = malloc(WIDE * sizeof *pixels);
    const int rows = atn_min(t->p, ROWS);
    const double h = rows <= 32 ? 16 : 6;
    const span s = span_of(t);
    if (pixels == NULL)
        return false;
    atn_report_svg_begin(f, LEFT + WIDE + 20, rows * h + 50, style, "time line of all ranks");
    for (int r = 0; r < rows; r++)
        draw_rank(f, t, r, &s, r * h, h, pixels);
    for (int i = 0; i <= 5; i++)
        atn_report_svg_text(f, "page-text", i == 5 ? "end" : "start", LEFT + WIDE * i / 5.0,
                            rows * h + 14, "%.4f ms",
                            1e-6 * ((double)s.from + (double)(s.to - s.from) * i / 5));
    draw_legend(f, rows * h + 26);
    atn_report_svg_end(f);
    free(pixels);
    return true;
}

/* ---- bars ---- */

typedef struct {
    char name[24];
    double value, second; /* second < 0: none */
} bar;

enum { HIGH = 160 };

static void draw_bars(FILE *f, const char *title, const bar *bars, int n)
{
    double most = 1e-12;
    const double step = n > 0 ? fmin(90, (double)WIDE / n) : 1;
    for (int i = 0; i < n; i++)
        most = fmax(most, fmax(bars[i].value, bars[i].second));
    atn_report_svg_begin(f, LEFT + WIDE + 20, HIGH + 50, style, title);
    atn_report_svg_line(f, "page-axis", (atn_point){LEFT, HIGH + 20},
                        (atn_point){LEFT + WIDE, HIGH + 20});
    for (int i = 0; i < n; i++) {
        const bool two = bars[i].second >= 0;
        const double x = LEFT + step * i, w = fmax(1, (step - 6) / (two ? 2 : 1));
        const double h = HIGH * bars[i].value / most;
        atn_report_svg_rect(f, "send", x, 20 + HIGH - h, w, h, 2);
        atn_report_svg_text(f, "page-text", "middle", x + w / 2, 16 + HIGH - h, "%.4g",
                            bars[i].value);
        if (two) {
            const double h2 = HIGH * bars[i].second / most;
            atn_report_svg_rect(f, "wait", x + w + 1, 20 + HIGH - h2, w, h2, 2);
            atn_report_svg_text(f, "page-text", "middle", x + w * 1.5 + 1, 16 + HIGH - h2, "%.4g",
                                bars[i].second);
        }
        atn_report_svg_text(f, "page-text", "middle", x + (step - 6) / 2, HIGH + 36, "%s",
                            bars[i].name);
    }
    atn_report_svg_end(f);
}

/* Sizes by powers of two, which bounds the number of columns. */
static void draw_sizes(FILE *f, const atn_trace_stats *s)
{
    bar bars[65];
    int n = 0;
    for (int i = 0; i < s->sizes.n; i++) {
        const int64_t bytes = s->sizes.v[i].bytes;
        int64_t top = 1;
        while (top < bytes)
            top *= 2;
        char name[24], size[32];
        snprintf(name, sizeof name, "%s", bytes == 0 ? "0" : atn_format_size(top, size));
        if (n == 0 || strcmp(bars[n - 1].name, name) != 0) {
            bars[n] = (bar){.second = -1};
            snprintf(bars[n++].name, sizeof bars->name, "%s", name);
        }
        bars[n - 1].value += (double)s->sizes.v[i].messages;
    }
    draw_bars(f, "messages by size (upper bound in bytes)", bars, n);
}

static void draw_factors(FILE *f, const atn_trace_arrivals *a)
{
    bar bars[ATN_TRACE_BINS];
    int64_t small[ATN_TRACE_BINS], large[ATN_TRACE_BINS];
    atn_trace_distribution(a, -1, 1000, small);
    atn_trace_distribution(a, 1000, INT64_MAX, large);
    for (int i = 0; i < ATN_TRACE_BINS; i++) {
        char name[16];
        bars[i] = (bar){.value = (double)small[i], .second = (double)large[i]};
        snprintf(bars[i].name, sizeof bars[i].name, "%s", atn_trace_bin_name(i, name));
    }
    draw_bars(f, "calls by worst imbalance factor; right bars: above 1000 bytes", bars,
              ATN_TRACE_BINS);
}

/* ---- traffic between ranks; computation between sends ---- */

static void draw_matrix(FILE *f, const atn_trace_stats *s)
{
    const int p = atn_min(s->p, ROWS);
    const double cell = fmax(3, fmin(24, 480.0 / p));
    int64_t most = 1;
    for (int i = 0; i < s->p * s->p; i++)
        most = s->bytes[i] > most ? s->bytes[i] : most;
    atn_report_svg_begin(f, LEFT + p * cell + 220, p * cell + 30, style, "bytes from rank to rank");
    for (int from = 0; from < p; from++)
        for (int to = 0; to < p; to++) {
            const int64_t bytes = s->bytes[(size_t)from * (size_t)s->p + (size_t)to];
            const int64_t n = s->messages[(size_t)from * (size_t)s->p + (size_t)to];
            const double share = n > 0 ? 0.15 + 0.85 * (double)bytes / (double)most : 0;
            fprintf(f,
                    "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                    "opacity=\"%.2f\"><title>%d to %d: %lld messages, %lld bytes</title></rect>\n",
                    n > 0 ? "send" : "compute", LEFT + to * cell, 16 + from * cell, cell - 1,
                    cell - 1, n > 0 ? share : 1, from, to, (long long)n, (long long)bytes);
        }
    atn_report_svg_text(f, "page-text", "start", LEFT, 11, "to");
    atn_report_svg_text(f, "page-text", "end", LEFT - 6, 27, "from");
    atn_report_svg_end(f);
}

static bool draw_between(FILE *f, const atn_trace_stats *s)
{
    const int n = s->between.n, points = atn_min(n, 400);
    atn_point *const line = malloc(((size_t)points + 1) * sizeof *line);
    if (line == NULL)
        return false;
    const double least = log10(fmax(1e-8, n > 0 ? s->between.v[0] : 1e-6));
    const double range = fmax(1, log10(fmax(1e-7, n > 0 ? s->between.v[n - 1] : 1)) - least);
    atn_report_svg_begin(f, LEFT + WIDE + 20, HIGH + 50, style,
                         "computation between sends: share below");
    for (int i = 0; i < points; i++) {
        const int at = points > 1 ? (int)((double)i * (n - 1) / (points - 1)) : 0;
        const double x = (log10(fmax(1e-8, s->between.v[at])) - least) / range;
        line[i] = (atn_point){LEFT + WIDE * x, 20 + HIGH * (1 - (at + 1.0) / n)};
    }
    atn_report_svg_line(f, "page-axis", (atn_point){LEFT, HIGH + 20},
                        (atn_point){LEFT + WIDE, HIGH + 20});
    atn_report_svg_line(f, "page-axis", (atn_point){LEFT, 20}, (atn_point){LEFT, HIGH + 20});
    atn_report_svg_text(f, "page-text", "end", LEFT - 6, 26, "100 %%");
    atn_report_svg_text(f, "page-text", "end", LEFT - 6, HIGH + 22, "0 %%");
    for (int i = 0; i <= 4 && n > 0; i++)
        atn_report_svg_text(f, "page-text", i == 4 ? "end" : "start", LEFT + WIDE * i / 4.0,
                            HIGH + 36, "%.3g µs", 1e6 * pow(10, least + range * i / 4));
    if (points > 1)
        atn_report_svg_polyline(f, "curve", line, points);
    atn_report_svg_end(f);
    free(line);
    return true;
}

/* ---- tables ---- */

static void put_escaped(FILE *f, const char *text)
{
    for (; *text != '\0'; text++)
        fprintf(f, *text == '<' ? "&lt;" : *text == '&' ? "&amp;" : "%c", *text);
}

enum { ROWS_SHOWN = 500 }; /* csv has all */

static bool put_table(FILE *f, const atn_trace_table *table, const atn_trace_view *v)
{
    atn_table t = {.columns = table->columns, .ncolumns = table->ncolumns};
    table->fill(&t, v);
    const int rows = t.cells.n / t.ncolumns, shown = atn_min(rows, ROWS_SHOWN);
    fprintf(f, "<h2>%s</h2>\n<table id=\"%s\"><thead><tr>", table->title, table->name);
    for (int i = 0; i < t.ncolumns; i++)
        fprintf(f, "<th>%s</th>", t.columns[i].name);
    fputs("</tr></thead><tbody>\n", f);
    for (int i = 0; i < shown; i++) {
        fputs("<tr>", f);
        for (int k = 0; k < t.ncolumns; k++) {
            fputs(t.columns[k].type == ATN_CELL_TEXT ? "<td class=\"w\">" : "<td>", f);
            put_escaped(f, t.cells.v[i * t.ncolumns + k]);
            fputs("</td>", f);
        }
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table>\n", f);
    if (rows > shown)
        fprintf(f, "<p>The first %d of %d rows.</p>\n", shown, rows);
    const bool ok = !t.failed;
    atn_report_table_free(&t);
    return ok;
}

/* ---- the page ---- */

static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
    "<title>attune trace</title>\n"
    "<style>\n"
    ":root{color-scheme:light dark}\n"
    "body{font:14px/1.5 system-ui,-apple-system,'Segoe UI','DejaVu "
    "Sans',sans-serif;max-width:1060px;margin:2em auto;padding:0 1em}\n"
    "svg{max-width:100%;height:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;display:block;overflow-x:"
    "auto}\n"
    "th{cursor:pointer}\n"
    "td,th{padding:.2em .7em;text-align:right;border-bottom:1px solid #8884}\n"
    "td.w{text-align:left}\n"
    ".problem{border-left:4px solid #d0476f;padding-left:.6em}\n"
    "</style>\n"
    "</head>\n"
    "<body>\n";

/* Clicking a heading sorts the table. */
static const char foot[] =
    "<script>\n"
    "for (const th of document.querySelectorAll('th')) th.onclick = () => {\n"
    "  const body = th.closest('table').tBodies[0], i = th.cellIndex;\n"
    "  const up = th.dataset.up = th.dataset.up === '1' ? '0' : '1';\n"
    "  const text = row => row.cells[i].textContent;\n"
    "  body.append(...[...body.rows].sort((a, b) => (up === '1' ? 1 : -1) *\n"
    "    text(a).localeCompare(text(b), 'en', {numeric: true})));\n"
    "};\n"
    "document.body.dataset.ready = document.querySelectorAll('svg').length;\n"
    "</script>\n</body>\n</html>\n";

static bool put_tables(FILE *f, const atn_trace_table *tables, const atn_trace_view *v)
{
    bool ok = true;
    for (int i = 0; tables[i].name != NULL && ok; i++)
        ok = put_table(f, &tables[i], v);
    return ok;
}

/* Readers must see that the trace is incomplete. */
static void put_problems(FILE *f, const atn_trace *t)
{
    for (int i = 0; i < t->problems.n; i++) {
        fputs("<p class=\"problem\">", f);
        put_escaped(f, t->problems.v[i].text);
        fputs("</p>\n", f);
    }
}

atn_status atn_cli_trace_page(FILE *f, const atn_trace_view *v, atn_error *err)
{
    const char *const program = v->t->ranks[0].program;
    fputs(head, f);
    fputs("<h1>", f);
    put_escaped(f, program != NULL ? program : "trace");
    fprintf(f, "</h1>\n<p>%d ranks, %.6f s</p>\n", v->t->p, 1e-9 * (double)v->t->end);
    put_problems(f, v->t);
    fputs("<h2>Time line</h2>\n", f);
    bool ok = draw_timeline(f, v->t);
    fputs("<h2>Messages by size</h2>\n", f);
    draw_sizes(f, &v->stats);
    fputs("<h2>Bytes from rank to rank</h2>\n", f);
    draw_matrix(f, &v->stats);
    fputs("<h2>Computation between two sends</h2>\n", f);
    ok = ok && draw_between(f, &v->stats);
    fputs("<h2>Collectives by worst imbalance factor</h2>\n<p>Left bars: at most 1000 bytes; right "
          "bars: more. Message times are from ",
          f);
    put_escaped(f, v->message_from);
    fputs(".</p>\n", f);
    draw_factors(f, &v->arrivals);
    ok = ok && put_tables(f, atn_cli_stats_tables, v) && put_tables(f, atn_arrival_tables, v);
    fputs(foot, f);
    return ok ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}
