/* trace_traffic.c - charts of a trace report about messages: sizes, gaps between them, partners. */
#include <math.h>
#include <stdlib.h>

#include "cli/traces/trace_page.h"
#include "report/svg.h"

/* Sizes by powers of two, which bounds the number of bars. */
bool atn_cli_trace_draw_sizes(FILE *f, const atn_trace_view *v)
{
    enum { CLASSES = 64 }; /* sizes are below 2^63 */
    int64_t count[CLASSES] = {0}, most = 0;
    for (int i = 0; i < v->stats.sizes.n; i++)
        count[atn_trace_size_class(v->stats.sizes.v[i].bytes)] += v->stats.sizes.v[i].messages;
    for (int k = 0; k < CLASSES; k++)
        most = count[k] > most ? count[k] : most;
    if (most == 0)
        return false;
    atn_report_html_bars_begin(f);
    for (int k = 0; k < CLASSES; k++) {
        char from[32], name[48] = "0";
        if (k > 0)
            snprintf(name, sizeof name, "from %s", atn_format_size((int64_t)1 << (k - 1), from));
        if (count[k] > 0)
            atn_report_html_count(f, name, count[k], 0, most);
    }
    atn_report_html_bars_end(f);
    return true;
}

bool atn_cli_trace_draw_between(FILE *f, const atn_trace_view *v)
{
    enum { DECADES = 9 };
    static const char *const names[DECADES] = {"below 1 µs",     "1 to 10 µs", "10 to 100 µs",
                                               "100 µs to 1 ms", "1 to 10 ms", "10 to 100 ms",
                                               "100 ms to 1 s",  "1 to 10 s",  "above 10 s"};
    int64_t count[DECADES] = {0}, most = 0;
    for (int i = 0; i < v->stats.between.n; i++) {
        int k = 0;
        for (double edge = 1e-6; k < DECADES - 1 && v->stats.between.v[i] >= edge; edge *= 10)
            k++;
        count[k]++;
    }
    for (int k = 0; k < DECADES; k++)
        most = count[k] > most ? count[k] : most;
    if (most == 0)
        return false;
    atn_report_html_bars_begin(f);
    for (int k = 0; k < DECADES; k++)
        if (count[k] > 0)
            atn_report_html_count(f, names[k], count[k], 0, most);
    atn_report_html_bars_end(f);
    return true;
}

/* ---- traffic ---- */

enum { MOST_CELLS = 64 };

typedef struct {
    int n, step; /* cells per side; ranks per cell */
    int64_t bytes[MOST_CELLS][MOST_CELLS], messages[MOST_CELLS][MOST_CELLS];
    int64_t most;
} matrix;

static void fill_matrix(const atn_trace_stats *s, matrix *m)
{
    m->step = (s->p + MOST_CELLS - 1) / MOST_CELLS;
    m->n = (s->p + m->step - 1) / m->step;
    for (int from = 0; from < s->p; from++)
        for (int to = 0; to < s->p; to++) {
            const size_t at = (size_t)from * (size_t)s->p + (size_t)to;
            m->bytes[from / m->step][to / m->step] += s->bytes[at];
            m->messages[from / m->step][to / m->step] += s->messages[at];
        }
    for (int i = 0; i < m->n; i++)
        for (int k = 0; k < m->n; k++)
            m->most = m->bytes[i][k] > m->most ? m->bytes[i][k] : m->most;
}

static void draw_cell(FILE *f, const matrix *m, int i, int k, double size)
{
    const int64_t n = m->messages[i][k];
    const double share = m->most > 0 ? (double)m->bytes[i][k] / (double)m->most : 0;
    fprintf(f,
            "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
            "opacity=\"%.2f\"><title>%d to %d: %lld messages, %lld bytes</title></rect>\n",
            n > 0 ? "some" : "none", 50 + k * size, 16 + i * size, size - 1, size - 1,
            n > 0 ? 0.15 + 0.85 * share : 1, i * m->step, k * m->step, (long long)n,
            (long long)m->bytes[i][k]);
}

bool atn_cli_trace_draw_matrix(FILE *f, const atn_trace_view *v)
{
    static const char style[] = "text{font:12px system-ui,sans-serif;fill:var(--quiet)}"
                                ".some{fill:var(--c0)}.none{fill:var(--empty)}";
    matrix *const m = calloc(1, sizeof *m);
    int64_t messages = 0;
    for (int i = 0; m != NULL && i < v->stats.p * v->stats.p; i++)
        messages += v->stats.messages[i];
    if (messages == 0) {
        free(m);
        return false;
    }
    fill_matrix(&v->stats, m);
    const double size = fmax(5, fmin(24, 480.0 / m->n));
    atn_report_svg_begin(f, 60 + m->n * size, m->n * size + 20, style, "bytes from rank to rank");
    for (int i = 0; i < m->n; i++)
        for (int k = 0; k < m->n; k++)
            draw_cell(f, m, i, k, size);
    atn_report_svg_text(f, "label", "start", 50, 11, "to 0 .. %d", v->stats.p - 1);
    atn_report_svg_text(f, "label", "end", 44, 27, "from 0");
    if (m->n * size > 40)
        atn_report_svg_text(f, "label", "end", 44, 12 + m->n * size, "%d", v->stats.p - 1);
    atn_report_svg_end(f);
    if (m->step > 1)
        fprintf(f, "<p class=\"note\">A cell is %d × %d ranks.</p>\n", m->step, m->step);
    free(m);
    return true;
}
