/* job_html.c - the report of a job as one page: summary, a bar per operation, the table, advice. */
#include <string.h>

#include "report/job.h"
#include "report/svg.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
    "<title>attune report</title>\n<style>\n"
    ":root{color-scheme:light dark}\n"
    "body{font:14px/1.5 system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;"
    "max-width:1060px;margin:2em auto;padding:0 1em}\n"
    "h1{font-size:20px}h2{font-size:16px;margin-top:2em}\n"
    "svg{max-width:100%;height:auto}\n"
    ".scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "td,th{padding:.25em .7em;text-align:right;border-bottom:1px solid #8884;white-space:nowrap}\n"
    "td.w,th.w{text-align:left}\n"
    ".none{opacity:.55}\n"
    "</style>\n</head>\n<body>\n<h1>attune report</h1>\n";

static const char style[] =
    "text{font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2328}\n"
    ".note{fill:#656d76}\n"
    ".native{fill:#bc4c00}.attune{fill:#1a7f37}.grid{stroke:#8884}\n"
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.note{fill:#9198a1}"
    ".native{fill:#f0883e}.attune{fill:#3fb950}}\n";

static void put_escaped(FILE *f, const char *text)
{
    for (; *text != '\0'; text++)
        fprintf(f, *text == '<' ? "&lt;" : *text == '&' ? "&amp;" : "%c", *text);
}

static void list(FILE *f, const char *tag, char **lines)
{
    fprintf(f, "<%s>\n", tag);
    for (int i = 0; lines != NULL && lines[i] != NULL; i++) {
        fputs("<li>", f);
        put_escaped(f, lines[i]);
        fputs("</li>\n", f);
    }
    fprintf(f, "</%s>\n", tag);
    atn_lines_free(lines);
}

/* ---- bars ---- */

typedef struct {
    double served, native;
} bar;

enum { BAR = 18, STEP = 26, LEFT = 170, WIDE = 660, TOP = 34, RIGHT = 130 };

static double length_of(const bar *b) { return b->served + b->native; }

static void draw_bar(FILE *f, const char *name, const bar *b, double most, double y)
{
    const double served = WIDE * b->served / most, native = WIDE * b->native / most;
    atn_svg_text(f, "name", "end", LEFT - 8, y + 13, "%s", name);
    if (b->served > 0)
        atn_svg_rect(f, "attune", LEFT, y, served, BAR, 0);
    if (b->native > 0)
        atn_svg_rect(f, "native", LEFT + served, y, native, BAR, 0);
    atn_svg_text(f, "note", "start", LEFT + served + native + 8, y + 13, "%.3f ms",
                 1e3 * length_of(b));
}

static int collect(const atn_job_facts *j, bar bars[ATN_OPERATIONS], double *most_p)
{
    int n = 0;
    for (int i = 0; i < j->nrows; i++) {
        const atn_job_row *const row = &j->rows[i];
        *(row->why == ATN_WHY_SERVED ? &bars[row->op].served : &bars[row->op].native) +=
            row->seconds;
    }
    for (int op = 0; op < ATN_OPERATIONS; op++) {
        n += length_of(&bars[op]) > 0;
        *most_p = length_of(&bars[op]) > *most_p ? length_of(&bars[op]) : *most_p;
    }
    return n;
}

/* The longest first; each is taken once. */
static void draw_bars(FILE *f, const atn_job_facts *j)
{
    bar bars[ATN_OPERATIONS] = {{0}};
    double most = 0;
    const int n = collect(j, bars, &most);
    if (n == 0)
        return;
    atn_svg_begin(f, LEFT + WIDE + RIGHT, TOP + STEP * n + 6, style, "Time by operation");
    atn_svg_rect(f, "attune", LEFT, 6, 12, 12, 0);
    atn_svg_text(f, "note", "start", LEFT + 18, 16, "served by Attune");
    atn_svg_rect(f, "native", LEFT + 150, 6, 12, 12, 0);
    atn_svg_text(f, "note", "start", LEFT + 168, 16, "left to the MPI library");
    for (int i = 0; i < n; i++) {
        int next = 0;
        for (int op = 1; op < ATN_OPERATIONS; op++)
            if (length_of(&bars[op]) > length_of(&bars[next]))
                next = op;
        draw_bar(f, atn_operation_get((atn_operation)next)->name, &bars[next], most,
                 TOP + STEP * i);
        bars[next] = (bar){0};
    }
    atn_svg_end(f);
}

/* ---- the table ---- */

static const char *align(const atn_table *t, int column)
{
    return t->columns[column].type == ATN_CELL_TEXT ? " class=\"w\"" : "";
}

static bool is_measurement(const atn_table *t, int column)
{
    return strncmp(t->columns[column].name, "saved", 5) == 0 ||
           strcmp(t->columns[column].name, "native_us") == 0;
}

static void write_cell(FILE *f, const atn_table *t, int i)
{
    const int column = i % t->ncolumns;
    if (*t->cells.v[i] == '\0' && is_measurement(t, column)) {
        fputs("<td class=\"none\">not measured</td>", f);
        return;
    }
    fprintf(f, "<td%s>", align(t, column));
    put_escaped(f, t->cells.v[i]);
    fputs("</td>", f);
}

static void write_table(FILE *f, const atn_job_facts *j)
{
    atn_table t;
    atn_job_table(j, true, &t);
    fputs("<div class=\"scroll\"><table>\n<tr>", f);
    for (int c = 0; c < t.ncolumns; c++)
        fprintf(f, "<th%s>%s</th>", align(&t, c), t.columns[c].name);
    fputs("</tr>\n", f);
    for (int i = 0; i < t.cells.n; i++) {
        fputs(i % t.ncolumns == 0 ? "<tr>" : "", f);
        write_cell(f, &t, i);
        fputs(i % t.ncolumns == t.ncolumns - 1 ? "</tr>\n" : "", f);
    }
    fputs("</table></div>\n", f);
    atn_table_free(&t);
}

void atn_job_html(FILE *f, const atn_job_facts *j)
{
    fputs(head, f);
    list(f, "ul", atn_job_summary(j));
    fputs("<h2>Time by operation</h2>\n", f);
    draw_bars(f, j);
    fputs("<h2>What would help more</h2>\n", f);
    list(f, "ol", atn_job_advice(j));
    fputs("<h2>Calls</h2>\n", f);
    write_table(f, j);
    fputs("</body>\n</html>\n", f);
}
